#include <fardel/base/socket.h>

#include "socket_address.h"
#include "system_call.h"

#include <fardel/base/network.h>
#include <fardel/base/network_address.h>
#include <fardel/base/pipe.h>

#include <arpa/inet.h>
#include <netinet/in.h>
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
    FARDEL_TRY_ASSIGN(Descriptor socket,
                      descriptor_of_call(open_socket(system.bytes.ss_family, SOCK_STREAM, 0), subject));
    FARDEL_TRY(stop_waiting(socket, subject));
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
    const int number = accept_without_waiting(listener.number(), system.get(), &system.size);
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
