#include <fardel/delivery/follow_channel.h>

#include "text_fetch.h"
#include "transfer/server_faults.h"
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
    std::string url;
    std::string file;
    std::uint64_t root_version = 0;
    std::uint64_t version = 0;  // 0: it is no head
    std::uint64_t release_version = 0;
    Hash release_hash;
};

OfferedHead offered_head(std::string url, std::string file) {
    OfferedHead offered;
    const auto text = parse_signed_text(ChannelText::head, file);
    if (const auto head = text ? parse_channel_head(text->body) : Result<ChannelHead>(text.error()))
        offered = {.url = {},
                   .file = {},
                   .root_version = head->root_version,
                   .version = head->version,
                   .release_version = head->release_version,
                   .release_hash = head->release_hash};
    offered.url = std::move(url);
    offered.file = std::move(file);
    return offered;
}

// Whether a head that was refused as a rollback has the number of the accepted head or release, and other content.
bool contradicts(const OfferedHead& head, const ChannelUpdate& update) {
    const bool is_other_release = update.release() && head.release_version == update.release()->version &&
                                  head.release_hash != blake3(std::as_bytes(std::span(update.files().release)));
    return is_other_release || (update.head() && head.version == update.head()->version);
}

// What an owner publishes is complete when the head is, so a text that is behind the others was kept by somebody.
Error say_what_it_is(Error error, const OfferedHead& head, const ChannelUpdate& update) {
    const std::string cache = "a cache between here and the server";
    if (error.code() == ErrorCode::conflict && head.root_version > update.root().version)
        return Error(error.code(), error.message() + "; " + cache + " may still say that there is no root " +
                                       std::to_string(update.root().version + 1) +
                                       ": that passes, or the server's owner empties it");
    if (error.code() == ErrorCode::rollback && !contradicts(head, update))
        return Error(error.code(), error.message() + ": it is an old one, which " + cache +
                                       " has kept, a mirror that has fallen behind has, or somebody sends again");
    if (error.code() == ErrorCode::expired)
        return Error(error.code(), error.message() + "; or " + cache + " has kept an old one");
    return error;
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

    // Why no tree gave an acceptable text. The code is that of the first error that says more than "missing".
    struct Refusal {
        std::vector<Error> errors;
        bool was_missing = false;  // in one of the trees

        void note(Error other) {
            was_missing = was_missing || other.code() == ErrorCode::missing;
            errors.insert(errors.begin(), std::move(other));
        }
        Error error() const { return join_faults(errors); }
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
                refusal.note(std::move(accepted).error().with_context(tree + "/" + path));
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
                return refusal->error();
        }
    }

    // Accepts the newest one of all trees: one that has fallen behind must not hide what the others have.
    Status add_head() {
        Refusal refusal;
        std::vector<OfferedHead> heads;
        const std::string path = channel_head_path(channel());
        for (const std::string& tree : trees_) {
            FARDEL_TRY_ASSIGN(FetchedText outcome, get(tree, path, channel_file_bytes_max(ChannelText::head), true));
            if (outcome.failure)
                refusal.note(*std::move(outcome.failure));
            else
                heads.push_back(offered_head(tree + "/" + path, std::move(outcome.text)));
        }
        std::ranges::stable_sort(heads, std::ranges::greater(), &OfferedHead::version);
        for (const OfferedHead& head : heads) {
            Status accepted = update().add_head(head.file);
            if (accepted)
                return ok();
            if (accepted.error().code() == ErrorCode::rollback && contradicts(head, update()))
                // Two heads of one version that are both signed: evidence that a key is misused.
                followed_.refused = head.file;
            refusal.note(say_what_it_is(std::move(accepted).error(), head, update()).with_context(head.url));
        }
        return refusal.error();
    }

    Status add_release() {
        const auto wanted = update().wanted_release();
        if (!wanted)
            return ok();
        FARDEL_TRY_ASSIGN(auto refusal,
                          fetch_from_any(channel_release_path(channel(), wanted->hash), ChannelText::release, false,
                                         [&](const std::string& file) { return update().add_release(file); }));
        return refusal ? Status(refusal->error()) : ok();
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
