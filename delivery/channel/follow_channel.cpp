#include <fardel/delivery/follow_channel.h>

#include "text_fetch.h"
#include "transfer/tree_urls.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/hash.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>

namespace fardel {
namespace {

// What a tree gives as the head; nothing is verified.
struct OfferedHead {
    std::string file;
    std::uint64_t version = 0;  // 0: it is no head
    std::uint64_t release_version = 0;
    Hash release_hash;
};

OfferedHead offered_head(std::string file) {
    OfferedHead offered;
    const auto text = parse_signed_text(ChannelText::head, file);
    if (const auto head = text ? parse_channel_head(text->body) : Result<ChannelHead>(text.error()))
        offered = {.file = {},
                   .version = head->version,
                   .release_version = head->release_version,
                   .release_hash = head->release_hash};
    offered.file = std::move(file);
    return offered;
}

// Whether a head that was refused as a rollback has the number of the accepted head or release, and other content.
bool contradicts(const OfferedHead& head, const ChannelUpdate& update) {
    const bool is_other_release = update.release() && head.release_version == update.release()->version &&
                                  head.release_hash != blake3(std::as_bytes(std::span(update.files().release)));
    return is_other_release || (update.head() && head.version == update.head()->version);
}

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

    // A server that does not answer is waited for once. Error: cancelled.
    Result<FetchedText> get(const std::string& tree, const std::string& path, std::size_t bytes_max,
                            bool bypasses_caches) {
        if (const auto known = unreachable_.find(tree); known != unreachable_.end())
            return FetchedText{.text = {}, .failure = known->second};
        FARDEL_TRY_ASSIGN(FetchedText fetched,
                          fetch_text(client_, tree + "/" + path, bytes_max, stop_, bypasses_caches));
        if (fetched.failure && fetched.failure->code() == ErrorCode::unreachable)
            unreachable_.emplace(tree, *fetched.failure);
        followed_.received_bytes += fetched.text.size();
        return fetched;
    }

    // Why no tree gave an acceptable text: the first error that says more than "missing".
    struct Refusal {
        std::optional<Error> error;
        bool was_missing = false;  // in one of the trees

        void note(Error other) {
            was_missing = was_missing || other.code() == ErrorCode::missing;
            if (!error || error->code() == ErrorCode::missing)
                error = std::move(other);
        }
    };

    // Asks one tree after the other until `accept` accepts a text; one that is refused may be what a cache has kept, so
    // the same tree is asked past its caches. Returns nothing if a text was accepted.
    Result<std::optional<Refusal>> fetch_from_any(const std::string& path, ChannelText kind, bool bypasses_caches,
                                                  const std::function<Status(const std::string&)>& accept) {
        Refusal refusal;
        for (const std::string& tree : trees_)
            for (bool is_last = bypasses_caches;; is_last = true) {
                FARDEL_TRY_ASSIGN(const FetchedText outcome, get(tree, path, channel_file_bytes_max(kind), is_last));
                if (outcome.failure) {
                    refusal.note(*outcome.failure);
                    break;
                }
                Status accepted = accept(outcome.text);
                if (accepted)
                    return std::optional<Refusal>();
                refusal.note(std::move(accepted).error());
                if (is_last)
                    break;
            }
        return std::optional(std::move(refusal));
    }

    // Until a tree has no further one. The others may be down or wrong; which root is needed is found out by the head.
    Status add_roots() {
        for (;;) {
            const std::string path = channel_root_path(channel(), update().root().version + 1);
            FARDEL_TRY_ASSIGN(auto refusal, fetch_from_any(path, ChannelText::root, true, [&](const std::string& file) {
                                  return update().add_root(file);
                              }));
            if (refusal && refusal->was_missing)
                return ok();
            if (refusal)
                return std::move(*refusal->error);
        }
    }

    // Accepts the newest one of all trees: one that has fallen behind must not hide what the others have.
    Status add_head() {
        Refusal refusal;
        std::vector<OfferedHead> heads;
        for (const std::string& tree : trees_) {
            FARDEL_TRY_ASSIGN(FetchedText outcome,
                              get(tree, channel_head_path(channel()), channel_file_bytes_max(ChannelText::head), true));
            if (outcome.failure)
                refusal.note(*std::move(outcome.failure));
            else
                heads.push_back(offered_head(std::move(outcome.text)));
        }
        std::ranges::stable_sort(heads, std::ranges::greater(), &OfferedHead::version);
        for (const OfferedHead& head : heads) {
            Status accepted = update().add_head(head.file);
            if (accepted)
                return ok();
            if (accepted.error().code() == ErrorCode::rollback && contradicts(head, update()))
                // Two heads of one version that are both signed: evidence that a key is misused.
                followed_.refused = head.file;
            refusal.note(std::move(accepted).error());
        }
        return std::move(*refusal.error);
    }

    Status add_release() {
        const auto wanted = update().wanted_release();
        if (!wanted)
            return ok();
        FARDEL_TRY_ASSIGN(auto refusal,
                          fetch_from_any(channel_release_path(channel(), wanted->hash), ChannelText::release, false,
                                         [&](const std::string& file) { return update().add_release(file); }));
        return refusal ? Status(std::move(*refusal->error)) : ok();
    }

    RangeClient& client_;
    const std::vector<std::string>& trees_;
    FollowedChannel& followed_;
    const std::stop_token& stop_;
    std::map<std::string, Error> unreachable_;  // by tree
};

}  // namespace

Result<FollowedChannel> follow_channel(ChannelFiles accepted, const FollowOptions& options) {
    FARDEL_TRY_ASSIGN(ChannelUpdate update, ChannelUpdate::begin(std::move(accepted), options.now));
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
