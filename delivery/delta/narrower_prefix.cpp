#include "delta/narrower_prefix.h"

#include "delta/delta_segment.h"

#include <fardel/format/prefix_codec.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace fardel {
namespace {

constexpr std::uint64_t kSavedBytesMin = 100;

// What a copy of so many bytes saves: without it they would be literals, entropy-coded, and the copy takes bytes, too.
constexpr std::uint64_t saved_by_copy(std::uint64_t bytes) noexcept {
    constexpr std::uint64_t kCopyBytes = 3;
    const std::uint64_t as_literals = bytes * 3 / 5;
    return as_literals > kCopyBytes ? as_literals - kCopyBytes : 0;
}

// A frame copies from positions, whatever is there. Decoded with another prefix, it shows from which blocks: each byte
// of the prefix is a part of the number of its block, counted from 1, and what is no copy of it stays the same.
class TracedFrame {
public:
    TracedFrame(std::span<const std::uint32_t> blocks, std::span<const std::byte> frame, std::uint64_t given_bytes)
        : blocks_(blocks),
          frame_(frame),
          prefix_(std::accumulate(blocks.begin(), blocks.end(), std::size_t{0})),
          given_(static_cast<std::size_t>(given_bytes)),
          sources_(given_.size()) {}

    // Returns for each byte that the frame gives the number of the block that it comes from, or 0.
    Result<std::span<const std::uint32_t>> trace() {
        FARDEL_TRY(decoder_.decode(prefix_, frame_, given_));
        const std::vector<std::byte> untouched = given_;
        for (unsigned shift = 0; shift < 32 && blocks_.size() >> shift != 0; shift += 8) {
            number_blocks(shift);
            FARDEL_TRY(decoder_.decode(prefix_, frame_, given_));
            for (std::size_t i = 0; i < given_.size(); ++i)
                sources_[i] |= std::to_integer<std::uint32_t>(given_[i] ^ untouched[i]) << shift;
        }
        return std::span<const std::uint32_t>(sources_);
    }

private:
    void number_blocks(unsigned shift) {
        auto out = prefix_.begin();
        for (std::size_t i = 0; i < blocks_.size(); ++i)
            out = std::fill_n(out, blocks_[i], static_cast<std::byte>((i + 1) >> shift));
    }

    const std::span<const std::uint32_t> blocks_;
    const std::span<const std::byte> frame_;
    std::vector<std::byte> prefix_;
    std::vector<std::byte> given_;
    std::vector<std::uint32_t> sources_;
    PrefixDecoder decoder_;
};

}  // namespace

Result<std::vector<std::uint64_t>> estimate_saved(std::span<const std::uint32_t> blocks,
                                                  std::span<const std::byte> frame, std::uint64_t given_bytes) {
    TracedFrame traced(blocks, frame, given_bytes);
    FARDEL_TRY_ASSIGN(const std::span<const std::uint32_t> sources, traced.trace());
    std::vector<std::uint64_t> saved(blocks.size());
    for (auto at = sources.begin(); at != sources.end();) {
        const auto end = std::find_if(at, sources.end(), [&](std::uint32_t source) { return source != *at; });
        if (*at != 0)
            saved[*at - 1] += saved_by_copy(static_cast<std::uint64_t>(end - at));
        at = end;
    }
    return saved;
}

Status narrow_prefix(const Bundle& old, std::span<const std::byte> frame, std::uint64_t given_bytes,
                     DeltaBlocks& segment) {
    FARDEL_TRY_ASSIGN(const std::vector<BlockRecord> records, records_of(old, segment.prefix));
    std::vector<std::uint32_t> blocks;
    for (const BlockRecord& record : records)
        blocks.push_back(record.raw_bytes);
    FARDEL_TRY_ASSIGN(const std::vector<std::uint64_t> saved, estimate_saved(blocks, frame, given_bytes));
    std::set<std::uint32_t> kept;
    auto saving = saved.begin();
    for (const BlockRun& run : segment.prefix)
        for (std::uint64_t block = run.first; block < run.end(); ++block)
            if (*saving++ >= kSavedBytesMin)
                kept.insert(static_cast<std::uint32_t>(block));
    segment.prefix = runs_of(kept);
    return ok();
}

}  // namespace fardel
