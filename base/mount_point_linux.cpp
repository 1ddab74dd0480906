#include <fardel/base/mount_point.h>

#include "system_call.h"

#include <sys/mount.h>

namespace fardel {

Status unmount_file_system(const std::string& mount_point, std::string_view subject) {
    return status_of_call(::umount2(mount_point.c_str(), UMOUNT_NOFOLLOW), subject);
}

}  // namespace fardel
