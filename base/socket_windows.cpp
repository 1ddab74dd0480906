#include <fardel/base/socket.h>

#include "socket_address.h"
#include "system_call_windows.h"

#include <algorithm>

namespace fardel {
namespace {

constexpr int kBacklog = SOMAXCONN;
constexpr std::uint64_t kHandlesMax = 1u << 16;  // Windows has no limit that a program meets

Descriptor descriptor_of_socket(SOCKET socket) noexcept {
    return Descriptor(static_cast<SystemNumber>(socket), Descriptor::Kind::socket);
}

SOCKET socket_of(SystemNumber number) noexcept { return static_cast<SOCKET>(number); }
SOCKET socket_of(const Descriptor& socket) noexcept { return socket_of(socket.number()); }

bool stop_blocking(const Descriptor& socket) noexcept {
    u_long on = 1;
    return ::ioctlsocket(socket_of(socket), FIONBIO, &on) == 0;
}

Error socket_error(std::string_view subject) { return failure_error(static_cast<DWORD>(::WSAGetLastError()), subject); }

}  // namespace

Result<Descriptor> listen_on(const ListenAddress& address) {
    const std::string subject = format_listen_address(address);
    FARDEL_TRY_ASSIGN(SystemAddress system, system_address(address));
    prepare_sockets();
    Descriptor socket = descriptor_of_socket(::WSASocketW(system.bytes.ss_family, SOCK_STREAM, 0, nullptr, 0,
                                                          WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT));
    if (!socket || !stop_blocking(socket))
        return socket_error(subject);
    // Otherwise, another program could listen on the same port beside this one.
    const int on = 1;
    ::setsockopt(socket_of(socket), SOL_SOCKET, SO_EXCLUSIVEADDRUSE, reinterpret_cast<const char*>(&on), sizeof on);
    if (::bind(socket_of(socket), system.get(), system.size) != 0 || ::listen(socket_of(socket), kBacklog) != 0)
        return ::WSAGetLastError() == WSAEADDRINUSE
                   ? Error(ErrorCode::conflict, subject + ": another program listens there", EADDRINUSE)
                   : socket_error(subject);
    return socket;
}

Result<ListenAddress> own_address(const Descriptor& socket) {
    SystemAddress system;
    if (::getsockname(socket_of(socket), system.get(), &system.size) != 0)
        return socket_error("a listening socket");
    return listen_address(system);
}

Result<std::optional<AcceptedConnection>> accept_connection(const Descriptor& listener) {
    SystemAddress system;
    Descriptor socket = descriptor_of_socket(::accept(socket_of(listener), system.get(), &system.size));
    if (!socket) {
        const int failure = ::WSAGetLastError();
        // The connection stays in the queue, so accepting again at once would spin; the caller waits or ends another
        // connection.
        if (failure == WSAEMFILE || failure == WSAENOBUFS)
            return Error(ErrorCode::limit, "no further connection can be accepted", EMFILE);
        if (failure == WSAENOTSOCK || failure == WSAEINVAL || failure == WSAEOPNOTSUPP)
            return socket_error("a listening socket");
        return std::optional<AcceptedConnection>();
    }
    // A socket that was accepted is inherited, whatever the listening one is.
    ::SetHandleInformation(handle_of(socket), HANDLE_FLAG_INHERIT, 0);
    if (!stop_blocking(socket))
        return std::optional<AcceptedConnection>();
    return std::optional(accepted_connection(std::move(socket), system));
}

void shut_down_socket(SystemNumber socket) noexcept { ::shutdown(socket_of(socket), SD_BOTH); }

std::uint64_t raise_descriptors_max(std::uint64_t wanted) noexcept { return std::min(wanted, kHandlesMax); }

}  // namespace fardel
