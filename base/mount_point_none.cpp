#include <fardel/base/mount_point.h>

namespace fardel {

Status unmount_file_system(const std::string&, std::string_view subject) {
    return Error(ErrorCode::unsupported, std::string(subject) + ": this system unmounts by a program of its own");
}

unsigned int mount_message_request() noexcept { return 0; }

Result<std::string> send_to_mount(const std::string& mount_point, std::string_view) {
    return Error(ErrorCode::unsupported, mount_point + ": a mount takes messages only on Linux");
}

}  // namespace fardel
