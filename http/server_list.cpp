#include <fardel/http/server_list.h>

namespace fardel {

ServerList ServerList::of_strangers(std::span<const ForeignUrl> urls, std::vector<std::string> allowed_hosts) {
    ServerList servers({}, ServerRule::public_https());
    servers.rule_.allowed_hosts = std::move(allowed_hosts);
    for (const ForeignUrl& url : urls)
        servers.add(url.named());
    return servers;
}

}  // namespace fardel
