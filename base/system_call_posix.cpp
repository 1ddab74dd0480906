// What POSIX offers for the calls of system_call_linux.cpp.

#include "system_call.h"

#include <fardel/base/file.h>
#include <fardel/base/network.h>
#include <fardel/base/socket.h>

#include <sys/socket.h>
#include <unistd.h>

namespace fardel {
namespace {

// A program that another thread starts before this inherits the descriptor. POSIX has nothing better.
int close_on_exec(int number) noexcept {
    if (number >= 0)
        ::fcntl(number, F_SETFD, FD_CLOEXEC);
    return number;
}

}  // namespace

const int kLocationOnly = O_RDONLY | O_NONBLOCK;  // a FIFO at the location would wait for a writer
const int kUsedTimeKept = 0;

int open_without_links(int, const char*, int) noexcept {
    errno = ENOSYS;
    return -1;
}

int rename_with(int, const char*, int, const char*, RenameRule) noexcept {
    errno = ENOSYS;
    return -1;
}

int open_pipe_ends(int (&ends)[2]) noexcept {
    const int result = ::pipe(ends);
    if (result == 0)
        for (const int end : ends)
            close_on_exec(end);
    return result;
}

SystemNumber open_socket(int family, int type, int protocol) noexcept {
    return close_on_exec(::socket(family, type, protocol));
}

int accept_without_waiting(int listener, sockaddr* address, socklen_t* size) noexcept {
    const int number = close_on_exec(repeat([&] { return ::accept(listener, address, size); }));
    if (number >= 0)
        ::fcntl(number, F_SETFL, O_NONBLOCK);
    return number;
}

void begin_sync(const Descriptor&) noexcept {}

std::optional<std::uint64_t> acknowledged_bytes(SystemNumber) noexcept { return std::nullopt; }

}  // namespace fardel
