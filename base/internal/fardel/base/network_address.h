// NetworkAddress: numeric addresses of hosts, and ranges of them. An IPv4 address that is written as an IPv6 one
// (::ffff:192.0.2.1) is that IPv4 address.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fardel {

struct NetworkAddress {
    std::array<std::uint8_t, 16> bytes{};  // of IPv6; of an IPv4 address as ::ffff:a.b.c.d

    bool is_v4() const noexcept;
    bool is_loopback() const noexcept;
    friend bool operator==(const NetworkAddress&, const NetworkAddress&) = default;
};

// "192.0.2.1" or "2001:db8::1", without a port, brackets or a zone.
std::optional<NetworkAddress> find_network_address(std::string_view text);
// `address`: the bytes of a struct sockaddr, perhaps cut short. Nothing: of another family than IPv4 and IPv6.
std::optional<NetworkAddress> find_network_address(std::span<const std::byte> address) noexcept;
std::string format_network_address(const NetworkAddress& address);
// What one subscriber has: the IPv4 address, or the IPv6 network of 64 bits. Limits per client count these.
std::string format_subscriber(const NetworkAddress& address);

struct AddressRange {
    NetworkAddress first;
    unsigned bits = 128;  // of `first`, that all addresses of the range have

    bool contains(const NetworkAddress& address) const noexcept;
};

// "192.0.2.1", "10.0.0.0/8" or "2001:db8::/32". Nothing: neither that, nor are the bits behind the prefix zeros.
std::optional<AddressRange> find_address_range(std::string_view text);

}  // namespace fardel
