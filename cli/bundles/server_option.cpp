#include "server_option.h"

#include <utility>

namespace fardel {

ServerList ServerChoice::list(std::vector<std::string> urls) const {
    ServerRule rule = public_only ? ServerRule::public_https() : ServerRule{};
    rule.allowed_hosts = allowed_hosts;
    return ServerList(std::move(urls), std::move(rule));
}

void add_server_options(CommandLine& line, ServerChoice& servers) {
    line.flag("--public-only", servers.public_only,
              "For URLs that a stranger has named: connect only by https, on its port 443, "
              "to addresses of the internet, and never to this machine or a private network");
    line.texts("--allow-host", "HOST[:PORT]", servers.allowed_hosts,
               "With --public-only: a server that may be anywhere; may be repeated");
}

std::optional<std::string> find_mistake(const ServerChoice& servers, bool has_foreign) {
    if (!servers.public_only && !has_foreign && !servers.allowed_hosts.empty())
        return "--allow-host needs --public-only";
    for (const std::string& host : servers.allowed_hosts)
        if (const Status valid = verify_allowed_host(host); !valid)
            return "--allow-host " + valid.error().message();
    return std::nullopt;
}

}  // namespace fardel
