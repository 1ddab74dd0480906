#include "channel/release_needs.h"

#include "channel/text_fetch.h"
#include "transfer/server_faults.h"
#include "transfer/tree_urls.h"

#include <fardel/delivery/tree_paths.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace fardel {
Result<NeedsOfBundles> fetch_release_needs(const ServerList& servers, std::string_view channel,
                                           const Hash& release_hash, const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const auto trees, parse_tree_urls(servers.urls()));
    FARDEL_TRY_ASSIGN(RangeClient client, RangeClient::open({.servers = servers.rule()}));
    std::vector<Error> failures;  // the first one last: its code counts
    std::vector<std::string> urls = urls_of(trees, channel_requirements_path(channel, release_hash));
    // Each that hangs would cost its time limit once more.
    std::stable_partition(urls.begin(), urls.end(), [&](const std::string& url) { return !client.has_failed(url); });
    for (const std::string& url : urls) {
        FARDEL_TRY_ASSIGN(FetchedText fetched, fetch_text(client, url, kReleaseNeedsBytesMax, stop));
        if (!fetched.failure) {
            auto needs = parse_release_needs(fetched.text);
            if (needs)
                return needs;
            fetched.failure = std::move(needs).error().with_context(url);
        }
        failures.insert(failures.begin(), *std::move(fetched.failure));
    }
    return join_faults(failures).with_context("what the bundles of the release need");
}

}  // namespace fardel
