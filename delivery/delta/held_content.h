// Blocks of a new bundle that need not be fetched, because other bundles have everything that is in them: they are
// encoded again. This finds what only moved from one block to another.
#pragma once

#include "delta/delta_segment.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace fardel {

inline constexpr std::size_t kEncodingFailuresMax = 100;  // blocks that come out otherwise, before it is given up

// Returns the level at which this version of libzstd encodes the blocks of the target; 0 if none is known to. `held`:
// one entry per block, whether its stored bytes can be read.
Result<std::uint32_t> find_level_of_held(const Bundle& target, const std::vector<bool>& held);

// Returns false if blocks of the target that can be read do not come out with their stored bytes when they are encoded
// at this level, so that others probably will not, either. `held`: as above.
Result<bool> may_encode_at(const Bundle& target, const std::vector<bool>& held, std::uint32_t level);

// Passes on those of the `wanted` blocks (one entry per block) that come out with their hashes. Only the tables of the
// target are read. Content that the others cannot give, because they are damaged, is skipped. Errors: those of the
// target's tables and of `take`; cancelled.
Status encode_held_content(const Bundle& target, std::uint32_t level, const std::vector<bool>& wanted,
                           std::span<const std::shared_ptr<const Bundle>> others, const std::stop_token& stop,
                           const TakeBlock& take);

}  // namespace fardel
