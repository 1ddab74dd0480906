#include <fardel/delivery/first_contact.h>

#include "channel/text_fetch.h"
#include "transfer/tree_urls.h"

#include <fardel/base/text_fields.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/channel.h>
#include <fardel/format/hash.h>

#include <functional>
#include <optional>
#include <span>
#include <utility>

namespace fardel {
namespace {

// Asks one tree after the other until `accept` accepts a text. Past caches: a list is replaced, and a root that a cache
// says is missing may be there by now.
Result<std::string> fetch_any(const ServerList& servers, const std::string& path, std::size_t bytes_max,
                              const std::stop_token& stop, const std::function<Status(const std::string&)>& accept) {
    FARDEL_TRY_ASSIGN(const auto trees, parse_tree_urls(servers.urls()));
    FARDEL_TRY_ASSIGN(RangeClient client, RangeClient::open({.servers = servers.rule()}));
    std::optional<Error> failure;
    for (const std::string& url : urls_of(trees, path)) {
        FARDEL_TRY_ASSIGN(FetchedText fetched, fetch_text(client, url, bytes_max, stop, true));
        if (!fetched.failure) {
            Status accepted = accept(fetched.text);
            if (accepted)
                return std::move(fetched.text);
            fetched.failure = std::move(accepted).error().with_context(url);
        }
        if (!failure || failure->code() == ErrorCode::missing)
            failure = std::move(fetched.failure);
    }
    return *std::move(failure);
}

}  // namespace

Result<std::vector<std::string>> parse_channel_list(std::string_view text) {
    if (text.size() > kChannelListBytesMax)
        return Error(ErrorCode::limit, "a list of channels has at most 64 KiB");
    if (!text.empty() && !text.ends_with('\n'))
        return Error(ErrorCode::malformed, "the list of channels is cut off");
    std::vector<std::string> channels;
    while (!text.empty()) {
        const std::string_view name = read_until(text, '\n');
        FARDEL_TRY(verify_channel_name(name));
        if (!channels.empty() && name <= channels.back())
            return Error(ErrorCode::malformed, "the list of channels is not sorted, or names one twice");
        channels.emplace_back(name);
    }
    return channels;
}

std::string format_channel_list(const std::vector<std::string>& channels) {
    std::string text;
    for (const std::string& name : channels)
        text += name + "\n";
    return text;
}

Hash root_fingerprint(std::string_view file) { return blake3(std::as_bytes(std::span(file))); }

Result<std::vector<std::string>> fetch_channel_list(const ServerList& servers, const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const std::string text, fetch_any(servers, std::string(kChannelListPath), kChannelListBytesMax,
                                                        stop, [](const std::string& file) -> Status {
                                                            FARDEL_TRY(parse_channel_list(file));
                                                            return ok();
                                                        }));
    return parse_channel_list(text);
}

Result<std::string> fetch_first_root(const ServerList& servers, std::string_view channel, const std::stop_token& stop) {
    return fetch_any(servers, channel_root_path(channel, 1), channel_file_bytes_max(ChannelText::root), stop,
                     [](const std::string& file) -> Status {
                         FARDEL_TRY(parse_signed_text(ChannelText::root, file));
                         return ok();
                     });
}

}  // namespace fardel
