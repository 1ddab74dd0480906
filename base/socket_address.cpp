#include "socket_address.h"

#include <fardel/base/network_address.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>

namespace fardel {
namespace {

std::string text_of(int family, const void* address) {
    char text[INET6_ADDRSTRLEN] = {};
    return ::inet_ntop(family, address, text, sizeof text) == nullptr ? "?" : text;
}

}  // namespace

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

ListenAddress listen_address(const SystemAddress& system) {
    if (const sockaddr_in* const v4 = system.find_v4())
        return {text_of(AF_INET, &v4->sin_addr), ntohs(v4->sin_port)};
    if (const sockaddr_in6* const v6 = system.find_v6())
        return {text_of(AF_INET6, &v6->sin6_addr), ntohs(v6->sin6_port)};
    return {"?", 0};
}

AcceptedConnection accepted_connection(Descriptor socket, const SystemAddress& peer) {
    AcceptedConnection accepted;
    accepted.socket = std::move(socket);
    accepted.peer = accepted.group = "?";
    if (const auto address = find_network_address(std::as_bytes(std::span(&peer.bytes, 1)))) {
        accepted.peer = format_network_address(*address);
        // Limits per client count networks: one subscriber has 2^64 addresses.
        accepted.group = format_subscriber(*address);
        accepted.is_loopback = address->is_loopback();
    }
    accepted.address_bytes = std::min<std::size_t>(peer.size, accepted.address.size());
    std::memcpy(accepted.address.data(), &peer.bytes, accepted.address_bytes);
    return accepted;
}

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

}  // namespace fardel
