#include "install/installation.h"

#include "bundles/fetch_report.h"
#include "bundles/mounts.h"
#include "bundles/store_option.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "install/lock_option.h"

#include <fardel/base/interrupt.h>
#include <fardel/delivery/fetch_bundles.h>
#include <fardel/delivery/release_needs.h>
#include <fardel/delivery/remote_bundle.h>
#include <fardel/delivery/update_channel.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

// Ends a fetch of which only the plan was wanted.
constexpr std::string_view kOnlyPlanned = "only the plan was asked for";

// What an installation works with.
struct Work {
    const InstallOptions& options;
    const Installation& wanted;
    BundleStore store;
    std::vector<std::string> servers;
    ChannelOutcome followed;
    std::stop_token stop;

    const ChannelState& state() const { return followed.state; }
};

std::vector<std::string> servers_of(const InstallOptions& options, const Installation& wanted) {
    std::vector<std::string> servers;
    if (!options.from.empty())
        servers.push_back(options.from);
    else if (wanted.before)
        servers = wanted.before->sources;
    servers.insert(servers.end(), options.mirrors.begin(), options.mirrors.end());
    return servers;
}

Result<Work> follow(const InstallOptions& options, const Installation& wanted, std::stop_token stop) {
    ChannelChoice channel = options.channel;
    if (channel.name.empty() && wanted.before)
        channel.name = wanted.before->channel;
    std::vector<std::string> servers = servers_of(options, wanted);
    FARDEL_TRY_ASSIGN(BundleStore store, open_store(options.store, true));
    FARDEL_TRY_ASSIGN(auto own, find_policy(options.policy));
    FARDEL_TRY_ASSIGN(ChannelSubject subject, subject_of(channel, std::move(own)));
    FARDEL_TRY_ASSIGN(
        ChannelOutcome followed,
        update_channel(store,
                       {.subject = std::move(subject), .servers = servers, .time = {}, .rule = options.servers.rule()},
                       stop));
    if (wanted.before &&
        (wanted.before->channel != followed.state.name || wanted.before->channel_id != followed.state.id))
        return Error(ErrorCode::conflict,
                     fmt::format("{} is for another channel than {}; one lock file has one channel",
                                 printable(options.lock), printable(followed.state.name)));
    return Work{.options = options,
                .wanted = wanted,
                .store = std::move(store),
                .servers = std::move(servers),
                .followed = std::move(followed),
                .stop = std::move(stop)};
}

void say_recalled(const Work& work, Console& console) {
    if (!work.wanted.before)
        return;
    for (const ResolvedBundle& one : work.wanted.before->resolution.bundles)
        if (const auto reason = find_recall(work.state(), one.bundle))
            console.say(fmt::format("fardel: {} {} is installed and has been recalled: {}", printable(one.name),
                                    one.version.text(), printable(*reason)));
}

Result<ResolveOutcome> resolve_wanted(const Work& work) {
    const ChannelState& state = work.state();
    ResolveSnapshot snapshot;
    for (const ChannelBundle& one : state.bundles) {
        FARDEL_TRY_ASSIGN(BundleVersion version, BundleVersion::parse(one.version));
        snapshot.bundles.push_back({.bundle = one.bundle, .name = one.name, .version = std::move(version)});
    }
    for (const auto& recall : state.recalled_bundles)
        snapshot.recalled.emplace(recall.id, recall.reason);
    FARDEL_TRY_ASSIGN(snapshot.needs, fetch_release_needs(work.servers, state.name, state.release_hash,
                                                          work.options.servers.rule(), work.stop));
    return resolve(work.wanted.roots, snapshot, work.wanted.preferred);
}

Result<Exit> report_conflicts(const Work& work, const std::vector<std::string>& conflicts, Console& console) {
    if (work.options.json)
        FARDEL_TRY(console.write(format_json(Json{{"conflicts", conflicts}}) + "\n"));
    for (const std::string& conflict : conflicts)
        console.say("fardel: " + conflict);
    console.say(fmt::format("fardel: {} in release {} of channel {}; what is installed stays as it is",
                            format_count(conflicts.size(), "conflict", "conflicts"), work.state().release_version,
                            printable(work.state().name)));
    return Exit::refusal;
}

// ---- Fetching -------------------------------------------------------------------------------------------------------

struct Fetched {
    FetchPlan plan;
    std::optional<FetchSummary> summary;  // nothing: only the plan was wanted
};

Result<Fetched> fetch(const Work& work, const LockFile& lock, Console& console) {
    std::vector<BundleId> ids;
    for (const ResolvedBundle& one : lock.resolution.bundles)
        ids.push_back(one.bundle);
    if (ids.empty())
        return Fetched();
    FetchBar bar(console);
    std::optional<FetchPlan> shown;
    FetchOptions options;
    options.trees = work.servers;
    options.policy = work.state().policy.get();
    options.stop = work.stop;
    options.connections.servers = work.options.servers.rule();
    options.progress = [&bar](const FetchProgress& progress) { bar.show(progress); };
    options.consent = [&](const FetchPlan& plan) -> Status {
        shown = plan;
        if (work.options.plan_only)
            return Error(ErrorCode::cancelled, std::string(kOnlyPlanned));
        if (work.options.bytes_max != 0 && plan.fetch_bytes > work.options.bytes_max)
            return Error(ErrorCode::limit, fmt::format("{} are to be fetched, more than --max-bytes allows; nothing "
                                                       "was fetched",
                                                       format_size(plan.fetch_bytes)));
        return ok();
    };
    auto fetched = fetch_bundles(work.store, ids, options);
    if (!fetched && !(shown && work.options.plan_only))
        return std::move(fetched).error();
    if (!fetched)
        return Fetched{.plan = *std::move(shown), .summary = {}};
    Fetched done{.plan = fetched->plan, .summary = {}};
    done.summary = *std::move(fetched);
    return done;
}

// Reads, of bundles that were considered and not chosen, what they need.
Status verify_consulted(const Work& work, const NeedsOfBundles& consulted) {
    if (consulted.empty())
        return ok();
    FARDEL_TRY_ASSIGN(RemoteServers servers,
                      RemoteServers::open({.trees = work.servers, .rule = work.options.servers.rule()}));
    const TrustPolicy* const policy = work.state().policy.get();
    for (const auto& [id, needs] : consulted) {
        FARDEL_TRY_ASSIGN(const auto mounts, open_remote_bundles(work.store, servers, id, policy));
        for (const RemoteMount& mount : mounts) {
            if (mount.bundle != id)
                continue;
            FARDEL_TRY_ASSIGN(
                const auto bundle,
                Bundle::open(mount.source, {.policy = policy, .time = {}, .cache = {}, .label = id.hex()}));
            FARDEL_TRY(verify_needs(id, needs, *bundle));
        }
    }
    return ok();
}

// Fetches what the lock names, compares it with the lock, and writes the lock. If that fails, nothing of it is pinned.
Result<Fetched> fetch_and_lock(const Work& work, const NeedsOfBundles& consulted, LockFile& lock, Console& console) {
    FARDEL_TRY(verify_consulted(work, consulted));
    FARDEL_TRY_ASSIGN(Fetched fetched, fetch(work, lock, console));
    if (work.options.plan_only)
        return fetched;
    FARDEL_TRY(verify_resolution(lock.resolution, open_stored(work.store, work.state().policy.get())));
    sort_for_mounting(lock.resolution);  // by the names and versions that the bundles themselves state
    FARDEL_TRY(write_lock_file(work.options.lock, lock));
    return fetched;
}

// ---- The report -----------------------------------------------------------------------------------------------------

std::vector<const ResolvedBundle*> only_in(const LockFile& lock, const LockFile* other) {
    std::vector<const ResolvedBundle*> only;
    for (const ResolvedBundle& one : lock.resolution.bundles)
        if (other == nullptr || std::ranges::find(other->resolution.bundles, one.bundle, &ResolvedBundle::bundle) ==
                                    other->resolution.bundles.end())
            only.push_back(&one);
    return only;
}

std::string format_bundle(std::string_view sign, const ResolvedBundle& one) {
    return fmt::format("  {} {}  {} {}\n", sign, short_id(one.bundle), printable(one.name), one.version.text());
}

Json json_of(const ResolvedBundle& one) {
    return Json{{"bundle", one.bundle.hex()}, {"name", one.name}, {"version", one.version.text()}};
}

Result<Exit> report(const Work& work, const LockFile& lock, const Fetched& fetched, Console& console) {
    const LockFile* const before = work.wanted.before ? &*work.wanted.before : nullptr;
    const auto added = only_in(lock, before);
    const auto removed = before != nullptr ? only_in(*before, &lock) : std::vector<const ResolvedBundle*>();
    const auto json_all = [](const std::vector<const ResolvedBundle*>& list) {
        return json_list(list, [](const ResolvedBundle* one) { return json_of(*one); });
    };
    return print_result(
        console, work.options.json,
        [&] {
            Json json{{"lock", work.options.lock},
                      {"store", work.store.path()},
                      {"release", lock.release},
                      {"bundles", json_list(lock.resolution.bundles, [](const auto& one) { return json_of(one); })},
                      {"added", json_all(added)},
                      {"removed", json_all(removed)},
                      {"plan", json_of(fetched.plan)}};
            if (fetched.summary)
                json["received_bytes"] = fetched.summary->received_bytes;
            return json;
        },
        [&] {
            std::string text = format_each(added, [](const auto* one) { return format_bundle("+", *one); }) +
                               format_each(removed, [](const auto* one) { return format_bundle("-", *one); });
            text += text.empty() ? "nothing changes\n" : "";
            text += format_plan(fetched.plan);
            if (fetched.summary && !fetched.plan.bundles.empty())
                text += fmt::format("fetched {}\n", format_size(fetched.summary->received_bytes));
            if (work.options.plan_only)
                return text;
            return text + fmt::format("{}: {}\n", printable(work.options.lock),
                                      format_count(lock.resolution.bundles.size(), "bundle", "bundles"));
        });
}

}  // namespace

void add_install_options(CommandLine& line, InstallOptions& options) {
    line.text("--lock", "FILE", options.lock, "The lock file, which says what is installed (default: fardel.lock)");
    line.text("--store", "DIR", options.store,
              "The store for the bundles (default: that of the variable FARDEL_STORE)");
    add_channel_options(line, options.channel);
    line.text("--from", "URL", options.from,
              "The tree with the channel and its bundles (default: the sources in the lock file)");
    line.texts("--mirror", "URL", options.mirrors, "Another server with the same tree; asked when the first fails");
    line.text("--trust", "POLICY", options.policy,
              "Install only bundles that this policy trusts, too (default: what the channel demands)");
    add_server_options(line, options.servers);
    line.number("--max-bytes", options.bytes_max, 1, UINT64_MAX, "Fetch nothing if it would be more");
    line.flag("--plan", options.plan_only, "Only show what would be installed and fetched, and how much it is");
    line.json(options.json);
}

Result<Exit> install(const InstallOptions& options, const Installation& wanted, Console& console) {
    const Interrupt interrupt;
    FARDEL_TRY_ASSIGN(const Work work, follow(options, wanted, interrupt.token()));
    say_recalled(work, console);
    if (work.followed.failure)
        return Error(work.followed.failure->code(),
                     fmt::format("{}; {}; what is installed stays as it is", work.followed.failure->message(),
                                 describe_age(work.state(), now_s())));
    FARDEL_TRY_ASSIGN(ResolveOutcome outcome, resolve_wanted(work));
    if (!outcome.conflicts.empty())
        return report_conflicts(work, outcome.conflicts, console);
    LockFile lock{.channel = work.state().name,
                  .channel_id = work.state().id,
                  .release = work.state().release_version,
                  .sources = work.servers,
                  .resolution = std::move(outcome.resolution)};
    // From before the fetch, so that no collection takes away what is here already.
    if (!options.plan_only)
        FARDEL_TRY(pin_bundles(work.store, options.lock, lock));
    auto fetched = fetch_and_lock(work, outcome.consulted, lock, console);
    const Status pinned = options.plan_only ? ok() : sync_pins(work.store, options.lock);
    if (!fetched)
        return std::move(fetched).error();
    FARDEL_TRY(pinned);
    return report(work, lock, *fetched, console);
}

}  // namespace fardel
