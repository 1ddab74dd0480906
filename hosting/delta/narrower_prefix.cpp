#include "delta/narrower_prefix.h"

#include <fardel/delivery/delta_segment.h>

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

// Returns for each byte that the frame gives the number of the block that it is copied from, counted from 1, or 0. A
// frame copies from positions, whatever is there: decoded with another prefix, in which each byte is a part of the
// number of its block, it shows from which block, and what is no copy of the prefix stays the same.
Result<std::vector<std::uint32_t>> trace_copies(std::span<const std::uint32_t> blocks, std::span<const std::byte> frame,
                                                std::uint64_t given_bytes) {
    PrefixDecoder decoder;
    std::vector<std::byte> prefix(std::accumulate(blocks.begin(), blocks.end(), std::size_t{0}));
    std::vector<std::byte> given(static_cast<std::size_t>(given_bytes));
    FARDEL_TRY(decoder.decode(prefix, frame, given));
    const std::vector<std::byte> unnumbered = given;
    std::vector<std::uint32_t> sources(given.size());
    for (unsigned shift = 0; shift < 32 && blocks.size() >> shift != 0; shift += 8) {
        auto out = prefix.begin();
        for (std::size_t i = 0; i < blocks.size(); ++i)
            out = std::fill_n(out, blocks[i], static_cast<std::byte>((i + 1) >> shift));
        FARDEL_TRY(decoder.decode(prefix, frame, given));
        for (std::size_t i = 0; i < given.size(); ++i)
            sources[i] |= std::to_integer<std::uint32_t>(given[i] ^ unnumbered[i]) << shift;
    }
    return sources;
}

}  // namespace

Result<std::vector<std::uint64_t>> estimate_saved(std::span<const std::uint32_t> blocks,
                                                  std::span<const std::byte> frame, std::uint64_t given_bytes) {
    FARDEL_TRY_ASSIGN(const std::vector<std::uint32_t> sources, trace_copies(blocks, frame, given_bytes));
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
    for (const std::uint32_t block : blocks_in(segment.prefix))
        if (*saving++ >= kSavedBytesMin)
            kept.insert(block);
    segment.prefix = runs_of(kept);
    return ok();
}

}  // namespace fardel
