#include <fardel/base/mount_point.h>

#include "system_call.h"

#include <fardel/base/descriptor.h>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#include <algorithm>
#include <cerrno>

namespace fardel {

Status unmount_file_system(const std::string& mount_point, std::string_view subject) {
    return status_of_call(::umount2(mount_point.c_str(), UMOUNT_NOFOLLOW), subject);
}

unsigned int mount_message_request() noexcept { return static_cast<unsigned int>(_IOWR('F', 0xfa, MountMessage)); }

Result<std::string> send_to_mount(const std::string& mount_point, std::string_view text) {
    MountMessage message;
    if (text.size() >= message.text.size())
        return Error(ErrorCode::limit, mount_point + ": the message is too long");
    std::ranges::copy(text, message.text.begin());
    const Descriptor folder(::open(mount_point.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder)
        return system_error(errno, mount_point);
    if (::ioctl(folder.number(), mount_message_request(), &message) != 0)
        return errno == ENOTTY || errno == EINVAL || errno == ENOSYS
                   ? Error(errno == EINVAL ? ErrorCode::malformed : ErrorCode::unsupported,
                           mount_point + ": the file system there does not take this message")
                   : system_error(errno, mount_point);
    return std::string(message.text.data(), std::ranges::find(message.text, '\0') - message.text.begin());
}

}  // namespace fardel
