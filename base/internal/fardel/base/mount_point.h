// Unmounts file systems, and sends messages to programs that serve one.
#pragma once

#include <fardel/base/result.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace fardel {

// Unmounts the file system at `mount_point`, which is not followed if it is a link. Errors: denied (EPERM: only the
// administrator may), busy.
Status unmount_file_system(const std::string& mount_point, std::string_view subject);

// A message to the program that serves a FUSE file system, and its answer: an ioctl of the open root, which read-only
// mounts allow, too. The text ends at the first zero byte.
struct MountMessage {
    std::array<char, 8192> text{};
};
// The request of that ioctl.
unsigned int mount_message_request() noexcept;
// Sends the text to the file system whose root is at `mount_point`, and returns the answer. Errors: limit (the text),
// unsupported (no program there takes such messages), malformed (what it was sent), denied, missing, io.
Result<std::string> send_to_mount(const std::string& mount_point, std::string_view text);

}  // namespace fardel
