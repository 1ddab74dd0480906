// TrustedProxies: whose word counts about which client a request came from. Anybody can send such a header; limits per
// client would count nothing if it were believed.
#pragma once

#include <fardel/base/network_address.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct TrustedProxies {
    std::vector<AddressRange> ranges;  // empty: none is trusted
    std::string header = "X-Forwarded-For";

    bool trusts(const NetworkAddress& address) const noexcept;
    // `values`: of the header, joined by commas in the order in which they came; proxies append to them. Returns the
    // last address that is no trusted proxy, or the first one if all are. Nothing: there is none, or what stands behind
    // it is no address; then the proxy is the client.
    std::optional<NetworkAddress> find_client(std::string_view values) const;
};

}  // namespace fardel
