// Install: brings bundles into a store by their names, with everything that they require, while a program's own loop
// runs: what `fardel install`, `update` and `remove` do. docs/installing.md is the manual.
//
// A lock file says what is installed. It is replaced in one step, last: until then, and whatever fails, what was
// installed stays as it was. A thread inside does the work; callbacks run only on the thread that calls poll() or
// wait(). Servers are untrusted: the channel's release says what can be chosen, and bundles state what they need. One
// thread uses an Install, except for cancel().
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/channel_follow.h>
#include <fardel/delivery/fetch.h>
#include <fardel/format/ids.h>
#include <fardel/format/statement.h>
#include <fardel/format/trust_policy.h>
#include <fardel/http/server_list.h>
#include <fardel/store/bundle_store.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Texts are what the bundle states.
struct InstalledBundle {
    BundleId bundle;
    std::string name;                 // empty: it is only a static dependency, and has none
    std::string version;              // empty: as above
    std::string root;                 // "mods/castle >= 1.0": it was installed by this text; empty: others need it
    std::vector<BundleId> resolved;   // what its requirements mean: MountOptions::resolved
    std::optional<PublicKey> author;  // whom the policy knows as its author; nothing: nobody

    friend bool operator==(const InstalledBundle&, const InstalledBundle&) = default;
};

// A bundle that was installed by name and is not in a set, because a policy refuses it, or something that only it
// needs.
struct LeftOutBundle {
    BundleId bundle;
    std::string name;
    std::string version;
    Error reason;  // which bundle is refused, why, and how a player gets on; safe to show

    std::string text() const;  // "mods/castle 1.0 is left out: …"
};

// What is to be mounted: the bundles in their order, each with MountOptions{.policy, .resolved, .require_dependencies}.
struct InstalledSet {
    std::string channel;
    std::uint64_t release = 0;
    std::vector<InstalledBundle> bundles;
    // What the user's policy and the channel's rules both accept, with all recalls. nullptr only in an empty set.
    std::shared_ptr<const TrustPolicy> policy;
    std::vector<LeftOutBundle> left_out;  // show it: the player believes to have these
};

enum class InstallChange : std::uint8_t {
    install,  // adds names; what is installed stays as it is where that is possible
    update,   // brings what is installed to the newest versions that go together
};

// A name belongs to its author. Whoever else brings a bundle of this name, is not believed because a server offers it.
struct AuthorChange {
    std::string name;
    BundleAuthor before;                // of what is installed by this name
    std::optional<BundleAuthor> after;  // nothing: the policy knows no author of the new bundle

    friend bool operator==(const AuthorChange&, const AuthorChange&) = default;
};

// "maps/castle was by alice (<64 digits>), and is now by the key <64 digits>"; safe to show.
std::string describe_change(const AuthorChange& change);

struct AcceptedAuthor {
    std::string name;
    PublicKey key;

    // "maps/castle=<64 digits>". Error: malformed.
    static Result<AcceptedAuthor> parse(std::string_view text);
    friend bool operator==(const AcceptedAuthor&, const AcceptedAuthor&) = default;
};

struct InstallWork {
    std::string lock;  // path of the lock file; it need not exist for InstallChange::install
    InstallChange change = InstallChange::install;
    // To install: names with bounds, "mods/castle >= 1.0, < 2"; each replaces an earlier requirement of the same name.
    // To update: the names of the bundles that may change; if there are none, all may.
    std::vector<std::string> names;
    ChannelSubject channel;  // without a name: that of the lock file
    // Static trees. None: the sources of the lock file, as ServerList::of_strangers() with the allowed hosts of this
    // rule.
    ServerList servers;
    std::vector<std::string> mirrors;  // are asked after them, by the same rule
    // Other authors than before whose bundles may be installed by these names: a person has seen both keys.
    std::vector<AcceptedAuthor> accepted_authors;
    TrustTime time;                          // ignored() is not possible: malformed
    std::uint64_t bytes_per_second_max = 0;  // of all connections together; 0: no limit
    unsigned connections = 6;
};

struct InstallPlan {
    std::uint64_t release = 0;
    std::vector<InstalledBundle> bundles;  // that are installed then, in the order of mounting
    std::vector<InstalledBundle> added;
    std::vector<InstalledBundle> removed;
    std::vector<AuthorChange> author_changes;
    FetchPlan fetch;  // of what is not in the store
};

struct InstallSummary {
    InstallPlan plan;
    InstalledSet installed;
    std::uint64_t received_bytes = 0;
    std::vector<std::string> without_ranges;  // FetchSummary::without_ranges
};

struct InstallCallbacks {
    // Asks for consent, before any content is fetched and even if nothing changes. The work waits for accept() or
    // refuse(), which may be called at any later time. Called again if more is to be fetched than was accepted. Empty:
    // consent is given.
    std::function<void(const InstallPlan&)> planned;
    std::function<void(const FetchProgress&)> progress;  // the latest state; at most once per poll()
    // Called once, last.
    std::function<void(const Result<InstallSummary>&)> ended;
};

class Install {
public:
    // Starts the work. Errors: malformed (no lock file, a server's URL, dates that are ignored), missing (libcurl is
    // not installed), those of BundleStore::open, busy (the system gives no thread).
    static Result<Install> start(const BundleStore& store, InstallWork work, InstallCallbacks callbacks = {});
    // Cancels the work and waits until it has ended. No callback is called.
    ~Install();
    Install(Install&&) noexcept;
    Install& operator=(Install&&) noexcept;

    // As Fetch::poll, wait, accept, refuse and cancel.
    bool poll(std::chrono::milliseconds wait_max = std::chrono::milliseconds(0));
    const Result<InstallSummary>& wait();
    void accept();
    void refuse(Error reason = Error(ErrorCode::denied, "the plan was refused"));
    void cancel() noexcept;

    // nullptr as long as poll() has not returned true. Errors: unresolved (conflicts() has the reasons), conflict (a
    // name has another author, if author_changes() is not empty; a server's text about needs is not what the bundles
    // state; another channel), missing (no such name, or no lock
    // file), busy (another program has changed the lock file meanwhile), malformed (a name), those of
    // ChannelOutcome::failure, ChannelFollow and Fetch.
    const Result<InstallSummary>* outcome() const noexcept;
    // All reasons why the names cannot be installed together, a sentence each with the chain that led to it.
    const std::vector<std::string>& conflicts() const noexcept;
    // The names that other authors have now and that InstallWork::accepted_authors does not allow: nothing was fetched.
    // Show them, and start again with those that the player accepts.
    const std::vector<AuthorChange>& author_changes() const noexcept;

private:
    struct Impl;
    explicit Install(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// How an installed set is used.
struct InstalledUse {
    TrustTime time;
    // What was installed by name and is recalled, expired, not licensed or not trusted, or requires such a bundle that
    // nothing else needs, does not stop the rest: it is in InstalledSet::left_out. Never left out: what several of the
    // installed names need, what the first one requires if it may be the game (docs/installing.md), and the last one
    // that is left. Without it, the first refused bundle is an error.
    bool leave_out = false;
    std::vector<std::string> needed;  // installed names that are never left out, such as that of the game
    std::vector<Envelope> licenses;   // with leave_out: the tokens that the mounts will have
};

// What the lock file names, compared with the bundles in the store and judged by what was accepted of the channel; asks
// no server. `channel`: as in InstallWork. Errors: missing (the file, a bundle; a needed name is not installed),
// conflict (a bundle states something else; another channel of this name is followed), unresolved (a bundle does not
// meet what it is to meet), revoked, untrusted, expired (the policy), those of accepted_channel, malformed,
// unsupported, limit, denied, io.
Result<InstalledSet> read_installed(const BundleStore& store, const std::string& lock, const ChannelSubject& channel,
                                    const InstalledUse& use = {});

// Takes bundles that were installed by name out of the lock file, with everything that only they need; returns these.
// Asks no server; the store keeps their bytes until it is collected. Errors: missing (the file; a name that was not
// installed: nothing is removed), malformed, unsupported, limit, denied, no_space, io.
Result<std::vector<InstalledBundle>> remove_installed(const BundleStore& store, const std::string& lock,
                                                      const std::vector<std::string>& names);

}  // namespace fardel
