// TCP sockets that listen, and the connections that they accept. Addresses are numeric: no names are looked up.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

struct ListenAddress {
    std::string host;  // "127.0.0.1" or "::1"
    std::uint16_t port = 0;
};

// "127.0.0.1:8080" or "[::1]:8080". Error: malformed.
Result<ListenAddress> parse_listen_address(std::string_view text);
std::string format_listen_address(const ListenAddress& address);

// Port 0: the system chooses one, see own_address(). Errors: malformed (not a numeric address), those of
// system_error.h, conflict (another program listens there).
Result<Descriptor> listen_on(const ListenAddress& address);
Result<ListenAddress> own_address(const Descriptor& socket);

struct AcceptedConnection {
    Descriptor socket;  // does not block
    std::string peer;   // the numeric address, without the port
    std::string group;  // connections with the same text are counted together: an IPv4 address, or an IPv6 /64
    bool is_loopback = false;
    std::array<std::byte, 128> address{};  // a sockaddr
    std::size_t address_bytes = 0;
};

// Returns nothing if no connection waits. Errors: limit (no descriptors are left), io.
Result<std::optional<AcceptedConnection>> accept_connection(const Descriptor& listener);

// Ends a connection whose descriptor another owner will close.
void shut_down_socket(SystemNumber socket) noexcept;
// Returns how many bytes the other end of a TCP connection has acknowledged; nothing if the system does not know.
std::optional<std::uint64_t> acknowledged_bytes(SystemNumber socket) noexcept;

// Lets this process have as many open descriptors as `wanted`, or as the system allows. Returns how many.
std::uint64_t raise_descriptors_max(std::uint64_t wanted) noexcept;

}  // namespace fardel
