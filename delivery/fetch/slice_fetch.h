// SliceFetch: makes pieces of a large asset that was edited out of another version of it that is here, at whatever
// offset its bytes are there, and fetches the few bytes that this one lacks (piece_slices.h).
//
// Everything here may fail or lie without an effect on the fetch except the bytes that it costs: what does not come, or
// comes out wrong, comes as ranges of the bundle file. One thread.
#pragma once

#include "delta/slice_search.h"
#include "fetch/block_supplier.h"
#include "fetch/fetch_context.h"
#include "fetch/received_units.h"

#include <fardel/base/result.h>
#include <fardel/delivery/block_parts.h>
#include <fardel/delivery/piece_slices.h>
#include <fardel/delivery/unit_transfer.h>
#include <fardel/format/bundle.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

class SliceFetch final : public BlockSupplier {
public:
    // `others`: whole bundles that are here. Both outlive the object.
    SliceFetch(const FetchContext& context, const std::vector<std::shared_ptr<const Bundle>>& others)
        : context_(context), others_(others) {}
    BlockCost cost() const noexcept override { return BlockCost::transfer; }

    // Chooses blocks of pieces for which what an older version lacks costs less than the block. Asks the servers for
    // the hashes of slices, once.
    Result<BlockChoice> choose(const BlockTarget& target, const std::vector<bool>& missing) override;
    Status fetch_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) override;

private:
    // What is here of a stretch whose hashes have come.
    struct KnownStretch {
        std::vector<std::optional<SlicePlace>> places;  // by slice
        SliceSet missing = 0;                           // of which no place is known
    };
    // The part of a piece that is in one stretch.
    struct StretchPart {
        std::uint64_t stretch = 0;  // in the file
        std::uint64_t offset = 0;   // in the asset
        std::uint32_t length_bytes = 0;
    };
    struct SoughtStretch {
        StretchPart part;
        AssetIndex asset{};
        std::uint64_t stored_bytes = 0;  // of the block, for this part of it
    };
    using SoughtStretches = std::map<std::uint64_t, SoughtStretch>;  // by number in the file
    // Blocks whose bytes are in memory at the same time.
    struct Round {
        std::vector<BlockPart> parts;
        std::vector<FetchUnit> units;  // sums, by offset
        std::uint64_t raw_bytes = 0;
    };
    using Sums = std::map<std::uint64_t, std::span<const std::byte>>;  // by offset in the file

    Result<std::vector<BlockPart>> missing_pieces(const BlockTarget& target, const std::vector<bool>& missing) const;
    std::vector<StretchPart> stretches_of(const BlockPart& part) const;
    // Finds out what the older versions have of the pieces.
    Status learn(std::span<const BlockPart> parts);
    // Returns the stretches of pieces of which an older version is here.
    Result<SoughtStretches> seek(std::span<const BlockPart> parts);
    // Asks the servers which of them has the file.
    Status find_file();
    // Fetches the hashes of the stretches, and looks for them.
    Status look_for(std::vector<StretchPart> stretches);
    // Whether what is missing of a stretch costs less than the stretch.
    bool is_gain(const SoughtStretch& stretch) const;
    KnownStretch known_stretch(const SliceSearch& search, std::span<const SliceHash> hashes,
                               std::uint32_t length_bytes) const;
    // Returns the sums that give the rest of a piece; nothing if there are none.
    std::optional<std::vector<FetchUnit>> sums_of(const BlockPart& part) const;
    // Fills the bytes of a piece; false if some are missing.
    bool read_piece(const BlockPart& part, const Sums& sums, std::span<std::byte> out) const;
    bool read_stretch(const StretchPart& part, const Sums& sums, std::span<std::byte> out) const;

    const FetchContext& context_;
    const std::vector<std::shared_ptr<const Bundle>>& others_;
    std::shared_ptr<const Bundle> target_;
    bool was_asked_ = false;
    std::string url_;  // of the file that was found
    std::vector<SlicedAsset> assets_;
    std::vector<SliceSource> sources_;
    std::map<std::uint64_t, KnownStretch> known_;  // by stretch
    std::uint32_t level_ = 0;
    std::vector<Round> rounds_;
};

}  // namespace fardel
