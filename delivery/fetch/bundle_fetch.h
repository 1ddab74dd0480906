// BundleFetch: one bundle on its way from servers into a store, step by step.
#pragma once

#include "fetch/asset_fetch.h"
#include "fetch/content_choice.h"
#include "fetch/damaged_copy.h"
#include "fetch/delta_fetch.h"
#include "fetch/other_bundles.h"
#include "fetch/tables_fetch.h"

#include <fardel/delivery/fetch_bundles.h>
#include <fardel/delivery/unit_transfer.h>
#include <fardel/format/bundle.h>
#include <fardel/format/head.h>
#include <fardel/format/trace.h>
#include <fardel/store/incoming_bundle.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

class BundleFetch {
public:
    // `trees`: complete URLs without '/' at the end. `library_blocks` may be used by several in turn.
    static Result<std::unique_ptr<BundleFetch>> open(const BundleStore& store, const BundleId& bundle,
                                                     const std::vector<std::string>& trees, RangeClient& client,
                                                     LibraryBlocks& library_blocks, const FetchOptions& options);

    // Fetches heads, tables and signatures, checks all pages of the tables and asks the policy. If a server sends
    // tables that do not fit, or signatures that the policy refuses, the next one is asked. Call it first.
    Status fetch_tables();
    const std::shared_ptr<const Bundle>& bundle() const noexcept { return tables_.bundle(); }
    // Fetches only the content of these assets. After fetch_tables(), before plan(). Without it: everything.
    void choose(ChosenAssets assets) { chosen_ = std::move(assets); }
    // Locates blocks that other bundles in the store have, and returns what remains. After fetch_tables().
    Result<PlannedFetch> plan();
    // Whether the store has the bundle, whole and right. After plan(), with FetchOptions::repairs.
    bool is_intact() const noexcept;
    // Returns the static dependencies. After fetch_tables().
    Result<std::vector<BundleId>> dependencies() const;

    // Fetches the rest. After plan(). `progress`: bytes received by this call.
    Status fetch_content(const std::function<void(std::uint64_t received_bytes)>& progress);
    // After fetch_content() has failed: asks the servers for heads and tables again if what they have may be another
    // layout of the bundle, and returns whether it is; then plan() again. Blocks that were received are kept.
    Result<bool> find_other_layout();
    // Verifies the whole bundle, or of one of which something was not chosen each asset that was, and makes it visible
    // in the store. Call it last.
    Status finish();

    const BundleId& id() const noexcept { return id_; }
    TransferCounts counts() const noexcept;

private:
    BundleFetch(const BundleStore& store, const BundleId& bundle, IncomingBundle incoming,
                std::shared_ptr<const ByteSource> copy, RangeClient& client, const std::vector<std::string>& trees,
                LibraryBlocks& library_blocks, const FetchOptions& options);
    Status fetch_tables_from(std::size_t first_round);
    // Opens other bundles that are here, if what they have may be used, and takes the tables that a delta gives.
    Result<std::optional<bool>> give_tables();
    // Makes blocks from what other bundles have, and chooses which of the rest come from a delta or asset by asset.
    // `missing`: an entry per block.
    Result<BlockChoice> use_others(std::vector<bool>& missing);
    Status write_block(std::uint32_t index, std::span<const std::byte> stored);
    bool holds_block(const BlockRecord& block) const;
    // Makes requests of units, which are by offset: first what a game opens first, if a server has a trace.
    Status request(const std::vector<FetchUnit>& units);
    // Returns by block whether chosen content is in it.
    Result<std::vector<bool>> chosen_blocks() const;
    Status finish_part();
    Status fill_padding();
    Status fill(std::uint64_t from, std::uint64_t to);
    // Forgets blocks in the store's packs that do not have their hashes.
    Status forget_damaged_blocks();

    const BundleStore& store_;
    const BundleId id_;
    IncomingBundle incoming_;
    RangeClient& client_;
    LibraryBlocks& library_blocks_;
    UnitTransfer transfer_;
    const std::vector<std::string> trees_;
    const DamagedCopy copy_;
    TablesFetch tables_;
    bool was_whole_ = false;         // in the store, before anything was fetched
    std::size_t layout_rounds_ = 0;  // of find_other_layout()
    TransferCounts trace_counts_;
    DeltaFetch delta_;
    AssetFetch assets_;
    bool others_opened_ = false;
    std::vector<std::shared_ptr<const Bundle>> others_;  // that are here
    std::vector<FetchUnit> given_units_;                 // blocks that a delta or single assets are to give
    const std::size_t servers_;
    const FetchOptions& options_;
    std::optional<ChosenAssets> chosen_;  // nothing: all
    std::vector<BlockRecord> blocks_;     // by offset; after plan()
    std::optional<Trace> trace_;          // after servers were asked for it; empty if none has a good one
    std::vector<FetchRequest> requests_;
};

}  // namespace fardel
