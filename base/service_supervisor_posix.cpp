#include <fardel/base/service_supervisor.h>

#include <fardel/base/network.h>
#include <fardel/base/pipe.h>

#include "system_call.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace fardel {
namespace {

constexpr int kFirstPassed = 3;
constexpr long kPassedMax = 16;

long number_in(const char* variable) noexcept {
    const char* const text = std::getenv(variable);
    long number = -1;
    if (text != nullptr)
        std::from_chars(text, text + std::strlen(text), number);
    return number;
}

}  // namespace

void notify_service_supervisor(std::string_view state) noexcept {
    const char* const path = std::getenv("NOTIFY_SOCKET");
    sockaddr_un address{};
    const std::size_t size = path == nullptr ? 0 : std::strlen(path);
    if (size == 0 || size >= sizeof address.sun_path)
        return;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path, size);
    if (path[0] == '@')
        address.sun_path[0] = '\0';  // a name that is in no file system
    const Descriptor socket(open_socket(AF_UNIX, SOCK_DGRAM, 0));
    if (socket)
        static_cast<void>(::sendto(socket.number(), state.data(), state.size(), MSG_NOSIGNAL,
                                   reinterpret_cast<const sockaddr*>(&address),
                                   static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size)));
}

std::vector<Descriptor> take_passed_sockets() {
    std::vector<Descriptor> sockets;
    const long count = number_in("LISTEN_FDS");
    if (number_in("LISTEN_PID") != ::getpid() || count < 1 || count > kPassedMax)
        return sockets;
    for (int number = kFirstPassed; number < kFirstPassed + count; ++number) {
        ::fcntl(number, F_SETFD, FD_CLOEXEC);
        sockets.emplace_back(number);
        static_cast<void>(stop_waiting(sockets.back(), "a passed socket"));
    }
    ::unsetenv("LISTEN_FDS");
    ::unsetenv("LISTEN_PID");
    return sockets;
}

}  // namespace fardel
