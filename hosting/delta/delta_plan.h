// What a delta is to contain: which blocks of the new bundle in which segments, and what of the old one helps to
// describe them. Reads both bundles, writes nothing.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/delta_record.h>
#include <fardel/format/bundle.h>

#include <cstdint>
#include <stop_token>

namespace fardel {

struct DeltaPlan {
    std::uint32_t level = 0;
    DeltaDirectory directory;  // the sizes of frames are 0 yet
    std::uint64_t blocks = 0;
    std::uint64_t stored_blocks = 0;
    std::uint64_t shared_blocks = 0;
};

// Errors: those of Bundle; limit (too many tables), cancelled.
Result<DeltaPlan> plan_delta(const Bundle& old, const Bundle& target, const std::stop_token& stop);

}  // namespace fardel
