// BundleFetch: one bundle on its way from servers into a store. Its tables are fetched when it is made; then comes a
// plan, which is carried out, and the end. One thread.
#pragma once

#include "fetch/block_supplier.h"
#include "fetch/content_choice.h"
#include "fetch/damaged_copy.h"
#include "fetch/fetch_context.h"
#include "fetch/tables_fetch.h"

#include <fardel/base/result.h>
#include <fardel/delivery/fetch.h>
#include <fardel/delivery/unit_transfer.h>
#include <fardel/format/bundle.h>
#include <fardel/store/incoming_bundle.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace fardel {

class BundleFetch {
public:
    // Fetches heads, tables and signatures, checks all pages of the tables and asks the policy. If a server sends
    // tables that do not fit, or signatures that the policy refuses, the next one is asked.
    static Result<std::unique_ptr<BundleFetch>> open(const FetchContext& context, const BundleId& bundle);
    ~BundleFetch();

    const BundleId& id() const noexcept { return id_; }
    const std::shared_ptr<const Bundle>& bundle() const noexcept { return tables_.bundle(); }

    // Chooses how each block comes. `chosen`: the assets whose content is wanted; nothing: all. Writes nothing.
    Result<PlannedFetch> plan(const std::optional<ChosenAssets>& chosen);
    // Whether the plan is to do nothing, since the store has the bundle whole and right. With FetchOptions::repairs.
    bool is_intact() const noexcept;
    // Carries out the plan. Blocks that were received stay if it fails. `progress`: bytes received by this call. Error:
    // besides those of servers and store, conflict (what was planned did not come that way: plan again).
    Status fetch_content(const std::function<void(std::uint64_t received_bytes)>& progress);
    // After fetch_content() has failed: whether another plan may succeed. Asks the servers for heads and tables again
    // if what they have may be another layout of the bundle.
    Result<bool> can_plan_again();
    // Verifies the whole bundle, or of one of which something was not chosen each asset that was, and makes it visible
    // in the store.
    Status finish();

    // What was received for this bundle.
    TransferCounts counts() const noexcept;

private:
    class Meter;
    BundleFetch(const FetchContext& context, const BundleId& bundle, IncomingBundle incoming,
                std::shared_ptr<const ByteSource> copy);
    Status fetch_tables();
    Status forget_damaged_blocks();
    Result<BlockChoice> choose(BlockSupplier& supplier, const BlockTarget& target, const std::vector<bool>& sought);
    bool holds_block(const BlockRecord& block) const;
    // Returns by block whether chosen content is in it.
    Result<std::vector<bool>> chosen_blocks() const;
    std::vector<std::uint32_t> missing_blocks() const;
    Status fill_padding();
    Status fill(std::uint64_t from, std::uint64_t to);
    Status finish_part();
    Status commit();

    const FetchContext& context_;
    const BundleId id_;
    IncomingBundle incoming_;
    bool was_whole_;  // in the store and right, before anything was fetched
    UnitTransfer transfer_;
    std::vector<std::shared_ptr<const Bundle>> others_;  // that are here
    std::vector<std::unique_ptr<BlockSupplier>> suppliers_;
    DamagedCopy& copy_;  // one of the suppliers
    TablesFetch tables_;
    std::size_t layout_rounds_ = 0;       // servers that were asked for another layout
    std::optional<ChosenAssets> chosen_;  // nothing: all
    std::vector<BlockRecord> blocks_;
    std::vector<std::optional<BlockCost>> planned_;  // by block: what the way costs by which it is to come
    std::vector<BlockCost> least_;                   // by block: ways that cost less than that have failed
    bool came_short_ = false;                        // since the plan
    TransferCounts counts_;
};

}  // namespace fardel
