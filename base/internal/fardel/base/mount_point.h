// Mounted file systems of the system.
#pragma once

#include <fardel/base/result.h>

#include <string>
#include <string_view>

namespace fardel {

// Unmounts what is mounted there; a link is not followed. Errors: denied (EPERM: only the administrator may), busy.
Status unmount_file_system(const std::string& mount_point, std::string_view subject);

}  // namespace fardel
