// Unmounts file systems.
#pragma once

#include <fardel/base/result.h>

#include <string>
#include <string_view>

namespace fardel {

// Unmounts the file system at `mount_point`, which is not followed if it is a link. Errors: denied (EPERM: only the
// administrator may), busy.
Status unmount_file_system(const std::string& mount_point, std::string_view subject);

}  // namespace fardel
