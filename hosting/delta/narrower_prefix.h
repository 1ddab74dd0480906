// What of its prefix a segment of blocks can do without.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/delta_record.h>
#include <fardel/format/bundle.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// Estimates for each block of a prefix how many bytes its frame would have more without it, from what the frame copies.
// `blocks`: raw bytes of each; `given_bytes`: what the frame gives. Error: malformed (not a frame that gives them).
Result<std::vector<std::uint64_t>> estimate_saved(std::span<const std::uint32_t> blocks,
                                                  std::span<const std::byte> frame, std::uint64_t given_bytes);

// Takes blocks out of the prefix of a raw segment that save little, because whoever applies the delta has to read and
// decode them all first. `frame`: gives `given_bytes` with the prefix as it is. Errors: malformed, those of Bundle.
Status narrow_prefix(const Bundle& old, std::span<const std::byte> frame, std::uint64_t given_bytes,
                     DeltaBlocks& segment);

}  // namespace fardel
