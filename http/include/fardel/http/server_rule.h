// ServerRule: which servers a program connects to. A value.
//
// For URLs that came from a game server or another stranger (ServerList), which must not lead into the user's own
// network. What
// counts is the address that a name has at the moment of each connection, so a name that leads elsewhere the next time
// gains nothing. No packet is sent to an address that the rule refuses; the transfer is `denied`.
#pragma once

#include <fardel/base/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct ServerRule {
    bool public_addresses_only = false;  // none of this machine or of a private network; proxies are not used then
    bool tls_only = false;
    bool port_443_only = false;
    // Servers to which none of this applies: "host" for all its ports, or "host:port", as URLs spell them.
    std::vector<std::string> allowed_hosts;

    // For URLs that a stranger has named.
    static ServerRule public_https() { return {true, true, true, {}}; }
};

// Whether the text can be one of ServerRule::allowed_hosts. Error: malformed.
Status verify_allowed_host(std::string_view text);

}  // namespace fardel
