#include <fardel/base/socket.h>

#include "socket_address.h"
#include "system_call.h"

#include <netinet/tcp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace fardel {
namespace {

constexpr int kBacklog = 4096;  // the system may reduce it

}  // namespace

Result<Descriptor> listen_on(const ListenAddress& address) {
    const std::string subject = format_listen_address(address);
    FARDEL_TRY_ASSIGN(SystemAddress system, system_address(address));
    FARDEL_TRY_ASSIGN(
        Descriptor socket,
        descriptor_of_call(::socket(system.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), subject));
    const int on = 1;
    // A server that is started again would otherwise have to wait until old connections have timed out.
    ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(socket.number(), system.get(), system.size) != 0 || ::listen(socket.number(), kBacklog) != 0)
        return errno == EADDRINUSE ? Error(ErrorCode::conflict, subject + ": another program listens there", errno)
                                   : system_error(errno, subject);
    return socket;
}

Result<ListenAddress> own_address(const Descriptor& socket) {
    SystemAddress system;
    FARDEL_TRY(status_of_call(::getsockname(socket.number(), system.get(), &system.size), "a listening socket"));
    return listen_address(system);
}

Result<std::optional<AcceptedConnection>> accept_connection(const Descriptor& listener) {
    SystemAddress system;
    const int number =
        repeat([&] { return ::accept4(listener.number(), system.get(), &system.size, SOCK_CLOEXEC | SOCK_NONBLOCK); });
    if (number < 0) {
        const int failure = errno;
        // The connection stays in the queue, so accepting again at once would spin; the caller waits or ends another
        // connection.
        if (failure == EMFILE || failure == ENFILE || failure == ENOBUFS || failure == ENOMEM)
            return Error(ErrorCode::limit, "no further connection can be accepted", failure);
        // What else accept(2) reports are failures of connections that are gone already.
        if (failure == EBADF || failure == EINVAL || failure == ENOTSOCK || failure == EOPNOTSUPP)
            return system_error(failure, "a listening socket");
        return std::optional<AcceptedConnection>();
    }
    return std::optional(accepted_connection(Descriptor(number), system));
}

void shut_down_socket(SystemNumber socket) noexcept { ::shutdown(socket, SHUT_RDWR); }

#ifdef __linux__
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
#else
std::optional<std::uint64_t> acknowledged_bytes(SystemNumber) noexcept { return std::nullopt; }
#endif

std::uint64_t raise_descriptors_max(std::uint64_t wanted) noexcept {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 256;
    if (limit.rlim_cur < wanted) {
        rlimit raised{std::min<rlim_t>(wanted, limit.rlim_max), limit.rlim_max};
        if (::setrlimit(RLIMIT_NOFILE, &raised) == 0)
            limit = raised;
    }
    return limit.rlim_cur;
}

}  // namespace fardel
