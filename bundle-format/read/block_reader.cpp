#include "block_reader.h"

#include "blocks/read_scratch.h"
#include "files/fits.h"

#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace fardel {
namespace {

void wipe(std::span<std::byte> bytes) { std::ranges::fill(bytes, std::byte{0}); }

bool is_last(const ReadScratch& scratch, const BlockRecord& block) noexcept {
    const BlockRecord& last = scratch.last_record;
    return scratch.last_bytes && last.stored_hash == block.stored_hash && last.raw_bytes == block.raw_bytes &&
           last.codec == block.codec;
}

// Returns the hash of a piece from the manifest.
Result<Hash> piece_hash(const BundleTables& tables, std::uint64_t piece) {
    FARDEL_TRY_ASSIGN(const std::byte* bytes,
                      tables.table(TableKind::pieces).touch(piece * sizeof(Hash), sizeof(Hash)));
    Hash hash;
    std::memcpy(hash.bytes.data(), bytes, sizeof hash);
    return hash;
}

Error corrupt_raw(std::uint32_t block) {
    return Error(ErrorCode::corrupt,
                 "block " + std::to_string(block) + ": decoded bytes differ from what the manifest says");
}

}  // namespace

BlockReader::BlockReader(const ByteSource& source, const LayoutHead& layout, bool layout_signed,
                         std::shared_ptr<BlockCache> cache)
    : source_(source),
      blocks_offset_(layout.blocks_offset),
      blocks_bytes_(layout.blocks_bytes),
      layout_signed_(layout_signed),
      cache_(std::move(cache)),
      own_scratch_(cache_ ? nullptr : std::make_unique<ReadScratchPool>(0)),
      scratch_(cache_ ? cache_->scratch() : *own_scratch_) {}

Status BlockReader::read(const BundleTables& tables, AssetIndex index, const AssetRecord& asset, std::uint64_t offset,
                         std::span<std::byte> out) const {
    if (out.empty())
        return ok();
    FARDEL_TRY_ASSIGN(const PlacementRecord placement,
                      tables.record<PlacementRecord>(static_cast<std::uint32_t>(index)));
    const std::uint64_t pieces = asset.piece_count();
    if (pieces == 1) {
        const RawCheck check{id_from<Hash>(asset.id), placement.offset, static_cast<std::uint32_t>(asset.raw_bytes)};
        if (!fits(placement.offset, asset.raw_bytes, limits::kBlockBytesMax))
            return Error(ErrorCode::malformed, "the asset's placement is outside any block");
        return read_block(tables, placement.first_block, placement.offset + static_cast<std::uint32_t>(offset), out,
                          layout_signed_ ? nullptr : &check);
    }
    if (placement.offset != 0 || !fits(placement.first_block, pieces, limits::kBlocksMax))
        return Error(ErrorCode::malformed, "the asset's placement is not valid");
    const std::uint64_t piece_bytes = 1ull << asset.piece_log2;
    while (!out.empty()) {
        const std::uint64_t piece = offset >> asset.piece_log2;
        const std::uint64_t within = offset & (piece_bytes - 1);
        const std::uint64_t piece_size = std::min(piece_bytes, asset.raw_bytes - piece * piece_bytes);
        const std::size_t now = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), piece_size - within));
        RawCheck check{{}, 0, static_cast<std::uint32_t>(piece_size)};
        if (!layout_signed_) {
            FARDEL_TRY_ASSIGN(check.hash, piece_hash(tables, asset.piece_first + piece));
        }
        FARDEL_TRY(read_block(tables, placement.first_block + static_cast<std::uint32_t>(piece),
                              static_cast<std::uint32_t>(within), out.first(now), layout_signed_ ? nullptr : &check));
        out = out.subspan(now);
        offset += now;
    }
    return ok();
}

Status BlockReader::read_block(const BundleTables& tables, std::uint32_t index, std::uint32_t offset,
                               std::span<std::byte> out, const RawCheck* check) const {
    FARDEL_TRY_ASSIGN(const BlockRecord block, tables.record<BlockRecord>(index));
    if (!fits(offset, out.size(), block.raw_bytes) || (check && !fits(check->offset, check->bytes, block.raw_bytes)))
        return Error(ErrorCode::malformed, "block " + std::to_string(index) + " is shorter than what it should hold");
    const auto raw_is_good = [&block, check](std::span<const std::byte> raw) {
        if (!check)
            return true;
        // The whole block is wanted and stored raw: its stored hash, which load() compares, is also the raw hash.
        if (block.codec == Codec::raw && check->offset == 0 && check->bytes == block.raw_bytes)
            return block.stored_hash == check->hash;
        return blake3(raw.subspan(check->offset, check->bytes)) == check->hash;
    };

    // The whole block is wanted: it is decoded directly into the caller's memory, without the cache.
    if (out.size() == block.raw_bytes) {
        FARDEL_TRY(load(block, out, nullptr));
        if (raw_is_good(out))
            return ok();
        wipe(out);
        return corrupt_raw(index);
    }

    const ReadScratchPool::Lease scratch = scratch_.take();
    FARDEL_TRY_ASSIGN(const std::byte* raw, find_or_load(block, *scratch));
    if (!raw_is_good({raw, block.raw_bytes}))
        return corrupt_raw(index);
    std::memcpy(out.data(), raw + offset, out.size());
    return ok();
}

// Returns the block's decoded bytes: the last ones of `scratch`, the cache's, or the file's. They live until `scratch`
// is used again.
Result<const std::byte*> BlockReader::find_or_load(const BlockRecord& block, ReadScratch& scratch) const {
    if (!is_last(scratch, block)) {
        BlockCache::Block raw = cache_ ? cache_->find(block) : nullptr;
        if (!raw) {
            auto decoded = std::make_shared_for_overwrite<std::byte[]>(block.raw_bytes);
            FARDEL_TRY(load(block, {decoded.get(), block.raw_bytes}, &scratch));
            raw = std::move(decoded);
            if (cache_)
                cache_->insert(block, raw);
        }
        scratch.last_record = block;
        scratch.last_bytes = std::move(raw);
    }
    return scratch.last_bytes.get();
}

// Fills `raw` with the block's decoded bytes, whose stored form is checked before anything looks at it.
Status BlockReader::load(const BlockRecord& block, std::span<std::byte> raw, ReadScratch* scratch) const {
    if (!fits(block.stored_offset, block.stored_bytes, blocks_bytes_))
        return Error(ErrorCode::malformed, "a block lies outside the block section");
    Status status;
    if (block.codec == Codec::raw)
        status = read_stored(block, raw);
    else if (scratch)
        status = decode(block, raw, *scratch);
    else
        status = decode(block, raw, *scratch_.take());
    if (!status)
        wipe(raw);
    return status;
}

Status BlockReader::read_stored(const BlockRecord& block, std::span<std::byte> stored) const {
    const std::uint64_t at = blocks_offset_ + block.stored_offset;
    FARDEL_TRY(source_.read_at(at, stored));
    if (blake3(stored) != block.stored_hash)
        return Error(ErrorCode::corrupt, "stored bytes at file offset " + std::to_string(at) + " + " +
                                             std::to_string(block.stored_bytes) + " differ from their hash");
    return ok();
}

Status BlockReader::decode(const BlockRecord& block, std::span<std::byte> raw, ReadScratch& scratch) const {
    const std::span<std::byte> stored = scratch.stored_room(block.stored_bytes);
    FARDEL_TRY(read_stored(block, stored));
    return scratch.decoder.decode(block.codec, stored, raw);
}

Result<BlockReader::BlockRun> BlockReader::find_blocks(const BundleTables& tables, AssetIndex index,
                                                       const AssetRecord& asset, std::uint64_t offset,
                                                       std::uint64_t length) const {
    FARDEL_TRY_ASSIGN(const PlacementRecord placement,
                      tables.record<PlacementRecord>(static_cast<std::uint32_t>(index)));
    if (asset.piece_count() == 1)
        return BlockRun{placement.first_block, 1, placement.offset + offset};
    if (placement.offset != 0 || !fits(placement.first_block, asset.piece_count(), limits::kBlocksMax))
        return Error(ErrorCode::malformed, "the asset's placement is not valid");
    const std::uint64_t first = offset >> asset.piece_log2;
    const std::uint64_t last = (offset + length - 1) >> asset.piece_log2;
    return BlockRun{placement.first_block + static_cast<std::uint32_t>(first), last - first + 1,
                    offset - (first << asset.piece_log2)};
}

Result<Bundle::StoredRange> BlockReader::stored_range(const BundleTables& tables, AssetIndex index,
                                                      const AssetRecord& asset, std::uint64_t offset,
                                                      std::uint64_t length) const {
    FARDEL_TRY_ASSIGN(const BlockRun run, find_blocks(tables, index, asset, offset, length));
    return stored_range_of(tables, run);
}

Result<Bundle::StoredRange> BlockReader::stored_range_of(const BundleTables& tables, const BlockRun& run) const {
    FARDEL_TRY_ASSIGN(const BlockRecord first, tables.record<BlockRecord>(run.first));
    FARDEL_TRY_ASSIGN(const BlockRecord last,
                      tables.record<BlockRecord>(static_cast<std::uint32_t>(run.first + run.count - 1)));
    if (!fits(last.stored_offset, last.stored_bytes, blocks_bytes_) || first.stored_offset > last.stored_offset)
        return Error(ErrorCode::malformed, "a block lies outside the block section, or before the one that it follows");
    return Bundle::StoredRange{blocks_offset_ + first.stored_offset,
                               last.stored_offset + last.stored_bytes - first.stored_offset};
}

// The bytes are mapped first and then compared, so the caller gets the bytes that were hashed, as long as no program
// writes to the file.
Result<std::shared_ptr<const std::byte[]>> BlockReader::view(const BundleTables& tables, AssetIndex index,
                                                             const AssetRecord& asset, std::uint64_t offset,
                                                             std::uint64_t length) const {
    FARDEL_TRY_ASSIGN(const BlockRun run, find_blocks(tables, index, asset, offset, length));
    FARDEL_TRY_ASSIGN(const Bundle::StoredRange stored, stored_range_of(tables, run));
    FARDEL_TRY_ASSIGN(const auto mapped, source_.map(stored.offset, stored.length_bytes));
    std::uint64_t done = 0;
    for (std::uint64_t i = 0; i < run.count; ++i) {
        FARDEL_TRY_ASSIGN(const BlockRecord block,
                          tables.record<BlockRecord>(static_cast<std::uint32_t>(run.first + i)));
        if (block.codec != Codec::raw || block.stored_bytes != block.raw_bytes ||
            blocks_offset_ + block.stored_offset != stored.offset + done)
            return Error(ErrorCode::unsupported, "its blocks are not stored raw and adjacent; read it instead");
        if (!fits(done, block.stored_bytes, stored.length_bytes))
            return Error(ErrorCode::malformed, "its blocks are not in order");
        if (blake3(std::span(mapped.get() + done, block.stored_bytes)) != block.stored_hash)
            return Error(ErrorCode::corrupt, "stored bytes at file offset " + std::to_string(stored.offset + done) +
                                                 " + " + std::to_string(block.stored_bytes) +
                                                 " differ from their hash");
        done += block.stored_bytes;
    }
    if (!fits(run.within, length, done))
        return Error(ErrorCode::malformed, "its blocks are shorter than what they should hold");
    if (!layout_signed_)
        FARDEL_TRY(verify_raw(tables, asset, offset, run, std::span(mapped.get(), done)));
    return std::shared_ptr<const std::byte[]>(mapped, mapped.get() + run.within);
}

// Compares `raw` with the hashes of its pieces in the manifest; if the asset has only one piece, with the hash of the
// asset.
Status BlockReader::verify_raw(const BundleTables& tables, const AssetRecord& asset, std::uint64_t offset,
                               const BlockRun& run, std::span<const std::byte> raw) const {
    if (asset.piece_count() == 1) {
        const std::uint64_t at = run.within - offset;
        if (!fits(at, asset.raw_bytes, raw.size()))
            return Error(ErrorCode::malformed, "its block is shorter than what it should hold");
        return blake3(raw.subspan(at, asset.raw_bytes)) == id_from<Hash>(asset.id) ? ok()
                                                                                   : Status(corrupt_raw(run.first));
    }
    const std::uint64_t piece_bytes = 1ull << asset.piece_log2;
    const std::uint64_t first = offset >> asset.piece_log2;
    for (std::uint64_t i = 0; i < run.count; ++i) {
        FARDEL_TRY_ASSIGN(const Hash expected, piece_hash(tables, asset.piece_first + first + i));
        const std::uint64_t size = std::min(piece_bytes, asset.raw_bytes - (first + i) * piece_bytes);
        if (!fits(i * piece_bytes, size, raw.size()) || blake3(raw.subspan(i * piece_bytes, size)) != expected)
            return corrupt_raw(run.first + static_cast<std::uint32_t>(i));
    }
    return ok();
}

}  // namespace fardel
