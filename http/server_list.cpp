#include <fardel/http/server_list.h>

#include "server_rates.h"

namespace fardel {

ServerList::ServerList(std::vector<std::string> urls, ServerRule rule)
    : urls_(std::move(urls)), rule_(std::move(rule)) {
    if (rule_.known == nullptr)
        rule_.known = std::make_shared<ServerRates>();
}

ServerList ServerList::of_strangers(std::span<const ForeignUrl> urls, std::vector<std::string> allowed_hosts) {
    ServerList servers({}, ServerRule::public_https());
    servers.rule_.allowed_hosts = std::move(allowed_hosts);
    for (const ForeignUrl& url : urls)
        servers.add(url.named());
    return servers;
}

}  // namespace fardel
