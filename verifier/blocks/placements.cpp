#include "placements.h"

#include <fardel/format/limits.h>

#include <algorithm>
#include <string>
#include <tuple>

namespace fardel {
namespace {

using enum TableKind;

constexpr std::uint32_t kPlainBlockBytesMax = 1u << limits::kBlockLog2;

std::string block_place(std::uint64_t block) { return record_place(blocks, block); }

// Every asset that has bytes and whose blocks exist, by block and offset.
std::vector<Tenant> claimed_places(const Tables& tables, Findings& findings) {
    std::vector<Tenant> tenants;
    const std::uint64_t block_count = tables.count(blocks);
    for (std::uint64_t i = 0; i < std::min(tables.count(assets), tables.count(placements)); ++i) {
        const auto asset = tables.find<AssetRecord>(i);
        const auto place = tables.find<PlacementRecord>(i);
        if (!asset || !place)
            continue;
        const std::uint64_t pieces = asset->piece_count();
        if (pieces == 0) {
            if (*place != PlacementRecord{})
                findings.add(Rule::placement_of_nothing, record_place(placements, i),
                             "an asset without bytes has block 0 and offset 0");
            continue;
        }
        if (pieces > block_count || place->first_block > block_count - pieces || (pieces > 1 && place->offset != 0)) {
            findings.add(Rule::placement_outside, record_place(placements, i),
                         "it claims " + std::to_string(pieces) + " blocks from block " +
                             std::to_string(place->first_block) + ", offset " + std::to_string(place->offset) +
                             "; the bundle has " + std::to_string(block_count));
            continue;
        }
        tenants.push_back({place->first_block, place->offset, static_cast<std::uint32_t>(pieces),
                           static_cast<std::uint32_t>(i), asset->raw_bytes});
    }
    std::ranges::sort(tenants, {}, [](const Tenant& t) { return std::tuple(t.first_block, t.offset, t.asset); });
    return tenants;
}

// Walks blocks and tenants side by side. The cursor is the first raw byte that nobody has yet.
class PlacementWalk {
public:
    PlacementWalk(const Tables& tables, Findings& findings)
        : tables_(tables),
          findings_(findings),
          judge_holes_(tables[assets].whole() && tables[placements].whole() && tables[blocks].whole()) {}

    bool take(const Tenant& tenant) {
        if (tenant.first_block < block_ || (tenant.first_block == block_ && tenant.offset < filled_))
            return overlaps(tenant);
        return tenant.block_count == 1 ? take_one(tenant) : take_several(tenant);
    }

    void finish() { close_until(tables_.count(blocks)); }

private:
    bool overlaps(const Tenant& tenant) {
        findings_.add(Rule::placement_overlap, record_place(placements, tenant.asset),
                      "its bytes in block " + std::to_string(tenant.first_block) + " belong to another asset already");
        return false;
    }

    bool take_one(const Tenant& tenant) {
        close_until(tenant.first_block);
        const auto block = tables_.find<BlockRecord>(tenant.first_block);
        if (block && (tenant.offset > block->raw_bytes || tenant.bytes > block->raw_bytes - tenant.offset)) {
            findings_.add(Rule::placement_outside, record_place(placements, tenant.asset),
                          "it has " + std::to_string(tenant.bytes) + " bytes from offset " +
                              std::to_string(tenant.offset) + " of block " + std::to_string(tenant.first_block) +
                              ", which has " + std::to_string(block->raw_bytes));
            return false;
        }
        const auto asset = tables_.find<AssetRecord>(tenant.asset);
        const bool is_streamed_piece =
            asset && asset->piece_log2 == limits::kStreamBlockLog2 && block && tenant.bytes == block->raw_bytes;
        if (block && block->raw_bytes > kPlainBlockBytesMax && !is_streamed_piece)
            findings_.add(
                Rule::block_size, block_place(tenant.first_block),
                "it has " + std::to_string(block->raw_bytes) +
                    " raw bytes; only a piece of a streamed asset, alone in its block, may have more than 65536");
        if (tenant.offset > filled_)
            hole(tenant.first_block, filled_, tenant.offset);
        filled_ = std::uint64_t{tenant.offset} + tenant.bytes;
        return true;
    }

    bool take_several(const Tenant& tenant) {
        if (tenant.first_block == block_ && filled_ > 0)
            return overlaps(tenant);
        close_until(tenant.first_block);
        const auto asset = tables_.find<AssetRecord>(tenant.asset);
        if (!asset)
            return false;
        const std::uint64_t piece_bytes = std::uint64_t{1} << asset->piece_log2;
        for (std::uint32_t i = 0; i < tenant.block_count; ++i) {
            const auto block = tables_.find<BlockRecord>(tenant.first_block + i);
            const std::uint64_t expected = std::min(piece_bytes, tenant.bytes - i * piece_bytes);
            if (block && block->raw_bytes != expected)
                findings_.add(Rule::block_size, block_place(tenant.first_block + i),
                              "it has " + std::to_string(block->raw_bytes) + " raw bytes; piece " + std::to_string(i) +
                                  " of asset " + std::to_string(tenant.asset) + " has " + std::to_string(expected));
        }
        block_ = tenant.first_block + tenant.block_count;
        filled_ = 0;
        return true;
    }

    // Nobody else has bytes in the blocks before `block`.
    void close_until(std::uint64_t block) {
        for (; block_ < block; ++block_, filled_ = 0) {
            if (!judge_holes_)
                continue;
            const auto record = tables_.find<BlockRecord>(block_);
            if (record && filled_ < record->raw_bytes)
                hole(block_, filled_, record->raw_bytes);
        }
    }

    void hole(std::uint64_t block, std::uint64_t from, std::uint64_t to) {
        if (judge_holes_)
            findings_.add(
                Rule::block_not_filled, block_place(block),
                "its raw bytes " + std::to_string(from) + " to " + std::to_string(to - 1) + " belong to no asset");
    }

    const Tables& tables_;
    Findings& findings_;
    const bool judge_holes_;
    std::uint64_t block_ = 0;
    std::uint64_t filled_ = 0;
};

}  // namespace

std::vector<Tenant> check_placements(const Tables& tables, Findings& findings) {
    std::vector<Tenant> tenants = claimed_places(tables, findings);
    PlacementWalk walk(tables, findings);
    std::erase_if(tenants, [&](const Tenant& tenant) { return !walk.take(tenant); });  // visits in order, each once
    walk.finish();
    return tenants;
}

std::span<const Tenant> tenants_of(std::span<const Tenant> tenants, std::uint32_t block) noexcept {
    const auto end = std::ranges::upper_bound(tenants, block, {}, &Tenant::first_block);
    auto begin = std::ranges::lower_bound(tenants.begin(), end, block, {}, &Tenant::first_block);
    // Or the one that begins before and reaches over it.
    if (begin == end && begin != tenants.begin()) {
        const auto before = begin - 1;
        if (block - before->first_block < before->block_count)
            begin = before;
    }
    return {begin, end};
}

}  // namespace fardel
