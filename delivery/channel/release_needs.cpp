#include "channel/release_needs.h"

#include "channel/text_fetch.h"
#include "transfer/tree_urls.h"

#include <fardel/delivery/tree_paths.h>

#include <optional>
#include <span>
#include <utility>

namespace fardel {
Result<NeedsOfBundles> fetch_release_needs(const ServerList& servers, std::string_view channel,
                                           const Hash& release_hash, const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const auto trees, parse_tree_urls(servers.urls()));
    FARDEL_TRY_ASSIGN(RangeClient client, RangeClient::open({.servers = servers.rule()}));
    std::optional<Error> failure;
    for (const std::string& url : urls_of(trees, channel_requirements_path(channel, release_hash))) {
        FARDEL_TRY_ASSIGN(FetchedText fetched, fetch_text(client, url, kReleaseNeedsBytesMax, stop));
        if (!fetched.failure) {
            auto needs = parse_release_needs(fetched.text);
            if (needs)
                return needs;
            fetched.failure = std::move(needs).error().with_context(url);
        }
        if (!failure || failure->code() == ErrorCode::missing)
            failure = std::move(fetched.failure);
    }
    return std::move(*failure).with_context("what the bundles of the release need");
}

}  // namespace fardel
