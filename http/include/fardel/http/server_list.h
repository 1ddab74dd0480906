// ServerList: servers that have the same files, and the rule by which they are connected to. A value.
#pragma once

#include <fardel/base/foreign_url.h>
#include <fardel/http/server_rule.h>

#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

class ServerList {
public:
    ServerList() = default;
    // URLs that the user has named, or the maker of the program.
    ServerList(std::initializer_list<std::string> urls) : urls_(urls) {}
    ServerList(std::vector<std::string> urls, ServerRule rule = {}) : urls_(std::move(urls)), rule_(std::move(rule)) {}

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
