#include <fardel/delivery/install_bundles.h>

#include "channel/release_needs.h"
#include "install/author_pins.h"
#include "install/lock_pins.h"
#include "install/stored_bundles.h"
#include "install/wanted_set.h"
#include "transfer/tree_urls.h"

#include <fardel/delivery/author_changes.h>
#include <fardel/delivery/fetch_bundles.h>
#include <fardel/delivery/remote_bundle.h>
#include <fardel/delivery/update_channel.h>
#include <fardel/format/bundle.h>
#include <fardel/format/dependencies.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <utility>

namespace fardel {
namespace {

struct Installing {
    const BundleStore& store;
    const InstallWork& work;
    const InstallSteps& steps;
    WantedSet wanted;
    ServerList servers;
    ChannelState state;
};

Result<WantedSet> plan_wanted(const InstallWork& work) {
    if (work.change == InstallChange::update) {
        FARDEL_TRY_ASSIGN(LockFile before, read_lock_file(work.lock));
        auto wanted = plan_update(std::move(before), work.names);
        if (!wanted)
            return std::move(wanted).error().with_context(printable(work.lock));
        return wanted;
    }
    FARDEL_TRY_ASSIGN(auto before, find_lock_file(work.lock));
    if (!before && work.channel.name.empty())
        return Error(ErrorCode::missing, "there is no lock file yet, so the channel must be named");
    return plan_roots(std::move(before), work.names);
}

// Each once, as lock files have them.
Result<ServerList> servers_of(const InstallWork& work, const WantedSet& wanted) {
    ServerList servers = work.servers;
    if (servers.empty() && wanted.before)
        servers = ServerList::of_strangers(wanted.before->sources, work.servers.rule().allowed_hosts);
    for (const std::string& mirror : work.mirrors)
        servers.add(mirror);
    FARDEL_TRY_ASSIGN(std::vector<std::string> urls, parse_tree_urls(servers.urls()));
    std::vector<std::string> once;
    for (std::string& url : urls)
        if (std::ranges::find(once, url) == once.end())
            once.push_back(std::move(url));
    return ServerList(std::move(once), servers.rule());
}

std::vector<ForeignUrl> sources_of(const ServerList& servers) {
    std::vector<ForeignUrl> sources;
    for (const std::string& url : servers.urls())
        sources.emplace_back(url);
    return sources;
}

Result<ChannelState> follow(const Installing& installing) {
    const InstallWork& work = installing.work;
    const auto& before = installing.wanted.before;
    ChannelSubject subject = work.channel;
    if (subject.name.empty())
        subject.name = before->channel;
    FARDEL_TRY_ASSIGN(ChannelOutcome followed,
                      update_channel(installing.store,
                                     {.subject = std::move(subject), .servers = installing.servers, .time = work.time},
                                     installing.steps.stop));
    if (before)
        FARDEL_TRY(verify_channel(*before, work.lock, followed.state));
    if (installing.steps.followed)
        installing.steps.followed(followed);
    if (followed.failure)
        return std::move(*followed.failure);
    return std::move(followed.state);
}

// Bundles of which only the tables are read, from the store or by range.
class TablesReader {
public:
    static Result<TablesReader> open(const Installing& installing) {
        FARDEL_TRY_ASSIGN(RemoteServers servers, RemoteServers::open({.servers = installing.servers}));
        return TablesReader(installing, std::move(servers));
    }

    Result<std::shared_ptr<const Bundle>> read(const BundleId& id) {
        const std::stop_callback on_stop(installing_.steps.stop, [this] { servers_.close(); });
        const TrustPolicy* const policy = installing_.state.policy.get();
        const TrustTime& time = installing_.work.time;
        FARDEL_TRY_ASSIGN(const auto mounts, open_remote_bundles(installing_.store, servers_, id, policy, time));
        const auto found = std::ranges::find(mounts, id, &RemoteMount::bundle);
        return Bundle::open(found->source, {.policy = policy, .time = time, .cache = {}, .label = id.hex()});
    }

private:
    TablesReader(const Installing& installing, RemoteServers servers)
        : installing_(installing), servers_(std::move(servers)) {}

    const Installing& installing_;
    RemoteServers servers_;
};

// The hint of the servers; nothing if none of them has it.
Result<NeedsOfBundles> find_needs(const Installing& installing) {
    const ChannelState& state = installing.state;
    auto needs = fetch_release_needs(installing.servers, state.name, state.release_hash, installing.steps.stop);
    if (!needs && needs.error().code() == ErrorCode::missing)
        return NeedsOfBundles();
    return needs;
}

// Resolves, and reads what bundles need from themselves where no text says it, until nothing more is to be read.
Result<ResolveOutcome> resolve_reading(const Installing& installing, ResolveSnapshot& snapshot) {
    std::optional<TablesReader> reader;
    std::set<BundleId> tried;
    for (;;) {
        FARDEL_TRY_ASSIGN(ResolveOutcome outcome,
                          resolve(installing.wanted.roots, snapshot, installing.wanted.preferred));
        std::erase_if(outcome.unknown, [&](const BundleId& id) { return !tried.insert(id).second; });
        if (outcome.unknown.empty())
            return outcome;
        if (tried.size() > kResolvedBundlesMax)
            return Error(ErrorCode::limit, "no server says what the bundles of the release need, and more than " +
                                               std::to_string(kResolvedBundlesMax) + " of them would be read");
        if (!reader) {
            FARDEL_TRY_ASSIGN(TablesReader opened, TablesReader::open(installing));
            reader.emplace(std::move(opened));
        }
        for (const BundleId& id : outcome.unknown) {
            const auto bundle = reader->read(id);
            if (!bundle &&
                (bundle.error().code() == ErrorCode::missing || bundle.error().code() == ErrorCode::unresolved))
                continue;  // a conflict, which is reported with all others
            FARDEL_TRY(bundle);
            BundleNeeds& needs = snapshot.needs[id];
            FARDEL_TRY_ASSIGN(needs.needs, static_dependencies(**bundle));
            FARDEL_TRY_ASSIGN(needs.requirements, requirements_of(**bundle));
        }
    }
}

Result<ResolveOutcome> resolve_wanted(const Installing& installing) {
    const ChannelState& state = installing.state;
    ResolveSnapshot snapshot;
    for (const ChannelBundle& one : state.bundles) {
        FARDEL_TRY_ASSIGN(BundleVersion version, BundleVersion::parse(one.version));
        snapshot.bundles.push_back({.bundle = one.bundle, .name = one.name, .version = std::move(version)});
    }
    for (const auto& recall : state.recalled_bundles)
        snapshot.recalled.emplace(recall.id, recall.reason);
    FARDEL_TRY_ASSIGN(snapshot.needs, find_needs(installing));
    FARDEL_TRY_ASSIGN(ResolveOutcome outcome, resolve_reading(installing, snapshot));
    if (outcome.conflicts.empty())
        return outcome;
    if (installing.steps.conflicts)
        installing.steps.conflicts(outcome.conflicts);
    return Error(ErrorCode::unresolved, std::to_string(outcome.conflicts.size()) +
                                            (outcome.conflicts.size() == 1 ? " conflict" : " conflicts") +
                                            " in release " + std::to_string(state.release_version) + " of channel " +
                                            state.name + ", the first: " + outcome.conflicts.front());
}

// Reads, of bundles that were considered and not chosen, what they need.
Status verify_consulted(const Installing& installing, const NeedsOfBundles& consulted) {
    if (consulted.empty())
        return ok();
    FARDEL_TRY_ASSIGN(TablesReader reader, TablesReader::open(installing));
    for (const auto& [id, needs] : consulted) {
        FARDEL_TRY_ASSIGN(const auto bundle, reader.read(id));
        FARDEL_TRY(verify_needs(id, needs, *bundle));
    }
    return ok();
}

InstallPlan plan_of(const Installing& installing, const Resolution& resolution) {
    const Resolution nothing;
    const Resolution& before = installing.wanted.before ? installing.wanted.before->resolution : nothing;
    return {.release = installing.state.release_version,
            .bundles = installed_bundles(resolution),
            .added = only_in(resolution, before),
            .removed = only_in(before, resolution),
            .author_changes = {},
            .fetch = {}};
}

// Asks about what the work does not accept, and what was not accepted when the plan was another one.
Status ask_about_authors(const Installing& installing, const std::vector<AuthorChange>& changes,
                         std::vector<AuthorChange>& accepted) {
    std::vector<AuthorChange> open;
    for (const AuthorChange& one : changes)
        if (!is_accepted(one, installing.work.accepted_authors) && std::ranges::count(accepted, one) == 0)
            open.push_back(one);
    if (open.empty())
        return ok();
    FARDEL_TRY(installing.steps.author_consent ? installing.steps.author_consent(open)
                                               : refuse_author_changes(open, "accept them by name and key"));
    accepted = changes;
    return ok();
}

// Asks for consent, and fetches what the plan names. The resolution gets the authors that were consented to.
Status fetch(const Installing& installing, Resolution& resolution, InstallSummary& summary) {
    const AuthorPins pins(installing.store, installing.state, installing.wanted.before);
    std::vector<AuthorChange> accepted;
    const auto ask = [&](const FetchPlan& fetch) -> Status {
        FARDEL_TRY_ASSIGN(const auto changes, pins.read_authors(fetch, installing.work.time, resolution));
        summary.plan = plan_of(installing, resolution);
        summary.plan.author_changes = changes;
        summary.plan.fetch = fetch;
        // Before the plan: consent to bytes says nothing about whose they are.
        FARDEL_TRY(ask_about_authors(installing, changes, accepted));
        return installing.steps.consent ? installing.steps.consent(summary.plan) : ok();
    };
    std::vector<BundleId> ids;
    for (const InstalledBundle& one : summary.plan.bundles)
        ids.push_back(one.bundle);
    if (ids.empty())
        return ask({});
    FetchWork work;
    work.servers = installing.servers;
    work.bundles = std::move(ids);
    work.policy = installing.state.policy;
    work.time = installing.work.time;
    work.connections = installing.work.connections;
    work.bytes_per_second_max = installing.work.bytes_per_second_max;
    FARDEL_TRY_ASSIGN(FetchSummary fetched,
                      fetch_bundles(installing.store, {.work = std::move(work),
                                                       .consent = ask,
                                                       .progress = installing.steps.progress,
                                                       .stop = installing.steps.stop,
                                                       .damaged_copy = nullptr,
                                                       .times = {},
                                                       .received_bytes_max = installing.steps.received_bytes_max}));
    summary.plan.fetch = std::move(fetched.plan);
    summary.received_bytes = fetched.received_bytes;
    summary.without_ranges = std::move(fetched.without_ranges);
    return ok();
}

// What was installed when the work began is what is installed now: a player may take minutes to consent.
Status verify_unchanged(const Installing& installing) {
    FARDEL_TRY_ASSIGN(const auto now, find_lock_file(installing.work.lock));
    if (now == installing.wanted.before)
        return ok();
    return Error(ErrorCode::busy,
                 printable(installing.work.lock) +
                     ": it was changed meanwhile by another program; nothing was installed, try again");
}

// Fetches what the lock names, compares it with the lock, and writes the lock.
Result<InstallSummary> fetch_and_lock(const Installing& installing, const NeedsOfBundles& consulted, LockFile& lock) {
    // The text about the release is a hint. A lie about a bundle that was considered and not chosen could make an older
    // one the stable choice, so what was considered is compared, too.
    FARDEL_TRY(verify_consulted(installing, consulted));
    InstallSummary summary{.plan = plan_of(installing, lock.resolution), .installed = {}};
    // The plan is shown also if nothing is to be fetched: a plan that was asked for is one that may be refused.
    FARDEL_TRY(fetch(installing, lock.resolution, summary));
    // With the authors: what came must be by those whom the plan has shown.
    FARDEL_TRY(verify_resolution(lock.resolution,
                                 open_stored(installing.store, installing.state.policy.get(), installing.work.time)));
    sort_for_mounting(lock.resolution);  // by the names and versions that the bundles themselves state
    FARDEL_TRY(verify_unchanged(installing));
    FARDEL_TRY(write_lock_file(installing.work.lock, lock));
    InstallPlan shown = std::move(summary.plan);
    summary.plan = plan_of(installing, lock.resolution);
    summary.plan.author_changes = std::move(shown.author_changes);
    summary.plan.fetch = std::move(shown.fetch);
    summary.installed = {.channel = lock.channel,
                         .release = lock.release,
                         .bundles = summary.plan.bundles,
                         .policy = installing.state.policy};
    return summary;
}

}  // namespace

Result<InstallSummary> install_bundles(const BundleStore& store, const InstallWork& work, const InstallSteps& steps) {
    FARDEL_TRY_ASSIGN(WantedSet wanted, plan_wanted(work));
    FARDEL_TRY_ASSIGN(ServerList servers, servers_of(work, wanted));
    Installing installing{.store = store,
                          .work = work,
                          .steps = steps,
                          .wanted = std::move(wanted),
                          .servers = std::move(servers),
                          .state = {}};
    FARDEL_TRY_ASSIGN(installing.state, follow(installing));
    FARDEL_TRY_ASSIGN(ResolveOutcome outcome, resolve_wanted(installing));
    LockFile lock{.channel = installing.state.name,
                  .channel_id = installing.state.id,
                  .release = installing.state.release_version,
                  .sources = sources_of(installing.servers),
                  .resolution = std::move(outcome.resolution)};
    // From before the fetch, so that no collection takes away what is here already.
    FARDEL_TRY(pin_bundles(store, work.lock, lock));
    auto installed = fetch_and_lock(installing, outcome.consulted, lock);
    // Pins that are too many do no harm, and the next change of the lock file removes them.
    static_cast<void>(sync_pins(store, work.lock));
    return installed;
}

}  // namespace fardel
