// Blocks of a new bundle that need not be fetched, because other bundles have everything that is in them: they are
// encoded again. This finds what only moved from one block to another.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/block_parts.h>
#include <fardel/delivery/delta_segment.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/format/manifest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace fardel {

inline constexpr std::size_t kEncodingFailuresMax = 100;  // blocks that come out otherwise, before it is given up

// Returns the level at which this version of libzstd encodes the blocks of the target; 0 if there is none; nothing if
// no block can be tried. `held`: one entry per block, whether its stored bytes can be read.
Result<std::optional<std::uint32_t>> find_level_of_held(const Bundle& target, const std::vector<bool>& held);

// Returns false if blocks of the target that can be read do not come out with their stored bytes when they are encoded
// at this level, so that others probably will not, either. `held`: as above.
Result<bool> may_encode_at(const Bundle& target, const std::vector<bool>& held, std::uint32_t level);

using HeldBundles = std::span<const std::shared_ptr<const Bundle>>;

// Whether one of the bundles has the asset.
bool holds_asset(HeldBundles others, const AssetId& id);

// Reads a part of an asset from the first of the bundles that gives it. Returns false if none does.
bool read_held_part(HeldBundles others, const AssetId& id, const BlockPart& part, std::span<std::byte> out);

// Fills the bytes of a part, which are of the asset with that id; false if it cannot.
using ReadPart = std::function<bool(const AssetId& id, const BlockPart& part, std::span<std::byte> out)>;

// Passes on those of the blocks that consist of these parts (all parts of each, by block) that come out with their
// hashes when what `read` gives is encoded. Only the tables of the target are read. Blocks of which a part cannot be
// read are skipped. `level`: nothing if it is not known; then it is tried out with the first blocks. Returns the level;
// 0 if there is none. Errors: those of the target's tables and of `take`; cancelled.
Result<std::uint32_t> encode_parts(const Bundle& target, std::optional<std::uint32_t> level,
                                   std::span<const BlockPart> parts, const ReadPart& read, const std::stop_token& stop,
                                   const TakeBlock& take);
// The same for the `wanted` blocks (one entry per block).
Result<std::uint32_t> encode_content(const Bundle& target, std::uint32_t level, const std::vector<bool>& wanted,
                                     const ReadPart& read, const std::stop_token& stop, const TakeBlock& take);

}  // namespace fardel
