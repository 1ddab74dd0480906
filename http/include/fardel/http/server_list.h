// ServerList: servers that have the same files, and the rule by which they are connected to. Values.
//
// ServerRule is for URLs that came from a game server or another stranger, which must not lead into the user's own
// network. What counts is the address that a name has at the moment of each connection, so a name that leads elsewhere
// the next time gains nothing. No packet is sent to an address that the rule refuses; the transfer is `denied`.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/name.h>

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

class ServerRates;

struct ServerRule {
    bool public_addresses_only = false;  // none of this machine or of a private network; proxies are not used then
    bool tls_only = false;
    bool port_443_only = false;
    // Servers to which none of this applies: "host" for all its ports, or "host:port", as URLs spell them.
    std::vector<std::string> allowed_hosts;
    // What was learned of servers that this rule and its copies are used for, such as which ones have failed; nullptr:
    // each user learns for itself.
    std::shared_ptr<ServerRates> known = nullptr;

    // For URLs that a stranger has named.
    static ServerRule public_https() { return {true, true, true, {}, nullptr}; }
};

// Whether the text can be one of ServerRule::allowed_hosts. Error: malformed.
Status verify_allowed_host(std::string_view text);

class ServerList {
public:
    ServerList() = default;
    // URLs that the user has named, or the maker of the program. What is learned of these servers holds for all copies.
    ServerList(std::initializer_list<std::string> urls) : ServerList(std::vector<std::string>(urls)) {}
    ServerList(std::vector<std::string> urls, ServerRule rule = {});

    // URLs that a stranger has named: ServerRule::public_https() holds, but for `allowed_hosts`, which the user has
    // named, as "host" or "host:port".
    static ServerList of_strangers(std::span<const ForeignUrl> urls, std::vector<std::string> allowed_hosts = {});

    // In the order in which they are asked.
    const std::vector<std::string>& urls() const noexcept { return urls_; }
    // Servers that it refuses are `denied`.
    const ServerRule& rule() const noexcept { return rule_; }
    bool empty() const noexcept { return urls_.empty(); }
    // One more, which the same rule is about.
    void add(std::string url) { urls_.push_back(std::move(url)); }

private:
    std::vector<std::string> urls_;
    ServerRule rule_;
};

}  // namespace fardel
