#include <fardel/base/socket.h>

#include "system_call.h"

#include <fardel/base/network.h>
#include <fardel/base/network_address.h>
#include <fardel/base/pipe.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <span>

namespace fardel {
namespace {

constexpr int kBacklog = 4096;  // the system may reduce it

struct SystemAddress {
    sockaddr_storage bytes{};
    socklen_t size = sizeof(sockaddr_storage);

    sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&bytes); }
    const sockaddr_in* find_v4() const noexcept {
        return bytes.ss_family == AF_INET ? reinterpret_cast<const sockaddr_in*>(&bytes) : nullptr;
    }
    const sockaddr_in6* find_v6() const noexcept {
        return bytes.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&bytes) : nullptr;
    }
};

Result<SystemAddress> system_address(const ListenAddress& address) {
    SystemAddress system;
    sockaddr_in v4{};
    sockaddr_in6 v6{};
    if (::inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr) == 1) {
        v4.sin_family = AF_INET;
        v4.sin_port = htons(address.port);
        std::memcpy(&system.bytes, &v4, sizeof v4);
        system.size = sizeof v4;
        return system;
    }
    if (::inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr) == 1) {
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(address.port);
        std::memcpy(&system.bytes, &v6, sizeof v6);
        system.size = sizeof v6;
        return system;
    }
    return Error(ErrorCode::malformed, "\"" + address.host + "\" is no numeric address");
}

std::string text_of(int family, const void* address) {
    char text[INET6_ADDRSTRLEN] = {};
    return ::inet_ntop(family, address, text, sizeof text) == nullptr ? "?" : text;
}

ListenAddress listen_address(const SystemAddress& system) {
    if (const sockaddr_in* const v4 = system.find_v4())
        return {text_of(AF_INET, &v4->sin_addr), ntohs(v4->sin_port)};
    if (const sockaddr_in6* const v6 = system.find_v6())
        return {text_of(AF_INET6, &v6->sin6_addr), ntohs(v6->sin6_port)};
    return {"?", 0};
}

}  // namespace

Result<ListenAddress> parse_listen_address(std::string_view text) {
    const auto refused = [&] {
        return Error(ErrorCode::malformed,
                     "\"" + std::string(text) + "\" is no address and port such as 127.0.0.1:8080 or [::1]:8080");
    };
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos)
        return refused();
    ListenAddress address;
    std::string_view host = text.substr(0, colon);
    const std::string_view port = text.substr(colon + 1);
    const bool is_bracketed = host.starts_with('[') && host.ends_with(']');
    if (is_bracketed)
        host = host.substr(1, host.size() - 2);
    // An IPv6 address without brackets would lose its last group to the port.
    if (is_bracketed != (host.find(':') != std::string_view::npos))
        return refused();
    const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (port.empty() || failure != std::errc() || end != port.data() + port.size())
        return refused();
    address.host = host;
    if (!system_address(address))
        return refused();
    return address;
}

std::string format_listen_address(const ListenAddress& address) {
    const bool is_v6 = address.host.find(':') != std::string::npos;
    return (is_v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

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
    AcceptedConnection accepted;
    accepted.socket = Descriptor(number);
    accepted.peer = accepted.group = "?";
    if (const auto address = find_network_address(std::as_bytes(std::span(&system.bytes, 1)))) {
        accepted.peer = format_network_address(*address);
        // Limits per client count networks: one subscriber has 2^64 addresses.
        accepted.group = format_subscriber(*address);
        accepted.is_loopback = address->is_loopback();
    }
    accepted.address_bytes = std::min<std::size_t>(system.size, accepted.address.size());
    std::memcpy(accepted.address.data(), &system.bytes, accepted.address_bytes);
    return std::optional(std::move(accepted));
}

void shut_down_socket(int socket) noexcept { ::shutdown(socket, SHUT_RDWR); }

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
