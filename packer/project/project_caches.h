// Reads [[cache]]: caches of derived data besides the project's own.
#pragma once

#include "project_reader.h"

namespace fardel {

void read_caches(const TomlEntry& entry, Project& project, Mistakes& mistakes);

}  // namespace fardel
