#include "block_reader.h"

#include "blocks/read_scratch.h"

#include <fardel/base/executor.h>
#include <fardel/base/fits.h>
#include <fardel/base/threads.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace fardel {
namespace {

// Bytes that failed a check do not stay in the caller's memory, where a caller who ignores the error would use them.
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

constexpr std::size_t kSharedPiecesMin = 4;

// The error of the earliest of several pieces that threads read; nothing more is read after one.
class FirstError {
public:
    bool is_set() const noexcept { return is_set_.load(std::memory_order_relaxed); }
    void note(std::size_t index, Status status) {
        if (status)
            return;
        const std::scoped_lock lock(mutex_);
        if (is_set() && index > index_)
            return;
        status_ = std::move(status);
        index_ = index;
        is_set_.store(true, std::memory_order_relaxed);
    }
    // When no thread reads any more.
    Status status() { return std::move(status_); }

private:
    std::atomic<bool> is_set_{false};
    Mutex mutex_;
    Status status_;
    std::size_t index_ = 0;
};

}  // namespace

BlockReader::BlockReader(const ByteSource& source, const LayoutHead& layout, ProvedRuns proved,
                         std::shared_ptr<BlockCache> cache)
    : source_(source),
      blocks_offset_(layout.blocks_offset),
      blocks_bytes_(layout.blocks_bytes),
      proved_(std::move(proved)),
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
        if (!fits(placement.offset, asset.raw_bytes, limits::kBlockBytesMax))
            return Error(ErrorCode::malformed, "the asset's placement is outside any block");
        return read_block(tables, placement.first_block, placement.offset + static_cast<std::uint32_t>(offset), out,
                          check_of_asset(index, asset, placement.offset));
    }
    if (placement.offset != 0 || !fits(placement.first_block, pieces, limits::kBlocksMax))
        return Error(ErrorCode::malformed, "the asset's placement is not valid");
    const std::uint64_t piece_bytes = 1ull << asset.piece_log2;
    const std::uint64_t first = offset >> asset.piece_log2;
    const std::uint64_t end = offset + out.size();
    const auto count = static_cast<std::size_t>(((end - 1) >> asset.piece_log2) - first + 1);
    FirstError failure;
    // A thread that waits for work costs as much as a few blocks.
    Executor* const others = cache_ && count >= kSharedPiecesMin ? cache_->executor() : nullptr;
    share_work(others, count, [&](std::size_t i) {
        if (failure.is_set())
            return;
        const std::uint64_t piece = first + i;
        const std::uint64_t from = std::max(offset, piece * piece_bytes);
        const std::uint64_t to = std::min(end, (piece + 1) * piece_bytes);
        const PieceRange range{.piece = piece,
                               .within = static_cast<std::uint32_t>(from - piece * piece_bytes),
                               .block = placement.first_block + static_cast<std::uint32_t>(piece)};
        failure.note(
            i, read_piece(tables, asset, range,
                          out.subspan(static_cast<std::size_t>(from - offset), static_cast<std::size_t>(to - from))));
    });
    return failure.status();
}

Status BlockReader::read_piece(const BundleTables& tables, const AssetRecord& asset, const PieceRange& range,
                               std::span<std::byte> out) const {
    FARDEL_TRY_ASSIGN(const std::optional<RawCheck> check, check_of_piece(tables, asset, range.piece, range.block));
    return read_block(tables, range.block, range.within, out, check);
}

std::optional<BlockReader::RawCheck> BlockReader::check_of_asset(AssetIndex index, const AssetRecord& asset,
                                                                 std::uint64_t offset) const {
    const ProvedRuns::Run run{.index = static_cast<std::uint32_t>(index)};
    if (proved_.has(run))
        return std::nullopt;
    return RawCheck{run, id_from<Hash>(asset.id), static_cast<std::uint32_t>(offset),
                    static_cast<std::uint32_t>(asset.raw_bytes)};
}

Result<std::optional<BlockReader::RawCheck>> BlockReader::check_of_piece(const BundleTables& tables,
                                                                         const AssetRecord& asset, std::uint64_t piece,
                                                                         std::uint32_t block) const {
    if (!fits(asset.piece_first, asset.piece_count(), tables.table(TableKind::pieces).count()))
        return Error(ErrorCode::malformed, "the asset's pieces are not in the table");
    const ProvedRuns::Run run{.index = asset.piece_first + piece, .block = block, .is_piece = true};
    if (proved_.has(run))
        return std::optional<RawCheck>();
    FARDEL_TRY_ASSIGN(const Hash hash, piece_hash(tables, asset.piece_first + piece));
    const std::uint64_t piece_bytes = 1ull << asset.piece_log2;
    const std::uint64_t bytes = std::min(piece_bytes, asset.raw_bytes - piece * piece_bytes);
    return std::optional(RawCheck{run, hash, 0, static_cast<std::uint32_t>(bytes)});
}

// Compares the decoded bytes of a block with the manifest. `raw`: all of them, whose stored form has been compared with
// its hash.
Status BlockReader::prove(const RawCheck& check, std::uint32_t index, const BlockRecord& block,
                          std::span<const std::byte> raw) const {
    // Bytes behind the piece would be taken for the next one's where blocks are mapped side by side.
    if (check.run.is_piece && check.bytes != block.raw_bytes)
        return Error(ErrorCode::malformed, "block " + std::to_string(index) + " has " +
                                               std::to_string(block.raw_bytes) + " bytes, its piece has " +
                                               std::to_string(check.bytes));
    // All of a block that is stored raw: its stored hash is also the raw hash.
    const bool is_stored = block.codec == Codec::raw && check.offset == 0 && check.bytes == block.raw_bytes;
    // Raw bytes are compared with the manifest whoever signed the layout: the bundle id is what others refer to
    // (docs/decisions/0024-raw-bytes-are-compared-under-every-key.md).
    const Hash found = is_stored ? block.stored_hash : blake3(raw.subspan(check.offset, check.bytes));
    if (found != check.hash)
        return corrupt_raw(index);
    proved_.add(check.run);
    return ok();
}

Status BlockReader::read_block(const BundleTables& tables, std::uint32_t index, std::uint32_t offset,
                               std::span<std::byte> out, const std::optional<RawCheck>& check) const {
    FARDEL_TRY_ASSIGN(const BlockRecord block, tables.record<BlockRecord>(index));
    if (!fits(offset, out.size(), block.raw_bytes) || (check && !fits(check->offset, check->bytes, block.raw_bytes)))
        return Error(ErrorCode::malformed, "block " + std::to_string(index) + " is shorter than what it should hold");

    // The whole block is wanted: it is decoded directly into the caller's memory, without the cache.
    if (out.size() == block.raw_bytes) {
        FARDEL_TRY(load(block, out, nullptr));
        Status good = check ? prove(*check, index, block, out) : ok();
        if (!good)
            wipe(out);
        return good;
    }

    const ReadScratchPool::Lease scratch = scratch_.acquire();
    FARDEL_TRY_ASSIGN(const std::byte* raw, find_or_load(block, *scratch));
    if (check)
        FARDEL_TRY(prove(*check, index, block, {raw, block.raw_bytes}));
    std::memcpy(out.data(), raw + offset, out.size());
    return ok();
}

// Returns the block's decoded bytes: the last ones of `scratch`, the cache's, or the file's. They live until `scratch`
// is used again.
Result<const std::byte*> BlockReader::find_or_load(const BlockRecord& block, ReadScratch& scratch) const {
    // Neighbouring small files lie in one block; a thread that reads them in order asks the shared cache once per
    // block.
    if (!is_last(scratch, block)) {
        BlockCache::Block raw = cache_ ? cache_->find(block) : nullptr;
        if (!raw) {
            auto decoded = cache_ ? cache_->make_room(block.raw_bytes) : allocate_bytes(nullptr, block.raw_bytes);
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
        status = decode(block, raw, *scratch_.acquire());
    if (!status)
        wipe(raw);
    return status;
}

Status BlockReader::read_stored(const BlockRecord& block, std::span<std::byte> stored) const {
    const std::uint64_t at = blocks_offset_ + block.stored_offset;
    const auto start = std::chrono::steady_clock::now();
    FARDEL_TRY(source_.read_at(at, stored));
    if (cache_)
        cache_->count_load(block.raw_bytes, std::chrono::steady_clock::now() - start);
    // Before zstd sees them: the decoder gets only bytes that some layout lists, and damage is not reported as a bad
    // frame.
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
    const bool one_piece = asset.piece_count() == 1;
    std::uint64_t done = 0;
    for (std::uint64_t i = 0; i < run.count; ++i) {
        const auto index_of_block = static_cast<std::uint32_t>(run.first + i);
        FARDEL_TRY_ASSIGN(const BlockRecord block, tables.record<BlockRecord>(index_of_block));
        // A view is one range of the file, so its blocks have to be raw and to lie side by side.
        if (block.codec != Codec::raw || block.stored_bytes != block.raw_bytes ||
            blocks_offset_ + block.stored_offset != stored.offset + done)
            return Error(ErrorCode::unsupported, "its blocks are not stored raw and adjacent; read it instead");
        if (!fits(done, block.stored_bytes, stored.length_bytes))
            return Error(ErrorCode::malformed, "its blocks are not in order");
        if (blake3(std::span(mapped.get() + done, block.stored_bytes)) != block.stored_hash)
            return Error(ErrorCode::corrupt, "stored bytes at file offset " + std::to_string(stored.offset + done) +
                                                 " + " + std::to_string(block.stored_bytes) +
                                                 " differ from their hash");
        std::optional<RawCheck> check;
        if (one_piece) {
            check = check_of_asset(index, asset, run.within - offset);
        } else {
            FARDEL_TRY_ASSIGN(check, check_of_piece(tables, asset, (offset >> asset.piece_log2) + i, index_of_block));
        }
        if (check && !fits(check->offset, check->bytes, block.raw_bytes))
            return Error(ErrorCode::malformed,
                         "block " + std::to_string(index_of_block) + " is shorter than what it should hold");
        if (check)
            FARDEL_TRY(prove(*check, index_of_block, block, {mapped.get() + done, block.raw_bytes}));
        done += block.stored_bytes;
    }
    if (!fits(run.within, length, done))
        return Error(ErrorCode::malformed, "its blocks are shorter than what they should hold");
    return std::shared_ptr<const std::byte[]>(mapped, mapped.get() + run.within);
}

}  // namespace fardel
