// DeltaReader: turns the segments of a delta into blocks of the new bundle, one at a time, in at most 64 MiB.
//
// Segments and frames are hostile. What comes out has the hashes of the blocks.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/delta_record.h>
#include <fardel/delivery/raw_block.h>
#include <fardel/format/bundle.h>
#include <fardel/format/prefix_codec.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace fardel {

// Receives the stored bytes of a block of the new bundle.
using TakeBlock = std::function<Status(std::uint32_t block, std::span<const std::byte> stored)>;

// The prefix of a segment, up to 24 MiB. Readers on several threads that share it decode one after the other, and
// encode at the same time.
struct PrefixRoom {
    std::mutex mutex;
    std::vector<std::byte> bytes;
};

class DeltaReader {
public:
    // `old`: the bundle of the delta's head, in its layout. `jobs`: threads that decode and encode blocks; 0: one per
    // core. Error: conflict (another bundle or layout).
    static Result<DeltaReader> open(std::shared_ptr<const Bundle> old, const DeltaHead& head, unsigned jobs = 0,
                                    std::shared_ptr<PrefixRoom> prefix = std::make_shared<PrefixRoom>());

    // Passes on the segment's blocks of the new bundle, of which at least the tables can be read, and returns how many
    // of its blocks did not come out with their hashes: those that this version of libzstd encodes otherwise, or all of
    // a wrong segment. `wanted`: blocks for which it is false are left out. Errors: malformed and limit (the segment
    // does not fit the two bundles, or its frame is wrong), those of reading the bundles and of `take`.
    Result<std::uint64_t> read_blocks(const DeltaBlocks& segment, std::span<const std::byte> frame,
                                      const Bundle& target, const std::function<bool(std::uint32_t)>& wanted,
                                      const TakeBlock& take);

private:
    DeltaReader(std::shared_ptr<const Bundle> old, std::uint32_t level, unsigned jobs,
                std::shared_ptr<PrefixRoom> prefix)
        : old_(std::move(old)), level_(level), jobs_(jobs), raw_(*old_), prefix_(std::move(prefix)) {}
    Status decode(const DeltaBlocks& segment, std::span<const std::byte> frame, std::uint64_t given_bytes);

    std::shared_ptr<const Bundle> old_;
    std::uint32_t level_;
    unsigned jobs_;
    RawBlocks raw_;
    PrefixDecoder decoder_;
    std::shared_ptr<PrefixRoom> prefix_;
    std::vector<std::byte> given_;
};

// What a segment may refer to at most if it gives so many bytes in so many blocks. So applying a delta takes a time
// that is in proportion to what it gives.
std::uint64_t prefix_bytes_max(std::uint64_t given_bytes, std::uint64_t blocks) noexcept;

std::uint64_t raw_bytes_of(std::span<const BlockRecord> blocks) noexcept;

// Returns the records of the runs. Error: malformed (past the end of the table).
Result<std::vector<BlockRecord>> records_of(const Bundle& bundle, std::span<const BlockRun> runs);

}  // namespace fardel
