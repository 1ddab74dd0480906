// DeltaFetch: finds a delta on the servers that leads from a bundle in the store to one that is being fetched, or
// several that do so through bundles that are not here, and fetches as much of them as is of use.
//
// Everything here may fail or lie without an effect on the fetch except the bytes that it costs: for what a delta does
// not give, or gives wrong, there is another plan, without it. One thread.
#pragma once

#include "fetch/block_supplier.h"
#include "fetch/delta_path.h"
#include "fetch/fetch_context.h"

#include <fardel/base/result.h>
#include <fardel/delivery/delta_list.h>
#include <fardel/delivery/delta_segment.h>
#include <fardel/delivery/delta_tables.h>
#include <fardel/format/bundle.h>
#include <fardel/store/incoming_bundle.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

class IntermediateBundle;

// What all deltas of one fetch have in common. What it refers to outlives them.
struct DeltaContext {
    const FetchContext& fetch;
    IncomingBundle& incoming;  // keeps what an attempt that was killed need not receive again
};

// What a delta leads to.
enum class DeltaGoal : bool {
    bundle,        // the one that is fetched: ranges give what costs more here
    intermediate,  // one that is not here: all segments that give anything are chosen, and what is received is kept
};

class DeltaFetch final : public BlockSupplier {
public:
    DeltaFetch(DeltaContext context, const BundleId& target, DeltaGoal goal = DeltaGoal::bundle);
    ~DeltaFetch() override;
    BlockCost cost() const noexcept override { return BlockCost::transfer; }

    // Looks for a delta from one of the bundles, first for one with blocks, the smallest one first; then for deltas
    // that lead here through other bundles, or from one of which the store has a part. Writes the heads and tables that
    // the delta gives into the incoming bundle, unverified; `tables_bytes_max` bounds them. Returns whether anything
    // was written. Errors: cancelled, those of IncomingBundle.
    Result<bool> fetch_tables(const std::vector<std::shared_ptr<const Bundle>>& olds, IncomingBundle& incoming,
                              std::uint64_t tables_bytes_max);

    // Does the same with the deltas of this path, which are not empty and lead to the target from `held`. `place`:
    // nullptr if the tables are here already. Whatever is wrong is an error.
    Result<bool> fetch_along(std::span<const DeltaStep> path, const std::shared_ptr<const Bundle>& held,
                             const TablesPlace* place, std::uint64_t tables_bytes_max);

    // Chooses none without a delta for this layout, or if all that it needs costs more than its blocks. Blocks that
    // would have to be encoded are left out if those that are here come out otherwise.
    Result<BlockChoice> choose(const BlockTarget& target, const std::vector<bool>& missing) override;
    // The same if it is known whether blocks may be encoded.
    Result<BlockChoice> choose_blocks(const std::shared_ptr<const Bundle>& target, const std::vector<bool>& missing,
                                      bool encodes);
    Status fetch_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) override;
    // Whether fetch_blocks() has not given all that was chosen. Nothing is chosen any more then.
    bool is_given_up() const noexcept { return is_given_up_; }

private:
    struct Segment {
        std::size_t index = 0;     // in the directory
        std::uint64_t offset = 0;  // of its frame in the delta
    };
    // Of the delta, from the tree that has listed it or another one. Errors: what the servers do wrong; cancelled.
    Result<std::vector<std::byte>> fetch_part(std::uint64_t offset, std::uint64_t length_bytes,
                                              std::uint64_t file_bytes);
    // Of the delta: unless an earlier attempt has kept it with this key, from the server, and then it is kept.
    Result<std::vector<std::byte>> fetch_kept(const std::string& key, std::uint64_t offset, std::uint64_t length_bytes,
                                              std::uint64_t file_bytes);
    // Frames belong to one front, whatever other deltas have the same path. Under the second key, it is kept that the
    // delta gave wrong blocks.
    std::string frame_key(std::uint64_t frame_offset) const;
    std::string wrong_key() const;
    Result<std::vector<std::byte>> fetch_frame(const Segment& chosen);
    // A block that the old bundle has with the same stored bytes.
    struct Copy {
        std::uint32_t block = 0;
        std::uint32_t old_block = 0;
    };
    using OldBundles = std::vector<std::shared_ptr<const Bundle>>;
    // Returns a bundle that is here, perhaps in part; nullptr if it is not, or not in this layout.
    std::shared_ptr<const Bundle> find_held(const OldBundles& olds, const BundleId& id, const LayoutId& layout) const;
    Result<FoundDeltaList> fetch_list(const BundleId& target);
    Result<DeltaPath> find_path(const OldBundles& olds);
    // Its URL and the old bundle are known. `path`: below the tree.
    Result<bool> fetch_front(const std::string& path, const ListedDelta& listed, const TablesPlace* place,
                             std::uint64_t tables_bytes_max);
    Result<bool> use_front(std::vector<std::byte> bytes, const TablesPlace* place, std::uint64_t tables_bytes_max);
    // What is chosen needs these blocks of the old bundle (an entry per block). Adds what they are worth to `saved`.
    Status choose_copies(const std::vector<bool>& missing, BlockChoice& choice, std::vector<bool>& needed,
                         std::uint64_t& saved);
    Status choose_segments(const std::vector<bool>& missing, bool encodes, BlockChoice& choice,
                           std::vector<bool>& needed, std::uint64_t& saved);
    // Returns what blocks of the old bundle cost that are neither here nor needed already; nothing if there are none
    // such blocks.
    Result<std::optional<std::uint64_t>> cost_of(std::span<const BlockRun> runs, const std::vector<bool>& needed) const;
    void give_up();
    Status copy_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink);
    Status fetch_segments(std::span<const std::uint32_t> blocks, const BlockSink& sink);

    const DeltaContext context_;
    const BundleId target_;
    const DeltaGoal goal_;
    std::string url_;                           // of the delta
    Hash front_hash_;                           // of all before its blocks
    std::shared_ptr<const Bundle> old_;         // to which it refers
    std::unique_ptr<IntermediateBundle> made_;  // what old_ reads; nullptr: that is here whole
    DeltaFront front_;
    std::optional<DeltaReader> reader_;  // of the delta that was found
    std::shared_ptr<const Bundle> bundle_;
    std::vector<Copy> copies_;
    std::vector<Segment> chosen_;
    std::vector<bool> given_;  // by the chosen segments, per block
    bool is_given_up_ = false;
};

}  // namespace fardel
