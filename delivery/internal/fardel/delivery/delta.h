// Deltas: what turns one bundle file into another, byte for byte. docs/deltas.md describes the file.
//
// A delta is made by somebody who has both bundles, and applied by somebody who has the old one, in the same layout.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/staged_file.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace fardel {

inline constexpr int kDeltaEffortDefault = 22;  // of zstd

struct DeltaWork {
    int effort = kDeltaEffortDefault;                                                   // 1–22; when making one
    std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)> progress;  // on the caller's thread
    std::stop_token stop;
};

struct DeltaSummary {
    BundleId old_bundle;
    BundleId new_bundle;
    std::uint64_t delta_bytes = 0;
    std::uint64_t tables_bytes = 0;   // of the delta: the part that gives the tables of the new bundle
    std::uint64_t file_bytes = 0;     // of the new bundle file
    std::uint32_t level = 0;          // of compression, at which blocks are encoded again; 0: none is
    std::uint64_t blocks = 0;         // that it gives
    std::uint64_t stored_blocks = 0;  // of these, in their stored form: encoding them again does not give their bytes
    std::uint64_t shared_blocks = 0;  // that the old bundle has
};

// Returns what the delta says about itself: nothing is compared with bundles, and `shared_blocks` is 0. Errors:
// malformed, limit, unsupported, those of `delta`.
Result<DeltaSummary> describe_delta(const ByteSource& delta);

// Writes the new bundle's file. Its tables are compared with its ids and its blocks with their hashes; its signatures
// must be right, whoever made them. The tables are in memory, and at most two segments at a time, 98 MiB. Errors:
// conflict (the delta is for another bundle, or another layout of it), malformed, limit, corrupt (the old bundle is
// damaged; the delta gives other bytes than it says, a wrong signature, or blocks that this version of libzstd encodes
// otherwise), unsupported, cancelled, those of StagedFile.
Result<DeltaSummary> apply_delta(std::shared_ptr<const Bundle> old, const ByteSource& delta, StagedFile& file,
                                 const DeltaWork& work = {});

}  // namespace fardel
