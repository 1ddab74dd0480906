// Addresses and sockets of the network, as the system and libcurl pass them.
#pragma once

#include <fardel/base/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace fardel {

struct SocketAddress {
    // Leads to the internet: not loopback, private, link-local, multicast, reserved, a documentation range, or an IPv6
    // address that embeds an IPv4 address. Of any other family than IPv4 and IPv6: false.
    bool is_public = false;
    std::uint16_t port = 0;
};

// `address`: the bytes of a struct sockaddr, perhaps cut short.
SocketAddress describe_address(std::span<const std::byte> address) noexcept;

// Creates a socket that programs do not inherit. Returns -1 if the system refuses.
SystemNumber open_socket(int family, int type, int protocol) noexcept;

}  // namespace fardel
