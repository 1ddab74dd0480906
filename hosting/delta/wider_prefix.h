// What else of the old bundle a segment of blocks refers to, besides the assets that its content was made from.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/delta_record.h>
#include <fardel/format/bundle.h>

#include <cstdint>

namespace fardel {

// Fills the prefix of a raw segment with blocks around those that it has, as far as prefix_bytes_max() allows: content
// that is new resembles more than the one asset that was found for it. Blocks that compress well come first, because
// noise resembles nothing; among equals the nearest. `given_bytes`: what the segment gives. Errors: those of Bundle.
Status widen_prefix(const Bundle& old, std::uint64_t given_bytes, DeltaBlocks& segment);

}  // namespace fardel
