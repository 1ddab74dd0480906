#include <fardel/delivery/follow_channel.h>

#include "text_fetch.h"
#include "transfer/tree_urls.h"

#include <fardel/delivery/channel_tree.h>

#include <functional>

namespace fardel {
namespace {

class Follower {
public:
    Follower(RangeClient& client, const std::vector<std::string>& trees, FollowedChannel& followed,
             const std::stop_token& stop)
        : client_(client), trees_(trees), followed_(followed), stop_(stop) {}

    Status follow() {
        FARDEL_TRY(add_roots());
        FARDEL_TRY(add_head());
        return add_release();
    }

private:
    ChannelUpdate& update() { return followed_.update; }
    const std::string& channel() { return update().root().channel; }

    // Error: cancelled.
    Result<FetchedText> get(const std::string& tree, const std::string& path, std::size_t bytes_max,
                            bool bypasses_caches) {
        FARDEL_TRY_ASSIGN(FetchedText fetched,
                          fetch_text(client_, tree + "/" + path, bytes_max, stop_, bypasses_caches));
        followed_.received_bytes += fetched.text.size();
        return fetched;
    }

    // Asks one tree after the other until `accept` accepts a text; one that is refused may be what a cache has kept, so
    // the same tree is asked past its caches. Error: the first one that says more than "missing".
    Status take_from_any(const std::string& path, ChannelText kind, bool bypasses_caches,
                         const std::function<Status(const std::string&)>& accept) {
        std::optional<Error> failure;
        const auto note = [&](Error error) {
            if (!failure || failure->code() == ErrorCode::missing)
                failure = std::move(error);
        };
        for (const std::string& tree : trees_)
            for (bool is_last = bypasses_caches;; is_last = true) {
                FARDEL_TRY_ASSIGN(const FetchedText outcome, get(tree, path, channel_file_bytes_max(kind), is_last));
                if (outcome.failure) {
                    note(*outcome.failure);
                    break;
                }
                Status accepted = accept(outcome.text);
                if (accepted)
                    return ok();
                if (accepted.error().code() == ErrorCode::rollback)
                    followed_.refused = outcome.text;
                note(std::move(accepted).error());
                if (is_last)
                    break;
            }
        return std::move(*failure);
    }

    // Until no tree has a further one. Which roots there are is found out by the head, too.
    Status add_roots() {
        for (;;) {
            const std::string path = channel_root_path(channel(), update().root().version + 1);
            const Status added = take_from_any(path, ChannelText::root, true,
                                               [&](const std::string& file) { return update().add_root(file); });
            if (!added && added.error().code() == ErrorCode::missing)
                return ok();
            FARDEL_TRY(added);
        }
    }

    Status add_head() {
        return take_from_any(channel_head_path(channel()), ChannelText::head, true,
                             [&](const std::string& file) { return update().add_head(file); });
    }

    Status add_release() {
        const auto wanted = update().wanted_release();
        if (!wanted)
            return ok();
        return take_from_any(channel_release_path(channel(), wanted->hash), ChannelText::release, false,
                             [&](const std::string& file) { return update().add_release(file); });
    }

    RangeClient& client_;
    const std::vector<std::string>& trees_;
    FollowedChannel& followed_;
    const std::stop_token& stop_;
};

}  // namespace

Result<FollowedChannel> follow_channel(ChannelFiles accepted, const FollowOptions& options) {
    FARDEL_TRY_ASSIGN(ChannelUpdate update, ChannelUpdate::begin(std::move(accepted), options.now_s));
    FARDEL_TRY_ASSIGN(const auto trees, parse_tree_urls(options.trees));
    FARDEL_TRY_ASSIGN(RangeClient client, RangeClient::open(options.connections));
    FollowedChannel followed{.update = std::move(update), .failure = {}, .refused = {}, .received_bytes = 0};
    Status status = Follower(client, trees, followed, options.stop).follow();
    if (!status && status.error().code() == ErrorCode::cancelled)
        return std::move(status).error();
    if (!status)
        followed.failure = std::move(status).error();
    return followed;
}

}  // namespace fardel
