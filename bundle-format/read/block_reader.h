// Reads verified bytes of blocks: checks the stored hash, decodes, and compares the raw bytes of each asset or piece
// with the manifest's hash when they are first read, whoever signed the layout.
#pragma once

#include "blocks/read_scratch.h"
#include "bundle_tables.h"
#include "proved_runs.h"

#include <fardel/format/block_cache.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace fardel {

class BlockReader {
public:
    BlockReader(const ByteSource& source, const LayoutHead& layout, ProvedRuns proved,
                std::shared_ptr<BlockCache> cache);
    BlockReader(const BlockReader&) = delete;
    BlockReader& operator=(const BlockReader&) = delete;

    // Fills `out` from the asset's byte `offset` on; the range is inside the asset. Bytes that fail a check are never
    // left in `out`. Errors: corrupt, malformed, io.
    Status read(const BundleTables& tables, AssetIndex index, const AssetRecord& asset, std::uint64_t offset,
                std::span<std::byte> out) const;

    // Serve Bundle::view and Bundle::stored_range; the range is inside the asset and not empty.
    Result<std::shared_ptr<const std::byte[]>> view(const BundleTables& tables, AssetIndex index,
                                                    const AssetRecord& asset, std::uint64_t offset,
                                                    std::uint64_t length) const;
    Result<Bundle::StoredRange> stored_range(const BundleTables& tables, AssetIndex index, const AssetRecord& asset,
                                             std::uint64_t offset, std::uint64_t length) const;

private:
    // The range of one piece that a read of several pieces needs.
    struct PieceRange {
        std::uint64_t piece = 0;
        std::uint32_t within = 0;  // the piece
        std::uint32_t block = 0;
    };
    Status read_piece(const BundleTables& tables, const AssetRecord& asset, const PieceRange& range,
                      std::span<std::byte> out) const;
    // The blocks that contain a range of an asset: the first, their number, and the range's offset in the first.
    struct BlockRun {
        std::uint32_t first = 0;
        std::uint64_t count = 0;
        std::uint64_t within = 0;
    };
    Result<BlockRun> find_blocks(const BundleTables& tables, AssetIndex index, const AssetRecord& asset,
                                 std::uint64_t offset, std::uint64_t length) const;
    // What the manifest says about raw bytes in a block that no read has compared yet: one piece, or an asset within a
    // shared block.
    struct RawCheck {
        ProvedRuns::Run run;
        Hash hash;
        std::uint32_t offset = 0;
        std::uint32_t bytes = 0;
    };
    Result<Bundle::StoredRange> stored_range_of(const BundleTables& tables, const BlockRun& run) const;
    // Both return nothing if the bytes have been proved before.
    std::optional<RawCheck> check_of_asset(AssetIndex index, const AssetRecord& asset, std::uint64_t offset) const;
    Result<std::optional<RawCheck>> check_of_piece(const BundleTables& tables, const AssetRecord& asset,
                                                   std::uint64_t piece, std::uint32_t block) const;
    Status prove(const RawCheck& check, std::uint32_t index, const BlockRecord& block,
                 std::span<const std::byte> raw) const;
    Status read_block(const BundleTables& tables, std::uint32_t index, std::uint32_t offset, std::span<std::byte> out,
                      const std::optional<RawCheck>& check) const;
    Result<const std::byte*> find_or_load(const BlockRecord& block, ReadScratch& scratch) const;
    // If `scratch` is nullptr and the block must be decoded, one is taken from the pool.
    Status load(const BlockRecord& block, std::span<std::byte> raw, ReadScratch* scratch) const;
    Status read_stored(const BlockRecord& block, std::span<std::byte> stored) const;
    Status decode(const BlockRecord& block, std::span<std::byte> raw, ReadScratch& scratch) const;

    const ByteSource& source_;
    const std::uint64_t blocks_offset_;
    const std::uint64_t blocks_bytes_;
    const ProvedRuns proved_;
    const std::shared_ptr<BlockCache> cache_;
    const std::unique_ptr<ReadScratchPool> own_scratch_;  // used if there is no cache
    ReadScratchPool& scratch_;
};

}  // namespace fardel
