// AssetFetch: fetches single assets of blocks of which the store has the rest, and encodes these blocks again.
//
// Everything here may fail or lie without an effect on the fetch except the bytes that it costs: what does not come, or
// comes out wrong, comes as ranges of the bundle file. One thread.
#pragma once

#include "delta/held_content.h"
#include "fetch/block_choice.h"

#include <fardel/base/result.h>
#include <fardel/delivery/asset_frames.h>
#include <fardel/delivery/unit_transfer.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/http/range_client.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fardel {

class AssetFetch {
public:
    // `trees`: complete URLs without '/' at the end.
    AssetFetch(RangeClient& client, std::vector<std::string> trees, std::stop_token stop)
        : client_(client), trees_(std::move(trees)), stop_(std::move(stop)) {}

    // Chooses blocks of the target, of those that are missing (one entry per block), for which the assets that the
    // other bundles lack cost less than the block. Asks the servers for the sizes of these if enough may be saved.
    // `level`: at which the target's blocks come out again; 0 chooses none. Errors: those of the target's tables,
    // cancelled.
    Result<BlockChoice> choose(const Bundle& target, std::uint32_t level, const std::vector<bool>& missing,
                               HeldBundles others);

    // Fetches what was chosen and passes on the blocks. The target and the others are those of choose(). Whatever does
    // not come is not an error. Errors: cancelled, those of `take`.
    Status fetch_blocks(const Bundle& target, HeldBundles others, const std::function<bool(std::uint32_t)>& wanted,
                        const TakeBlock& take, const std::function<void(std::uint64_t received_bytes)>& progress);

    const TransferCounts& counts() const noexcept { return counts_; }

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

    static Result<std::vector<PartlyHeld>> find_partly_held(const Bundle& target, const std::vector<bool>& missing,
                                                            HeldBundles others);
    Status find_index(const Bundle& target, std::uint64_t saved_bytes);
    FetchUnit unit_of(const BlockPart& part) const;
    static std::vector<FetchUnit> units_of(const Round& round);
    Result<Received> receive(const Bundle& target, const Round& round,
                             const std::function<void(std::uint64_t)>& progress);

    RangeClient& client_;
    const std::vector<std::string> trees_;
    const std::stop_token stop_;
    bool was_asked_ = false;
    std::string url_;  // of the file that was found
    std::vector<BlockPart> parts_;
    std::vector<std::uint64_t> offsets_;  // of their frames, and of the end
    std::uint32_t level_ = 0;
    std::vector<Round> rounds_;
    TransferCounts counts_;
};

}  // namespace fardel
