#include "serve/trusted_proxies.h"

#include <fardel/base/text_fields.h>

#include <algorithm>

namespace fardel {
bool TrustedProxies::trusts(const NetworkAddress& address) const noexcept {
    return std::ranges::any_of(ranges, [&](const AddressRange& range) { return range.contains(address); });
}

std::optional<NetworkAddress> TrustedProxies::find_client(std::string_view values) const {
    // From the right: whoever is not trusted has written what stands on the left.
    for (;;) {
        const std::size_t comma = values.rfind(',');
        const bool is_first = comma == std::string_view::npos;
        const auto address = find_network_address(trimmed(is_first ? values : values.substr(comma + 1), " \t"));
        if (!address || is_first || !trusts(*address))
            return address;
        values = values.substr(0, comma);
    }
}

}  // namespace fardel
