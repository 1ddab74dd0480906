#include <fardel/base/network_address.h>

#include "network_headers.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace fardel {
namespace {

constexpr std::array<std::uint8_t, 12> kV4Prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr unsigned kV4PrefixBits = 8 * kV4Prefix.size();
constexpr unsigned kSubscriberBits = 64;

NetworkAddress address_of(const in_addr& v4) {
    NetworkAddress address;
    std::ranges::copy(kV4Prefix, address.bytes.begin());
    std::memcpy(address.bytes.data() + kV4Prefix.size(), &v4, sizeof v4);
    return address;
}

NetworkAddress address_of(const in6_addr& v6) {
    NetworkAddress address;
    std::memcpy(address.bytes.data(), &v6, address.bytes.size());
    return address;
}

// Without the bits behind the prefix.
NetworkAddress prefix_of(NetworkAddress address, unsigned bits) {
    for (unsigned i = 0; i < address.bytes.size(); ++i) {
        const unsigned kept = std::clamp(bits, 8 * i, 8 * (i + 1)) - 8 * i;
        address.bytes[i] = static_cast<std::uint8_t>(address.bytes[i] & (0xff00u >> kept));
    }
    return address;
}

}  // namespace

bool NetworkAddress::is_v4() const noexcept { return std::equal(kV4Prefix.begin(), kV4Prefix.end(), bytes.begin()); }

bool NetworkAddress::is_loopback() const noexcept {
    NetworkAddress one;
    one.bytes.back() = 1;
    return is_v4() ? bytes[kV4Prefix.size()] == 127 : *this == one;
}

std::optional<NetworkAddress> find_network_address(std::string_view text) {
    in_addr v4{};
    in6_addr v6{};
    const std::string whole(text);
    if (whole.size() != std::strlen(whole.c_str()))
        return std::nullopt;
    if (::inet_pton(AF_INET, whole.c_str(), &v4) == 1)
        return address_of(v4);
    if (::inet_pton(AF_INET6, whole.c_str(), &v6) == 1)
        return address_of(v6);
    return std::nullopt;
}

std::optional<NetworkAddress> find_network_address(std::span<const std::byte> address) noexcept {
    sockaddr_storage any{};
    std::memcpy(&any, address.data(), std::min(address.size(), sizeof any));
    if (any.ss_family == AF_INET)
        return address_of(reinterpret_cast<const sockaddr_in*>(&any)->sin_addr);
    if (any.ss_family == AF_INET6)
        return address_of(reinterpret_cast<const sockaddr_in6*>(&any)->sin6_addr);
    return std::nullopt;
}

std::string format_network_address(const NetworkAddress& address) {
    char text[INET6_ADDRSTRLEN] = {};
    const bool is_v4 = address.is_v4();
    const void* const bytes = address.bytes.data() + (is_v4 ? kV4Prefix.size() : 0);
    return ::inet_ntop(is_v4 ? AF_INET : AF_INET6, bytes, text, sizeof text) == nullptr ? "?" : text;
}

std::string format_subscriber(const NetworkAddress& address) {
    return address.is_v4()
               ? format_network_address(address)
               : format_network_address(prefix_of(address, kSubscriberBits)) + "/" + std::to_string(kSubscriberBits);
}

bool AddressRange::contains(const NetworkAddress& address) const noexcept { return prefix_of(address, bits) == first; }

std::optional<AddressRange> find_address_range(std::string_view text) {
    const std::size_t slash = text.find('/');
    const auto first = find_network_address(text.substr(0, slash));
    if (!first)
        return std::nullopt;
    const bool is_v4 = text.substr(0, slash).find(':') == std::string_view::npos;
    AddressRange range{.first = *first};
    if (slash != std::string_view::npos) {
        const std::string_view digits = text.substr(slash + 1);
        unsigned bits = 0;
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
        if (digits.empty() || failure != std::errc() || end != digits.data() + digits.size() ||
            bits > (is_v4 ? 32u : 128u))
            return std::nullopt;
        range.bits = is_v4 ? kV4PrefixBits + bits : bits;
    }
    return range.contains(*first) ? std::optional(range) : std::nullopt;
}

}  // namespace fardel
