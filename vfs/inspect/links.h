// How check_links() is answered.
#pragma once

#include "mounts/mount_set.h"

#include <fardel/format/result.h>
#include <fardel/vfs/link_report.h>

#include <cstddef>

namespace fardel {

// Errors: limit (more than missing_max), corrupt, malformed, io.
Result<LinkReport> find_missing_links(const MountSet& set, std::size_t missing_max);

}  // namespace fardel
