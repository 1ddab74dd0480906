#include <fardel/base/network.h>

#include "network_headers.h"

#include <algorithm>
#include <cstring>

namespace fardel {
namespace {

struct Ipv4Range {
    std::uint32_t first;
    unsigned prefix_bits;
};

// The IANA special-purpose registry of IPv4, and multicast and what is above it.
constexpr Ipv4Range kNotPublic[] = {
    {0x00000000, 8},   // 0.0.0.0/8, this host
    {0x0a000000, 8},   // 10.0.0.0/8, private
    {0x64400000, 10},  // 100.64.0.0/10, shared
    {0x7f000000, 8},   // 127.0.0.0/8, loopback
    {0xa9fe0000, 16},  // 169.254.0.0/16, link-local
    {0xac100000, 12},  // 172.16.0.0/12, private
    {0xc0000000, 24},  // 192.0.0.0/24, protocols
    {0xc0000200, 24},  // 192.0.2.0/24, documentation
    {0xc0586300, 24},  // 192.88.99.0/24, 6to4 relays
    {0xc0a80000, 16},  // 192.168.0.0/16, private
    {0xc6120000, 15},  // 198.18.0.0/15, measurements
    {0xc6336400, 24},  // 198.51.100.0/24, documentation
    {0xcb007100, 24},  // 203.0.113.0/24, documentation
    {0xe0000000, 3},   // 224.0.0.0/3, multicast, reserved, broadcast
};

bool is_public_ipv4(std::uint32_t address) noexcept {
    return std::ranges::none_of(
        kNotPublic, [&](const Ipv4Range& range) { return (address ^ range.first) >> (32 - range.prefix_bits) == 0; });
}

// Only 2000::/3 is assigned to the internet; of it, not the protocols with Teredo (2001::/23), documentation
// (2001:db8::/32, 3fff::/20) and 6to4 (2002::/16).
bool is_public_ipv6(const std::uint8_t (&bytes)[16]) noexcept {
    const unsigned first = bytes[0] * 256u + bytes[1];
    const unsigned second = bytes[2] * 256u + bytes[3];
    if (first >> 13 != 1)
        return false;
    const bool is_special = (first == 0x2001 && (second >> 9 == 0 || second == 0xdb8)) || first == 0x2002 ||
                            (first == 0x3fff && second >> 12 == 0);
    return !is_special;
}

}  // namespace

SocketAddress describe_address(std::span<const std::byte> address) noexcept {
    sockaddr_storage whole{};
    std::memcpy(&whole, address.data(), std::min(address.size(), sizeof whole));
    if (whole.ss_family == AF_INET && address.size() >= sizeof(sockaddr_in)) {
        sockaddr_in ipv4;
        std::memcpy(&ipv4, &whole, sizeof ipv4);
        return {is_public_ipv4(ntohl(ipv4.sin_addr.s_addr)), ntohs(ipv4.sin_port)};
    }
    if (whole.ss_family == AF_INET6 && address.size() >= sizeof(sockaddr_in6)) {
        sockaddr_in6 ipv6;
        std::memcpy(&ipv6, &whole, sizeof ipv6);
        return {is_public_ipv6(ipv6.sin6_addr.s6_addr), ntohs(ipv6.sin6_port)};
    }
    return {};
}

}  // namespace fardel
