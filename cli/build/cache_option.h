// --cache and --cache-graph: what a command line says about the layers of a project's derived-data cache.
#pragma once

#include "console/command_line.h"

#include <fardel/packer/build.h>

namespace fardel {

void add_cache_options(CommandLine& line, CacheRequest& caches);

}  // namespace fardel
