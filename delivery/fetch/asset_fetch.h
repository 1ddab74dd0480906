// AssetFetch: fetches single assets of blocks of which the store has the rest, and encodes these blocks again.
//
// Everything here may fail or lie without an effect on the fetch except the bytes that it costs: what does not come, or
// comes out wrong, comes as ranges of the bundle file. One thread.
#pragma once

#include "delta/held_content.h"
#include "fetch/block_supplier.h"
#include "fetch/fetch_context.h"

#include <fardel/base/result.h>
#include <fardel/delivery/asset_frames.h>
#include <fardel/delivery/unit_transfer.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace fardel {

class AssetFetch final : public BlockSupplier {
public:
    // `others`: whole bundles that are here. Both outlive the object.
    AssetFetch(const FetchContext& context, const std::vector<std::shared_ptr<const Bundle>>& others)
        : context_(context), others_(others) {}
    BlockCost cost() const noexcept override { return BlockCost::transfer; }

    // Chooses blocks for which the assets that the other bundles lack cost less than the block. Asks the servers for
    // the sizes of these if enough may be saved.
    Result<BlockChoice> choose(const BlockTarget& target, const std::vector<bool>& missing) override;
    Status fetch_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) override;

private:
    // A block of which some assets are held and some are not.
    struct PartlyHeld {
        std::uint32_t block = 0;
        std::uint32_t stored_bytes = 0;
        std::uint32_t held_bytes = 0;
        std::uint32_t raw_bytes = 0;
        std::vector<BlockPart> lacking;
    };
    struct Frame {
        BlockPart part;
        FetchUnit unit;
    };
    // Blocks whose assets are in memory at the same time.
    struct Round {
        std::vector<std::uint32_t> blocks;
        std::vector<Frame> frames;
        std::uint64_t raw_bytes = 0;
    };
    using Assets = std::unordered_map<std::uint32_t, std::vector<std::byte>>;  // by index in the target
    struct Received {
        Assets assets;
        bool is_all = true;
    };

    Result<std::vector<PartlyHeld>> find_partly_held(const std::vector<bool>& missing) const;
    Status find_index(std::uint64_t saved_bytes);
    FetchUnit unit_of(const BlockPart& part) const;
    static std::vector<FetchUnit> units_of(const Round& round);
    Result<Received> receive(const Round& round);

    const FetchContext& context_;
    const std::vector<std::shared_ptr<const Bundle>>& others_;
    std::shared_ptr<const Bundle> target_;
    bool was_asked_ = false;
    std::string url_;  // of the file that was found
    std::vector<BlockPart> parts_;
    std::vector<std::uint64_t> offsets_;  // of their frames, and of the end
    std::uint32_t level_ = 0;
    std::vector<Round> rounds_;
};

}  // namespace fardel
