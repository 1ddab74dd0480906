#include "delta/held_content.h"

#include "delta/block_parts.h"
#include "delta/raw_block.h"

#include <fardel/format/limits.h>

#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kBatchBytes = 8u << 20;

// Encodes blocks in batches, and counts those that come out otherwise.
class BatchEncoder {
public:
    BatchEncoder(std::uint32_t level, const TakeBlock& take) : level_(level), take_(take) {}

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
        Status encoded = encode_blocks(blocks, level_, 0, [&](std::size_t i, const auto& stored) -> Status {
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
    const std::uint32_t level_;
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

bool read_held_part(HeldBundles others, const AssetId& id, const BlockPart& part, std::span<std::byte> out) {
    for (const auto& other : others) {
        const auto found = other->find_asset(id);
        if (found && *found && other->read_at(**found, part.asset_offset, out))
            return true;
    }
    return false;
}

Result<std::uint32_t> find_level_of_held(const Bundle& target, const std::vector<bool>& held) {
    FARDEL_TRY_ASSIGN(const std::vector<BlockRecord> samples, samples_of_held(target, held));
    auto level = find_level(target, samples);
    return level ? std::move(level) : 0u;  // held bytes that cannot be read are found by others
}

Result<bool> may_encode_at(const Bundle& target, const std::vector<bool>& held, std::uint32_t level) {
    if (level == 0)
        return true;  // nothing is encoded
    FARDEL_TRY_ASSIGN(const std::vector<BlockRecord> samples, samples_of_held(target, held));
    const auto comes_out = is_level_of(target, samples, level);
    return !comes_out || *comes_out;  // held bytes that cannot be read are found by others
}

Status encode_content(const Bundle& target, std::uint32_t level, const std::vector<bool>& wanted, const ReadPart& read,
                      const std::stop_token& stop, const TakeBlock& take) {
    FARDEL_TRY_ASSIGN(const std::vector<BlockPart> parts, block_parts(target, wanted));
    return encode_parts(target, level, parts, read, stop, take);
}

Status encode_parts(const Bundle& target, std::uint32_t level, std::span<const BlockPart> parts, const ReadPart& read,
                    const std::stop_token& stop, const TakeBlock& take) {
    BatchEncoder encoder(level, take);
    for (std::span<const BlockPart> rest = parts; !rest.empty() && !encoder.has_given_up();) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "encoding blocks was stopped");
        const std::span<const BlockPart> own = first_block(rest);
        rest = rest.subspan(own.size());
        const std::uint32_t index = own.front().block;
        FARDEL_TRY_ASSIGN(const BlockRecord record, target.block(index));
        if (record.raw_bytes > limits::kBlockBytesMax || (level == 0 && record.codec != Codec::raw))
            continue;
        FARDEL_TRY_ASSIGN(auto raw, content_of(target, record, own, read));
        if (raw)
            FARDEL_TRY(encoder.add(index, record, *std::move(raw)));
    }
    return encoder.finish();
}

}  // namespace fardel
