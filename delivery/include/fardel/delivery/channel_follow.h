// ChannelFollow: asks servers which bundles of a channel are current and which are recalled, while a program's own loop
// runs. docs/channels.md describes channels and the rules of their clients.
//
// A thread inside does the work. What was accepted is kept in the store and in a second folder, and never becomes older
// again; servers can delay or refuse, and no more. An expired head ends updates and not play: the state that was
// accepted stays of use, and ChannelState::fresh_until says since when it is stale. One thread uses a ChannelFollow,
// except for cancel().
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/format/trust_policy.h>
#include <fardel/http/server_list.h>
#include <fardel/store/bundle_store.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

// A channel, as somebody follows it.
struct ChannelSubject {
    std::string name;  // of the channel, "mygame/stable"
    // The text of a root that the program has from elsewhere: built in, or checked by hand. Empty: the channel has been
    // followed before.
    std::string root;
    // A folder outside the store, for the second copy of what was accepted: $XDG_STATE_HOME/fardel, or
    // ~/.local/state/fardel.
    std::string state_folder;
    // The follower's own demands, besides those of the channel; both count. nullptr: none.
    std::shared_ptr<const TrustPolicy> policy;
};

struct ChannelBundle {
    BundleId bundle;
    std::string name;
    std::string version;
    std::uint64_t file_bytes = 0;
    std::optional<std::string> recall;  // why it is recalled; nothing: it is not

    friend bool operator==(const ChannelBundle&, const ChannelBundle&) = default;
};

// What was accepted of a channel.
struct ChannelState {
    std::string name;
    Hash id;  // the same in all roots; tells two channels of one name apart
    std::uint64_t root_version = 1;
    std::uint64_t release_version = 0;    // 0: none yet, and the lists are empty
    Hash release_hash;                    // BLAKE3-256 of the release's file; zeros: none yet
    std::uint64_t head_version = 0;       // 0: none counts: fetch_bundles must wait for an update
    std::optional<UnixTime> fresh_until;  // the head's date, from which on the channel is stale; if a head counts
    std::vector<ChannelBundle> bundles;   // of the release, by name
    std::vector<Revocation<BundleId>> recalled_bundles;
    std::vector<Revocation<PublicKey>> recalled_keys;
    // The channel's own rules, with the recalls; nullptr: it has none.
    std::shared_ptr<const TrustPolicy> channel_policy;
    // Accepts what the follower's policy and the channel's rules both accept and nobody has recalled: for FetchWork,
    // MountOptions and Vfs::judge_again(). Never nullptr.
    std::shared_ptr<const TrustPolicy> policy;

    bool is_stale(UnixTime now) const noexcept { return !fresh_until || *fresh_until <= now; }
};

struct ChannelWork {
    ChannelSubject subject;
    ServerList servers;  // static trees with the channel; the newest head of all counts
    TrustTime time;      // ignored() is not possible: malformed
};

struct ChannelOutcome {
    ChannelState state;
    // Why nothing newer was accepted, or not all of it: unreachable, missing, untrusted, rollback, expired, conflict,
    // limit, malformed. The state is the one that was accepted before, or newer.
    std::optional<Error> failure;
    // What is different from before. All bundles of the first release are added.
    std::vector<ChannelBundle> added;
    std::vector<ChannelBundle> removed;  // and those that are recalled now
    // Something is recalled that was not in the store's state. Another program may have followed the channel since
    // content was mounted, so what is mounted is judged again after every update: Vfs::judge_again(*state.policy).
    bool has_new_recalls = false;
    std::uint64_t received_bytes = 0;
};

// What was accepted before; asks no server. Errors: missing (the channel was never followed, and the subject has no
// root), conflict (several channels of this name were followed; the root tells which), untrusted (the root is for
// another name), malformed, corrupt, denied, io.
Result<ChannelState> accepted_channel(const BundleStore& store, const ChannelSubject& subject);

class ChannelFollow {
public:
    // Starts one update. Errors: malformed (no server, a URL that is not one of http or https), missing (libcurl is not
    // installed), those of BundleStore::open, busy (the system gives no thread).
    static Result<ChannelFollow> start(const BundleStore& store, ChannelWork work);
    // Cancels the work and waits until it has ended.
    ~ChannelFollow();
    ChannelFollow(ChannelFollow&&) noexcept;
    ChannelFollow& operator=(ChannelFollow&&) noexcept;

    // Returns whether the update has ended; waits for that, but never longer than `wait_max`.
    bool poll(std::chrono::milliseconds wait_max = std::chrono::milliseconds(0));
    const Result<ChannelOutcome>& wait();
    // nullptr as long as poll() has not returned true. Errors: those of accepted_channel; busy (another program follows
    // the channel at this moment), cancelled, no_space. What servers do wrong is ChannelOutcome::failure.
    const Result<ChannelOutcome>* outcome() const noexcept;
    // The update ends soon, with the error `cancelled`. Any thread.
    void cancel() noexcept;

private:
    struct Impl;
    explicit ChannelFollow(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
