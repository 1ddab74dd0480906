#include <fardel/delivery/fetch_bundles.h>

#include "fetch/bundle_fetch.h"
#include "fetch/other_bundles.h"
#include "fetch/signature_fetch.h"
#include "fetch/transfer_rate.h"
#include "transfer/tree_urls.h"

#include <fardel/base/free_space.h>
#include <fardel/format/bundle_use.h>
#include <fardel/format/dependencies.h>
#include <fardel/format/printable.h>
#include <fardel/store/retention.h>
#include <fardel/store/stored_signatures.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

// Whether no other plan can help.
bool is_final(ErrorCode code) noexcept {
    return code == ErrorCode::cancelled || code == ErrorCode::no_space || code == ErrorCode::io ||
           code == ErrorCode::limit;
}

// ---- Tables ---------------------------------------------------------------------------------------------------------

// The bundles that are wanted and those that they need.
struct Collected {
    std::vector<std::unique_ptr<BundleFetch>> fetches;  // each after those that it needs; their tables are here
    std::vector<std::shared_ptr<const Bundle>> whole;   // that are here; empty without a selection
    std::optional<StoreHold> hold;                      // on those; nothing in a store that is only read
    std::vector<BundleId> newly_signed{};               // FetchPlan::newly_signed
};

// Returns the bytes of a bundle that is here whole; an error, which does not matter, if there are none.
Result<std::shared_ptr<const ByteSource>> open_held(const FetchContext& context, bool is_stored,
                                                    std::optional<StoreHold>& hold, const BundleId& id) {
    // It must stay until the bundles that need it are there.
    if (is_stored && (!hold || hold->hold(id)))
        if (auto source = context.store.open_bundle(id))
            return source;
    if (const BundleLibrary* const library = context.options.work.library.get())
        return library->open_bundle(id);
    return Error(ErrorCode::missing, "bundle " + id.hex() + " is not here");
}

// Returns a stored bundle as the policy accepts it, perhaps with signatures that a server has, and the store has from
// then on. Errors: those of a mount with the policy; cancelled.
Result<std::shared_ptr<const Bundle>> judge_stored(const FetchContext& context, std::shared_ptr<const Bundle> bundle,
                                                   std::vector<BundleId>& newly_signed) {
    const FetchWork& work = context.options.work;
    if (!work.policy)
        return bundle;
    const auto in_store = [&](const Error& error) {
        return Error(error.code(), "bundle " + bundle->id().hex() + ", which the store has: " + error.message());
    };
    auto judged = Bundle::open(bundle->source(), {.policy = work.policy.get(), .time = work.time});
    if (!judged) {
        FARDEL_TRY_ASSIGN(auto accepted, fetch_signatures(context, *bundle, SignatureFiles::all));
        if (!accepted)
            return in_store(judged.error());
        FARDEL_TRY(add_signatures(context.store, bundle->id(), accepted->added));
        newly_signed.push_back(bundle->id());
        judged = std::move(accepted->bundle);
    }
    if (Status allowed = verify_use(**judged, work.policy.get(), work.time); !allowed)
        return in_store(allowed.error());
    return judged;
}

// Returns a bundle that is here; nullptr if it is not whole, cannot be read, or is to be repaired. Errors: those of
// judge_stored.
Result<std::shared_ptr<const Bundle>> find_held(const FetchContext& context, bool is_stored, const BundleId& id,
                                                Collected& collected) {
    const FetchWork& work = context.options.work;
    auto source = context.options.repairs ? Error(ErrorCode::missing, "it is repaired")
                                          : open_held(context, is_stored, collected.hold, id);
    if (!source)
        return std::shared_ptr<const Bundle>();
    auto bundle = Bundle::open(*std::move(source), {});
    if (!bundle)
        return std::shared_ptr<const Bundle>();
    if (is_stored)
        return judge_stored(context, *std::move(bundle), collected.newly_signed);
    // What the policy refuses of a library is fetched, with the signatures that servers have.
    auto judged = Bundle::open((*bundle)->source(), {.policy = work.policy.get(), .time = work.time});
    if (!judged || (work.policy && !verify_use(**judged, work.policy.get(), work.time)))
        return std::shared_ptr<const Bundle>();
    return judged;
}

// Fetches the tables of all bundles that are missing, and of those that they need.
Result<Collected> collect(const FetchContext& context) {
    context.store.remove_leftovers();
    // Who may only read the store holds nothing in it, and needs nothing written as long as everything is here.
    auto hold = StoreHold::open(context.store);
    if (!hold && hold.error().code() != ErrorCode::denied)
        return hold.error();
    FARDEL_TRY_ASSIGN(const std::unordered_set<BundleId> stored, list_whole_bundles(context.store));
    Collected collected{.fetches = {}, .whole = {}, .hold = {}};
    if (hold)
        collected.hold = *std::move(hold);
    std::unordered_map<BundleId, std::unique_ptr<BundleFetch>> entered;  // until those that they need are
    std::uint64_t tables_bytes = 0;
    const DependencyWalk::Steps steps{
        .enter = [&](const BundleId& id) -> Result<std::optional<std::vector<BundleId>>> {
            FARDEL_TRY_ASSIGN(const auto held, find_held(context, stored.contains(id), id, collected));
            if (held)
                if (auto needed = static_dependencies(*held)) {
                    if (!context.options.work.selection.is_everything())
                        collected.whole.push_back(held);
                    return std::optional(*std::move(needed));
                }
            FARDEL_TRY_ASSIGN(auto fetch, BundleFetch::open(context, id));
            // A bundle may need any number of others, and nobody has consented to any of them.
            tables_bytes += fetch->bundle()->head().manifest_bytes + fetch->bundle()->layout_head().layout_bytes;
            if (tables_bytes > context.options.tables_bytes_max)
                return Error(ErrorCode::limit, "the tables of what is to be fetched have " +
                                                   std::to_string(tables_bytes) + " bytes; at most " +
                                                   std::to_string(context.options.tables_bytes_max));
            FARDEL_TRY_ASSIGN(auto needed, static_dependencies(*fetch->bundle()));
            entered.emplace(id, std::move(fetch));
            return std::optional(std::move(needed));
        },
        .leave =
            [&](const BundleId& id) {
                if (auto fetch = entered.extract(id))
                    collected.fetches.push_back(std::move(fetch.mapped()));
                return ok();
            },
    };
    DependencyWalk walk;
    for (const BundleId& bundle : context.options.work.bundles)
        FARDEL_TRY(walk.run(bundle, steps));
    if (!hold && !collected.fetches.empty())
        return hold.error();
    return collected;
}

// ---- The plan -------------------------------------------------------------------------------------------------------

// By bundle; empty if everything is wanted.
using ChosenByBundle = std::map<BundleId, ChosenAssets>;

Result<ChosenByBundle> choose(const FetchContext& context, const Collected& collected) {
    const FetchWork& work = context.options.work;
    if (work.selection.is_everything())
        return ChosenByBundle();
    std::vector<std::shared_ptr<const Bundle>> bundles = collected.whole;
    for (const auto& fetch : collected.fetches)
        bundles.push_back(fetch->bundle());
    return choose_content(bundles, work.bundles, work.selection);
}

Result<PlannedFetch> plan(BundleFetch& fetch, const ChosenByBundle& choice) {
    return fetch.plan(choice.empty() ? std::nullopt : std::optional(choice.at(fetch.id())));
}

// Refuses a plan that exceeds the quota of its source, and counts what a collection with the same quota counts.
Status verify_quota(const FetchContext& context, FetchPlan& plan) {
    const FetchWork& work = context.options.work;
    const std::string& source = source_of(context.options);
    FARDEL_TRY_ASSIGN(const auto retained, context.store.retained(work.time.now()));
    std::uint64_t bytes = 0;
    for (const RetainedBundle& bundle : retained)
        if (bundle.source == source &&
            std::ranges::find(plan.bundles, bundle.bundle, &PlannedFetch::bundle) == plan.bundles.end())
            bytes += bundle.file_bytes;
    for (const PlannedFetch& bundle : plan.bundles)
        bytes += bundle.file_bytes;
    plan.source_bytes = bytes;
    if (work.source_bytes_max == 0 || bytes <= work.source_bytes_max || plan.bundles.empty())
        return ok();
    return Error(ErrorCode::no_space,
                 "bundles from " + printable(source) + " would have " + std::to_string(bytes) +
                     " bytes in the store, and the quota of this source is " + std::to_string(work.source_bytes_max) +
                     "; 'fardel store gc --source-size' makes room, or allow more; nothing was fetched");
}

// Leaves out of `fetches` those that have nothing to repair.
Result<FetchPlan> plan_all(const FetchContext& context, Collected& collected, const ChosenByBundle& choice) {
    FetchPlan all{.newly_signed = collected.newly_signed};
    std::vector<std::unique_ptr<BundleFetch>>& fetches = collected.fetches;
    std::vector<std::unique_ptr<BundleFetch>> left;
    for (auto& fetch : fetches) {
        FARDEL_TRY_ASSIGN(PlannedFetch planned, plan(*fetch, choice));
        if (context.options.repairs && fetch->is_intact())
            continue;
        all.fetch_bytes += planned.fetch_bytes;
        all.requests += planned.requests;
        all.bundles.push_back(std::move(planned));
        left.push_back(std::move(fetch));
    }
    fetches = std::move(left);
    FARDEL_TRY(verify_quota(context, all));
    return all;
}

Status ask(const FetchContext& context, const FetchPlan& plan) {
    return context.options.consent ? context.options.consent(plan) : ok();
}

std::uint64_t space_bytes(const FetchPlan& plan) {
    std::uint64_t bytes = 0;
    for (const PlannedFetch& planned : plan.bundles)
        bytes += planned.space_bytes;
    return bytes;
}

// A server may have another layout of the bundle than the one that gave the tables, or blocks that were to be made here
// came out otherwise. What is received of the content may become more than was planned, so consent is asked for again.
// `received`: of it, until now.
Status plan_again(const FetchContext& context, BundleFetch& fetch, const ChosenByBundle& choice, std::uint64_t received,
                  FetchPlan& all) {
    FARDEL_TRY_ASSIGN(PlannedFetch planned, plan(fetch, choice));
    planned.tables_bytes -= received;
    planned.fetch_bytes += received;
    const auto before = std::ranges::find(all.bundles, planned.bundle, &PlannedFetch::bundle);
    // Other signatures, too, are something else than what was shown.
    const bool is_more = planned.fetch_bytes > before->fetch_bytes || planned.author != before->author;
    all.fetch_bytes += planned.fetch_bytes - before->fetch_bytes;
    all.requests += planned.requests - before->requests;
    *before = std::move(planned);
    FARDEL_TRY(verify_quota(context, all));
    return is_more ? ask(context, all) : ok();
}

// ---- The content ----------------------------------------------------------------------------------------------------

// `report`: bytes received of this bundle's content.
Status fetch_content(const FetchContext& context, BundleFetch& fetch, const ChosenByBundle& choice, FetchPlan& plan,
                     const std::function<void(std::uint64_t)>& report) {
    std::uint64_t before = 0;  // by earlier plans
    for (;;) {
        const std::uint64_t counted = fetch.counts().received_bytes;
        const Status fetched = fetch.fetch_content([&](std::uint64_t received) { report(before + received); });
        if (fetched)
            return fetch.finish();
        before += fetch.counts().received_bytes - counted;
        if (is_final(fetched.error().code()))
            return fetched;
        FARDEL_TRY_ASSIGN(const bool again, fetch.can_plan_again());
        if (!again)
            return fetched;
        FARDEL_TRY(plan_again(context, fetch, choice, before, plan));
    }
}

}  // namespace

Status verify_servers(const ServerList& servers) {
    RangeClientOptions connections;
    connections.servers = servers.rule();
    FARDEL_TRY_ASSIGN(const RangeClient client, RangeClient::open(connections));  // loads libcurl
    FARDEL_TRY_ASSIGN(const auto urls, parse_tree_urls(servers.urls()));
    return ok();
}

Result<FetchSummary> fetch_bundles(const BundleStore& store, const FetchOptions& options) {
    const FetchWork& work = options.work;
    FARDEL_TRY_ASSIGN(RangeClient client, RangeClient::open({.connections = work.connections,
                                                             .times = options.times,
                                                             .bytes_per_second_max = work.bytes_per_second_max,
                                                             .received_bytes_max = options.received_bytes_max,
                                                             .servers = work.servers.rule()}));
    FARDEL_TRY_ASSIGN(const std::vector<std::string> trees, parse_tree_urls(work.servers.urls()));
    LibraryBlocks library_blocks(work.library.get());
    const FetchContext context{
        .store = store, .client = client, .trees = trees, .library_blocks = library_blocks, .options = options};

    FARDEL_TRY_ASSIGN(Collected collected, collect(context));
    FARDEL_TRY_ASSIGN(const ChosenByBundle choice, choose(context, collected));
    FetchSummary summary;
    FARDEL_TRY_ASSIGN(summary.plan, plan_all(context, collected, choice));
    FARDEL_TRY(ask(context, summary.plan));
    FARDEL_TRY(verify_free_space(store.path(), space_bytes(summary.plan), "what is to be fetched"));
    TransferRate rate;
    std::uint64_t received = 0;
    for (const auto& fetch : collected.fetches) {
        std::uint64_t of_this = 0;
        FARDEL_TRY(fetch_content(context, *fetch, choice, summary.plan, [&](std::uint64_t bytes) {
            of_this = bytes;
            if (options.progress)
                options.progress(rate.progress(received + of_this, summary.plan.fetch_bytes));
        }));
        received += of_this;
    }
    summary.received_bytes = client.counts().received_bytes;
    summary.requests = client.counts().requests;
    for (const std::string& tree : trees)
        if (client.sends_whole_files(tree))
            summary.without_ranges.push_back(tree);
    return summary;
}

}  // namespace fardel
