#include <fardel/delivery/fetch_bundles.h>

#include "fetch/bundle_fetch.h"
#include "fetch/other_bundles.h"
#include "fetch/transfer_rate.h"
#include "transfer/tree_urls.h"

#include <fardel/base/free_space.h>
#include <fardel/format/dependencies.h>
#include <fardel/format/printable.h>
#include <fardel/store/retention.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

// Whether no server can help.
bool is_of_this_machine(ErrorCode code) noexcept {
    return code == ErrorCode::cancelled || code == ErrorCode::no_space || code == ErrorCode::io;
}

// The stages of a fetch.
class FetchStages {
public:
    FetchStages(const BundleStore& store, const FetchOptions& options, RangeClient client,
                std::vector<std::string> trees)
        : store_(store), options_(options), client_(std::move(client)), trees_(std::move(trees)) {}

    Result<FetchSummary> run(std::span<const BundleId> bundles) {
        FARDEL_TRY(collect(bundles));
        FARDEL_TRY(choose(bundles));
        FARDEL_TRY(plan());
        FARDEL_TRY(verify_quota());
        if (options_.consent)
            FARDEL_TRY(options_.consent(summary_.plan));
        FARDEL_TRY(verify_free_space(store_.path(), space_bytes(), "what is to be fetched"));
        for (const auto& fetch : fetches_)
            FARDEL_TRY(fetch_content(*fetch));
        for (const auto& fetch : fetches_) {
            summary_.received_bytes += fetch->counts().received_bytes;
            summary_.requests += fetch->counts().requests;
        }
        return std::move(summary_);
    }

private:
    // Fetches the tables of all bundles that are missing, and of those that they need.
    Status collect(std::span<const BundleId> bundles) {
        store_.remove_leftovers();
        FARDEL_TRY_ASSIGN(hold_, StoreHold::open(store_));
        FARDEL_TRY_ASSIGN(stored_, list_whole_bundles(store_));
        for (const BundleId& bundle : bundles)
            FARDEL_TRY(visit(bundle));
        return ok();
    }

    // Returns the bytes of a bundle that is here whole; an error, which does not matter, if there are none.
    Result<std::shared_ptr<const ByteSource>> open_held(const BundleId& id) {
        // It must stay until the bundles that need it are there.
        if (stored_.contains(id) && hold_->hold(id))
            if (auto source = store_.open_bundle(id))
                return source;
        if (options_.library != nullptr)
            return options_.library->open_bundle(id);
        return Error(ErrorCode::missing, "bundle " + id.hex() + " is not here");
    }

    // Returns the static dependencies of a bundle that is here; nothing if it is not whole or cannot be read.
    std::optional<std::vector<BundleId>> held_needs(const BundleId& id) {
        if (options_.repairs)
            return std::nullopt;
        auto source = open_held(id);
        if (!source)
            return std::nullopt;
        // The store has verified what it has. What a library has must be trusted now.
        const auto bundle = Bundle::open(
            *std::move(source), {.policy = stored_.contains(id) ? nullptr : options_.policy, .time = options_.time});
        if (!bundle)
            return std::nullopt;
        auto needed = static_dependencies(**bundle);
        if (!needed)
            return std::nullopt;
        if (!options_.selection.is_everything())
            whole_.push_back(*bundle);
        return *std::move(needed);
    }

    Status visit(const BundleId& first) {
        const DependencyWalk::Steps steps{
            .enter = [this](const BundleId& id) -> Result<std::optional<std::vector<BundleId>>> {
                if (auto needed = held_needs(id))
                    return needed;
                FARDEL_TRY_ASSIGN(auto fetch,
                                  BundleFetch::open(store_, id, trees_, client_, library_blocks_, options_));
                FARDEL_TRY(fetch->fetch_tables());
                FARDEL_TRY_ASSIGN(auto needed, fetch->dependencies());
                entered_.emplace(id, std::move(fetch));
                return std::optional(std::move(needed));
            },
            .leave =
                [this](const BundleId& id) {
                    if (auto fetch = entered_.extract(id))
                        fetches_.push_back(std::move(fetch.mapped()));
                    return ok();
                },
        };
        return walk_.run(first, steps);
    }

    Status choose(std::span<const BundleId> roots) {
        if (options_.selection.is_everything())
            return ok();
        std::vector<std::shared_ptr<const Bundle>> bundles = whole_;
        for (const auto& fetch : fetches_)
            bundles.push_back(fetch->bundle());
        FARDEL_TRY_ASSIGN(auto chosen, choose_content(bundles, roots, options_.selection));
        for (const auto& fetch : fetches_)
            fetch->choose(std::move(chosen.at(fetch->id())));
        return ok();
    }

    Status plan() {
        for (const auto& fetch : fetches_) {
            FARDEL_TRY_ASSIGN(PlannedFetch planned, fetch->plan());
            summary_.plan.fetch_bytes += planned.fetch_bytes;
            summary_.plan.requests += planned.requests;
            summary_.plan.bundles.push_back(std::move(planned));
        }
        if (options_.repairs) {
            std::erase_if(fetches_, [](const auto& fetch) { return fetch->is_intact(); });
            std::erase_if(summary_.plan.bundles, [this](const PlannedFetch& planned) {
                return std::ranges::none_of(fetches_, [&](const auto& fetch) { return fetch->id() == planned.bundle; });
            });
        }
        return ok();
    }

    std::uint64_t space_bytes() const {
        std::uint64_t bytes = 0;
        for (const PlannedFetch& planned : summary_.plan.bundles)
            bytes += planned.space_bytes;
        return bytes;
    }

    // Counts what a collection with the same quota counts.
    Status verify_quota() {
        FARDEL_TRY_ASSIGN(const auto retained, store_.retained(options_.time.now()));
        const auto& planned = summary_.plan.bundles;
        std::uint64_t bytes = 0;
        for (const RetainedBundle& bundle : retained)
            if (bundle.source == source_of(options_) &&
                std::ranges::find(planned, bundle.bundle, &PlannedFetch::bundle) == planned.end())
                bytes += bundle.file_bytes;
        for (const PlannedFetch& bundle : planned)
            bytes += bundle.file_bytes;
        summary_.plan.source_bytes = bytes;
        if (options_.source_bytes_max == 0 || bytes <= options_.source_bytes_max || planned.empty())
            return ok();
        return Error(ErrorCode::no_space,
                     "bundles from " + printable(source_of(options_)) + " would have " + std::to_string(bytes) +
                         " bytes in the store, and the quota of this source is " +
                         std::to_string(options_.source_bytes_max) +
                         "; 'fardel store gc --source-size' makes room, or allow more; nothing was fetched");
    }

    // A server may have another layout of the bundle than the one that gave the tables. Returns false if none has.
    // What is received of the content may become more than was planned, so consent is asked for again. `received`: of
    // it, until now.
    Result<bool> plan_again(BundleFetch& fetch, std::uint64_t received) {
        FARDEL_TRY_ASSIGN(const bool has_other, fetch.find_other_layout());
        if (!has_other)
            return false;
        FARDEL_TRY_ASSIGN(PlannedFetch planned, fetch.plan());
        planned.tables_bytes -= received;
        planned.fetch_bytes += received;
        auto& bundles = summary_.plan.bundles;
        const auto before = std::ranges::find(bundles, planned.bundle, &PlannedFetch::bundle);
        const bool is_more = planned.fetch_bytes > before->fetch_bytes;
        summary_.plan.fetch_bytes += planned.fetch_bytes - before->fetch_bytes;
        summary_.plan.requests += planned.requests - before->requests;
        *before = std::move(planned);
        FARDEL_TRY(verify_quota());
        if (is_more && options_.consent)
            FARDEL_TRY(options_.consent(summary_.plan));
        return true;
    }

    Status fetch_content(BundleFetch& fetch) {
        std::uint64_t before = 0;  // of this bundle, by earlier plans
        std::uint64_t latest = 0;
        const auto progress = [&](std::uint64_t received) {
            latest = before + received;
            if (options_.progress)
                options_.progress(rate_.progress(received_ + latest, summary_.plan.fetch_bytes));
        };
        for (;;) {
            Status fetched = fetch.fetch_content(progress);
            if (fetched)
                break;
            if (is_of_this_machine(fetched.error().code()))
                return fetched;
            FARDEL_TRY_ASSIGN(const bool again, plan_again(fetch, latest));
            if (!again)
                return fetched;
            before = latest;
        }
        received_ += latest;
        return fetch.finish();
    }

    const BundleStore& store_;
    const FetchOptions& options_;
    RangeClient client_;
    const std::vector<std::string> trees_;
    std::unordered_set<BundleId> stored_;
    std::optional<StoreHold> hold_;
    std::vector<std::shared_ptr<const Bundle>> whole_;  // bundles that are here and needed; empty without a selection
    LibraryBlocks library_blocks_{options_.library};
    DependencyWalk walk_;
    std::unordered_map<BundleId, std::unique_ptr<BundleFetch>> entered_;  // until those that they need are
    std::vector<std::unique_ptr<BundleFetch>> fetches_;                   // each after those that it needs
    FetchSummary summary_;
    std::uint64_t received_ = 0;
    TransferRate rate_;
};

}  // namespace

Status verify_servers(std::span<const std::string> trees, const ServerRule& rule) {
    RangeClientOptions connections;
    connections.servers = rule;
    FARDEL_TRY_ASSIGN(const RangeClient client, RangeClient::open(connections));  // loads libcurl
    FARDEL_TRY_ASSIGN(const auto urls, parse_tree_urls(trees));
    return ok();
}

Result<FetchSummary> fetch_bundles(const BundleStore& store, std::span<const BundleId> bundles,
                                   const FetchOptions& options) {
    FARDEL_TRY_ASSIGN(RangeClient client, RangeClient::open(options.connections));
    FARDEL_TRY_ASSIGN(std::vector<std::string> trees, parse_tree_urls(options.trees));
    return FetchStages(store, options, std::move(client), std::move(trees)).run(bundles);
}

}  // namespace fardel
