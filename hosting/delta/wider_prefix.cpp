#include "delta/wider_prefix.h"

#include <fardel/delivery/delta_segment.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::uint64_t kNeighboursBytesMax = 4 * std::uint64_t{kDeltaPrefixBytesMax};

struct Neighbour {
    std::uint32_t block = 0;
    std::uint32_t raw_bytes = 0;
    std::uint64_t stored_quarters = 0;  // stored bytes per raw ones, in quarters
};

// The nearest first.
Result<std::vector<Neighbour>> find_neighbours(const Bundle& old, const std::set<std::uint32_t>& blocks) {
    std::vector<Neighbour> found;
    std::set<std::uint32_t> seen = blocks;
    std::vector<std::uint32_t> edge(blocks.begin(), blocks.end());
    for (std::uint64_t bytes = 0; !edge.empty();) {
        std::vector<std::uint32_t> next;
        for (const std::uint32_t block : edge)
            for (const std::uint32_t neighbour : {block - 1, block + 1}) {
                if (neighbour >= old.table_count(TableKind::blocks) || !seen.insert(neighbour).second)
                    continue;
                FARDEL_TRY_ASSIGN(const BlockRecord record, old.block(neighbour));
                found.push_back({neighbour, record.raw_bytes,
                                 std::uint64_t{record.stored_bytes} * 4 / std::max(record.raw_bytes, 1u)});
                next.push_back(neighbour);
                if (bytes += record.raw_bytes; bytes > kNeighboursBytesMax)
                    return found;
            }
        edge = std::move(next);
    }
    return found;
}

}  // namespace

Status widen_prefix(const Bundle& old, std::uint64_t given_bytes, DeltaBlocks& segment) {
    std::set<std::uint32_t> blocks = blocks_in(segment.prefix);
    FARDEL_TRY_ASSIGN(const std::vector<BlockRecord> records, records_of(old, segment.prefix));
    std::uint64_t room = prefix_bytes_max(given_bytes, count_of(segment.blocks));
    room -= std::min(room, raw_bytes_of(records));
    FARDEL_TRY_ASSIGN(std::vector<Neighbour> neighbours, find_neighbours(old, blocks));
    std::ranges::stable_sort(neighbours, {}, &Neighbour::stored_quarters);
    for (const Neighbour& neighbour : neighbours)
        if (neighbour.raw_bytes <= room) {
            room -= neighbour.raw_bytes;
            blocks.insert(neighbour.block);
        }
    segment.prefix = runs_of(blocks);
    return ok();
}

}  // namespace fardel
