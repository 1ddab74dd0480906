// What Linux does in one step, or without a right that POSIX asks for.

#include "system_call.h"

#include <fardel/base/file.h>
#include <fardel/base/network.h>
#include <fardel/base/socket.h>

#include <linux/openat2.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace fardel {

const int kLocationOnly = O_PATH;
const int kUsedTimeKept = O_NOATIME;

int open_without_links(int folder, const char* name, int flags) noexcept {
    // openat2 refuses flags that mean nothing; openat ignores them.
    flags = (flags & O_PATH) != 0 ? flags & (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : flags | O_LARGEFILE;
    struct open_how how = {.flags = static_cast<std::uint64_t>(flags),
                           .mode = 0,
                           .resolve = RESOLVE_NO_SYMLINKS | (folder == AT_FDCWD ? 0u : unsigned{RESOLVE_BENEATH})};
    return static_cast<int>(repeat([&] { return ::syscall(SYS_openat2, folder, name, &how, sizeof how); }));
}

int rename_with(int old_folder, const char* old_name, int folder, const char* name, RenameRule rule) noexcept {
    return ::renameat2(old_folder, old_name, folder, name,
                       rule == RenameRule::exchange ? RENAME_EXCHANGE : RENAME_NOREPLACE);
}

int open_pipe_ends(int (&ends)[2]) noexcept { return ::pipe2(ends, O_CLOEXEC); }

SystemNumber open_socket(int family, int type, int protocol) noexcept {
    return ::socket(family, type | SOCK_CLOEXEC, protocol);
}

int accept_without_waiting(int listener, sockaddr* address, socklen_t* size) noexcept {
    return repeat([&] { return ::accept4(listener, address, size, SOCK_CLOEXEC | SOCK_NONBLOCK); });
}

void begin_sync(const Descriptor& file) noexcept {
    ::sync_file_range(file.number(), 0, 0, SYNC_FILE_RANGE_WRITE);  // of the whole file; does not wait for the disk
}

std::optional<std::uint64_t> acknowledged_bytes(SystemNumber socket) noexcept {
    // The header of the C library ends earlier than the kernel's structure, of which this field has a fixed offset.
    constexpr std::size_t kOffset = 120;
    std::byte facts[256] = {};
    socklen_t size = sizeof facts;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, facts, &size) != 0 || size < kOffset + sizeof(std::uint64_t))
        return std::nullopt;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, facts + kOffset, sizeof bytes);
    return bytes;
}

}  // namespace fardel
