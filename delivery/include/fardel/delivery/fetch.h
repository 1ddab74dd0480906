// Fetch: brings bundles from static trees on HTTP servers into a store while a program's own loop runs.
//
// A thread inside does the work; callbacks run only on the thread that calls poll() or wait(). Any number of fetches
// may run at once, also of the same bundle (the later one ends with `busy`). A server can delay or refuse, and no more:
// every byte is compared with a hash that follows from the bundle id, and a bundle becomes visible in the store after
// the complete verification. What was received stays when a fetch ends early, and the next one goes on from there.
// docs/delivery.md describes the steps. One thread uses a Fetch, except for cancel().
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/format/tag.h>
#include <fardel/format/trust_policy.h>
#include <fardel/http/server_list.h>
#include <fardel/store/bundle_store.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

// Which content of bundles is wanted: one map with everything that it refers to, one language, one texture format.
struct ContentSelection {
    // Globs over logical names; of all bundles.
    std::vector<std::string> names;
    // Logical names whose content is wanted with everything that it refers to, in its bundle and in the static
    // dependencies. Nothing else of the dependencies is fetched then. A name is looked up in the bundles that are
    // fetched, and in their dependencies only if none of these bundles has it.
    std::vector<std::string> closures;
    // Assets, whichever of the bundles have them.
    std::vector<AssetId> assets;
    // Restricts the variants of a name: wanted are those that have, on each axis listed here, either a listed value or
    // no tag; if no variant is like that, the first one. Without names, closures and assets, all names are wanted.
    Tags tags;

    bool is_everything() const noexcept { return names.empty() && closures.empty() && assets.empty() && tags.empty(); }
};

// Who made a bundle: whoever signed, as its author, the statement that the policy trusts. A registry that countersigned
// it is another signer.
struct BundleAuthor {
    PublicKey key;
    std::string label;  // of the policy; empty: it has none for this key

    friend bool operator==(const BundleAuthor&, const BundleAuthor&) = default;
};

// What would be fetched of one bundle. Texts are from its metadata, safe to print, and empty if it has none.
struct PlannedFetch {
    BundleId bundle;
    std::string name;
    std::string version;
    std::string licence;
    std::vector<std::string> signers;    // labels of the policy's keys that counted
    std::optional<BundleAuthor> author;  // nothing: no policy vouches for one
    std::uint64_t file_bytes = 0;
    std::uint64_t tables_bytes = 0;  // received before the plan: heads, tables, signatures, sizes of assets
    // What will be received after the plan was accepted: exact, unless something must be repeated. If the plan is made
    // again because a server has another layout, this includes what has been received until then.
    std::uint64_t fetch_bytes = 0;
    std::uint64_t space_bytes = 0;  // that the store needs for it, some of them only until it is there
    std::uint64_t left_bytes = 0;   // of blocks that are neither here nor wanted: more than 0: it will be incomplete
    std::uint64_t requests = 0;
};

struct FetchPlan {
    std::vector<PlannedFetch> bundles;  // that are not here; each after those that it needs
    std::uint64_t fetch_bytes = 0;
    std::uint64_t requests = 0;
    std::uint64_t source_bytes = 0;  // of the files of all bundles that the store then has from the first server
    // Bundles that are here and have got signatures that the policy wants and a server has.
    std::vector<BundleId> newly_signed;
};

struct FetchProgress {
    std::uint64_t received_bytes = 0;
    std::uint64_t total_bytes = 0;
    std::uint64_t bytes_per_second = 0;         // of the last seconds
    std::optional<std::uint64_t> seconds_left;  // at this rate; nothing as long as the rate is not known
};

struct FetchSummary {
    FetchPlan plan;
    std::uint64_t received_bytes = 0;  // from the servers, including what was of no use
    std::uint64_t requests = 0;
    std::vector<std::string> without_ranges;  // servers that sent whole files where parts of them were requested
};

struct FetchWork {
    ServerList servers;             // static trees with the same bundles; a failure is tried at the next one
    std::vector<BundleId> bundles;  // their static dependencies come along
    // A bundle that it does not trust is refused before its content is fetched. nullptr: any bundle.
    std::shared_ptr<const TrustPolicy> policy;
    TrustTime time;
    // Bundles that it has are not fetched, and what they share with others is copied. nullptr: none.
    std::shared_ptr<const BundleLibrary> library;
    // What is wanted of the bundles; nothing named: everything. A bundle of which something is not here becomes visible
    // in the store as incomplete, and later fetches add to it.
    ContentSelection selection;
    std::uint64_t bytes_per_second_max = 0;  // of all connections together; 0: no limit
    unsigned connections = 6;
    // Whom the bundles are fetched for: what a store notes with each that it did not have, and what its rules per
    // source are about. A game server chooses `servers`, so a client that fetches for one gives its own name for that
    // server here, such as its address. At most 2048 bytes of plain text; empty: the first of `servers`.
    std::string source;
    // How large the files of all bundles of this source may become in the store (RetentionRules); 0: no limit.
    // Otherwise the fetch ends with `no_space` before consent is asked for.
    std::uint64_t source_bytes_max = 0;
};

struct FetchCallbacks {
    // Asks for consent, before any content is fetched. The fetch waits for accept() or refuse(), which may be called at
    // any later time. Called again if it turns out to be more than was accepted. Empty: consent is given.
    std::function<void(const FetchPlan&)> planned;
    std::function<void(const FetchProgress&)> progress;  // the latest state; at most once per poll()
    // What a server did wrong before it was tried again or elsewhere, for a log. Not more than 100 per poll().
    std::function<void(const Error&)> fault = {};
    // Called once, last.
    std::function<void(const Result<FetchSummary>&)> ended;
};

class Fetch {
public:
    // Starts the work. Errors: malformed (no server, a URL that is not one of http or https), missing (libcurl is not
    // installed), those of BundleStore::open, busy (the system gives no thread).
    static Result<Fetch> start(const BundleStore& store, FetchWork work, FetchCallbacks callbacks = {});
    // Cancels the work and waits until it has ended, at most as long as one write to the disk lasts. No callback is
    // called.
    ~Fetch();
    Fetch(Fetch&&) noexcept;
    Fetch& operator=(Fetch&&) noexcept;

    // Calls the callbacks for what has happened since the last call, and returns whether the fetch has ended. Waits for
    // something to happen, but never longer than `wait_max`. A callback may call accept(), refuse() and cancel().
    bool poll(std::chrono::milliseconds wait_max = std::chrono::milliseconds(0));
    // Polls until the fetch has ended, and returns its outcome. If it waits for consent that no callback gives,
    // it waits for ever.
    const Result<FetchSummary>& wait();

    void accept();
    // The fetch ends with the error `denied`, or with another one.
    void refuse(Error reason = Error(ErrorCode::denied, "the plan was refused"));
    // The fetch ends soon, with the error `cancelled`. Any thread.
    void cancel() noexcept;

    // nullptr as long as poll() has not returned true. Errors: missing, denied, busy, unreachable (no server has a
    // bundle or answers), corrupt (all servers send wrong bytes), untrusted, revoked, expired (the policy), limit,
    // no_space, cancelled, io, malformed (a bundle that is wrong in itself), and the one given to refuse().
    const Result<FetchSummary>* outcome() const noexcept;

private:
    struct Impl;
    explicit Fetch(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
