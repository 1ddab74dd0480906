#include "delta/held_content.h"

#include <fardel/delivery/block_parts.h>
#include <fardel/delivery/raw_block.h>

#include <fardel/format/limits.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kBatchBytes = 8u << 20;

// Encodes blocks in batches, and counts those that come out otherwise.
class BatchEncoder {
public:
    BatchEncoder(std::optional<std::uint32_t> level, const TakeBlock& take) : level_(level), take_(take) {}

    std::optional<std::uint32_t> level() const noexcept { return level_; }
    bool has_given_up() const noexcept { return failures_ >= kEncodingFailuresMax; }

    Status add(std::uint32_t index, const BlockRecord& record, std::vector<std::byte> raw) {
        bytes_ += raw.size();
        indices_.push_back(index);
        records_.push_back(record);
        memory_.push_back(std::move(raw));
        return bytes_ >= kBatchBytes ? finish() : ok();
    }

    Status finish() {
        std::vector<RawBlock> blocks;
        for (std::size_t i = 0; i < records_.size(); ++i)
            blocks.push_back({records_[i], memory_[i]});
        if (!level_)
            level_ = level_of(blocks);
        Status encoded = encode_blocks(blocks, level_.value_or(0), 0, [&](std::size_t i, const auto& stored) -> Status {
            failures_ += stored ? 0 : 1;
            return stored ? take_(indices_[i], *stored) : ok();
        });
        indices_.clear();
        records_.clear();
        memory_.clear();
        bytes_ = 0;
        return encoded;
    }

private:
    // Nothing if all are stored raw.
    static std::optional<std::uint32_t> level_of(std::span<const RawBlock> blocks) {
        std::vector<RawBlock> samples;
        for (const RawBlock& block : blocks)
            if (block.record.codec != Codec::raw && samples.size() < kLevelSamples)
                samples.push_back(block);
        return samples.empty() ? std::nullopt : std::optional(find_level(samples));
    }

    std::optional<std::uint32_t> level_;
    const TakeBlock& take_;
    std::vector<std::uint32_t> indices_;
    std::vector<BlockRecord> records_;
    std::vector<std::vector<std::byte>> memory_;
    std::size_t bytes_ = 0;
    std::size_t failures_ = 0;
};

// Returns the raw bytes of the block that consists of the parts; nothing if some cannot be read.
Result<std::optional<std::vector<std::byte>>> content_of(const Bundle& target, const BlockRecord& record,
                                                         std::span<const BlockPart> parts, const ReadPart& read) {
    std::vector<std::byte> raw(record.raw_bytes);
    std::uint64_t end = 0;
    for (const BlockPart& part : parts) {
        FARDEL_TRY_ASSIGN(const AssetRecord asset, target.asset(part.asset));
        if (part.offset != end || part.length_bytes > raw.size() - end ||
            !read(asset.id, part, std::span(raw).subspan(part.offset, part.length_bytes)))
            return std::optional<std::vector<std::byte>>();
        end += part.length_bytes;
    }
    return end == raw.size() ? std::optional(std::move(raw)) : std::nullopt;
}

// Blocks to try levels with.
Result<std::vector<BlockRecord>> samples_of_held(const Bundle& target, const std::vector<bool>& held) {
    std::vector<BlockRecord> samples;
    for (std::uint32_t i = 0; i < held.size() && samples.size() < kLevelSamples; ++i) {
        if (!held[i])
            continue;
        FARDEL_TRY_ASSIGN(const BlockRecord record, target.block(i));
        if (record.codec != Codec::raw)
            samples.push_back(record);
    }
    return samples;
}

}  // namespace

bool holds_asset(HeldBundles others, const AssetId& id) {
    return std::ranges::any_of(others, [&](const auto& other) {
        const auto found = other->find_asset(id);
        return found && *found;
    });
}

bool read_held_part(HeldBundles others, const AssetId& id, const BlockPart& part, std::span<std::byte> out) {
    for (const auto& other : others) {
        const auto found = other->find_asset(id);
        if (found && *found && other->read_at(**found, part.asset_offset, out))
            return true;
    }
    return false;
}

Result<std::optional<std::uint32_t>> find_level_of_held(const Bundle& target, const std::vector<bool>& held) {
    FARDEL_TRY_ASSIGN(const std::vector<BlockRecord> samples, samples_of_held(target, held));
    if (samples.empty())
        return std::optional<std::uint32_t>();
    const auto level = find_level(target, samples);
    return std::optional(level ? *level : 0u);  // held bytes that cannot be read are found by others
}

Result<bool> may_encode_at(const Bundle& target, const std::vector<bool>& held, std::uint32_t level) {
    if (level == 0)
        return true;  // nothing is encoded
    FARDEL_TRY_ASSIGN(const std::vector<BlockRecord> samples, samples_of_held(target, held));
    const auto comes_out = is_level_of(target, samples, level);
    return !comes_out || *comes_out;  // held bytes that cannot be read are found by others
}

Result<std::uint32_t> encode_content(const Bundle& target, std::uint32_t level, const std::vector<bool>& wanted,
                                     const ReadPart& read, const std::stop_token& stop, const TakeBlock& take) {
    FARDEL_TRY_ASSIGN(const std::vector<BlockPart> parts, block_parts(target, wanted));
    return encode_parts(target, level, parts, read, stop, take);
}

Result<std::uint32_t> encode_parts(const Bundle& target, std::optional<std::uint32_t> level,
                                   std::span<const BlockPart> parts, const ReadPart& read, const std::stop_token& stop,
                                   const TakeBlock& take) {
    BatchEncoder encoder(level, take);
    for (std::span<const BlockPart> rest = parts; !rest.empty() && !encoder.has_given_up();) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "encoding blocks was stopped");
        const std::span<const BlockPart> own = first_block(rest);
        rest = rest.subspan(own.size());
        const std::uint32_t index = own.front().block;
        FARDEL_TRY_ASSIGN(const BlockRecord record, target.block(index));
        if (record.raw_bytes > limits::kBlockBytesMax || (encoder.level() == 0u && record.codec != Codec::raw))
            continue;
        FARDEL_TRY_ASSIGN(auto raw, content_of(target, record, own, read));
        if (raw)
            FARDEL_TRY(encoder.add(index, record, *std::move(raw)));
    }
    FARDEL_TRY(encoder.finish());
    return encoder.level().value_or(0);
}

}  // namespace fardel
