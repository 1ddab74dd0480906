// There is no FUSE here.
#include <fardel/base/mount_point.h>

namespace fardel {
namespace {

Error no_mounts(std::string_view subject) {
    return Error(ErrorCode::unsupported, std::string(subject) + ": Windows has no file systems of this kind");
}

}  // namespace

Status unmount_file_system(const std::string&, std::string_view subject) { return no_mounts(subject); }
unsigned int mount_message_request() noexcept { return 0; }
Result<std::string> send_to_mount(const std::string& mount_point, std::string_view) { return no_mounts(mount_point); }

}  // namespace fardel
