#include <fardel/delivery/raw_block.h>

#include <fardel/base/fits.h>
#include <fardel/base/parallel.h>
#include <fardel/format/block_encoder.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace fardel {
namespace {

// Returns the stored bytes, in `room` or in `raw`; they may be those of another codec.
std::span<const std::byte> encoded(const RawBlock& block, std::uint32_t level, BlockEncoder& encoder,
                                   std::span<std::byte> room) {
    const BlockEncoding encoding{.codec = block.record.codec, .level = static_cast<int>(level)};
    return encoding.codec == Codec::raw ? block.raw : encoder.encode(encoding, block.raw, room);
}

bool is_block(const BlockRecord& record, std::span<const std::byte> stored) {
    return stored.size() == record.stored_bytes && blake3(stored) == record.stored_hash;
}

}  // namespace

// ---- Reading --------------------------------------------------------------------------------------------------------

Result<std::vector<BlockRecord>> block_records(const Bundle& bundle) {
    std::vector<BlockRecord> records;
    std::uint64_t end = 0;
    for (std::uint32_t i = 0; i < bundle.table_count(TableKind::blocks); ++i) {
        FARDEL_TRY_ASSIGN(const BlockRecord block, bundle.block(i));
        if (block.stored_offset < end || block.stored_bytes == 0 || block.stored_bytes > limits::kBlockBytesMax ||
            !fits(block.stored_offset, block.stored_bytes, bundle.layout_head().blocks_bytes))
            return Error(ErrorCode::malformed, "bundle " + bundle.id().hex() + ": a block is out of place");
        end = block.stored_offset + block.stored_bytes;
        records.push_back(block);
    }
    return records;
}

Result<std::unordered_map<Hash, std::uint32_t>> blocks_by_hash(const Bundle& bundle) {
    std::unordered_map<Hash, std::uint32_t> blocks;
    for (std::uint32_t i = 0; i < bundle.table_count(TableKind::blocks); ++i) {
        FARDEL_TRY_ASSIGN(const BlockRecord block, bundle.block(i));
        blocks.try_emplace(block.stored_hash, i);
    }
    return blocks;
}

Status read_stored_block(const Bundle& bundle, const BlockRecord& block, std::span<std::byte> out) {
    FARDEL_TRY(bundle.source()->read_at(bundle.layout_head().blocks_offset + block.stored_offset, out));
    return blake3(out) == block.stored_hash ? ok() : Error(ErrorCode::corrupt, "a block differs from its hash");
}

Status RawBlocks::read(const BlockRecord& block, std::span<std::byte> out) {
    if (block.stored_bytes > limits::kBlockBytesMax)
        return Error(ErrorCode::malformed, "a block is too large");
    stored_.resize(block.stored_bytes);
    FARDEL_TRY(read_stored_block(*bundle_, block, stored_));
    return decoder_.decode(block.codec, stored_, out);
}

Status RawBlocks::read_all(std::span<const BlockRecord> blocks, std::span<std::byte> out, unsigned jobs) {
    std::vector<std::span<std::byte>> parts;
    for (const BlockRecord& block : blocks) {
        parts.push_back(out.first(block.raw_bytes));
        out = out.subspan(block.raw_bytes);
    }
    OrderedWork work(blocks.size());
    const auto read_with = [&](RawBlocks& reader) {
        while (const auto i = work.take())
            work.note(*i, reader.read(blocks[*i], parts[*i]));
    };
    run_on_threads(
        work.useful_workers(worker_count(jobs)),
        [&] {
            RawBlocks reader(*bundle_);
            read_with(reader);
        },
        [&] { read_with(*this); });
    return std::move(work).finish();
}

// ---- Encoding -------------------------------------------------------------------------------------------------------

Status encode_blocks(std::span<const RawBlock> blocks, std::uint32_t level, unsigned jobs,
                     const std::function<Status(std::size_t, std::optional<std::span<const std::byte>>)>& take) {
    std::vector<std::vector<std::byte>> stored(blocks.size());
    std::vector<std::uint8_t> same(blocks.size(), 0);
    std::atomic<std::size_t> next = 0;
    const auto workers = static_cast<unsigned>(std::min<std::size_t>(worker_count(jobs), blocks.size()));
    run_on_threads(workers, [&] {
        BlockEncoder encoder;
        std::vector<std::byte> room(stored_bytes_max(limits::kBlockBytesMax));
        for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < blocks.size();) {
            const std::span<const std::byte> frame = encoded(blocks[i], level, encoder, room);
            if (!is_block(blocks[i].record, frame))
                continue;
            same[i] = 1;
            // Raw blocks are passed on where they are; only what was encoded is copied out of `room`.
            if (frame.data() != blocks[i].raw.data())
                stored[i].assign(frame.begin(), frame.end());
        }
    });
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::span<const std::byte> bytes =
            stored[i].empty() ? blocks[i].raw : std::span(std::as_const(stored[i]));
        FARDEL_TRY(take(i, same[i] != 0 ? std::optional(bytes) : std::nullopt));
    }
    return ok();
}

// ---- Levels ---------------------------------------------------------------------------------------------------------

namespace {

bool come_out_at(std::span<const RawBlock> blocks, std::uint32_t level) {
    bool all = true;
    return encode_blocks(blocks, level, 0,
                         [&](std::size_t, const auto& stored) {
                             all = all && stored.has_value();
                             return ok();
                         }) &&
           all;
}

// The raw bytes of some blocks, to try levels with.
class LevelSamples {
public:
    static Result<LevelSamples> read(const Bundle& bundle, std::span<const BlockRecord> records) {
        LevelSamples samples;
        RawBlocks reader(bundle);
        for (const BlockRecord& record : records) {
            if (samples.blocks_.size() == kLevelSamples)
                break;
            if (record.codec == Codec::raw || record.raw_bytes > limits::kBlockBytesMax)
                continue;
            samples.memory_.emplace_back(record.raw_bytes);
            FARDEL_TRY(reader.read(record, samples.memory_.back()));
            samples.blocks_.push_back({record, samples.memory_.back()});
        }
        return samples;
    }

    std::span<const RawBlock> blocks() const noexcept { return blocks_; }

private:
    std::vector<std::vector<std::byte>> memory_;
    std::vector<RawBlock> blocks_;
};

}  // namespace

Result<std::uint32_t> find_level(const Bundle& bundle, std::span<const BlockRecord> records) {
    FARDEL_TRY_ASSIGN(const LevelSamples samples, LevelSamples::read(bundle, records));
    return find_level(samples.blocks());
}

std::uint32_t find_level(std::span<const RawBlock> blocks) {
    if (blocks.empty())
        return 0;
    // The levels that bundles most likely have come first, because each attempt encodes all samples.
    std::vector<std::uint32_t> levels = {kLevelDefault, kLevelMax};
    for (std::uint32_t level = kLevelMin; level <= kLevelMax; ++level)
        if (std::ranges::find(levels, level) == levels.end())
            levels.push_back(level);
    const auto level = std::ranges::find_if(levels, [&](std::uint32_t one) { return come_out_at(blocks, one); });
    return level == levels.end() ? 0u : *level;
}

Result<bool> is_level_of(const Bundle& bundle, std::span<const BlockRecord> records, std::uint32_t level) {
    FARDEL_TRY_ASSIGN(const LevelSamples samples, LevelSamples::read(bundle, records));
    return come_out_at(samples.blocks(), level);
}

}  // namespace fardel
