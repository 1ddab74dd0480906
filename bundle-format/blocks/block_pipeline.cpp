#include "block_pipeline.h"

#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace fardel {
namespace {

// Encoders still have work while the caller opens a file or waits for a slow block.
constexpr std::size_t kBlocksPerThread = 8;

bool equal(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

Result<std::unique_ptr<BlockPipeline>> BlockPipeline::start(unsigned jobs) {
    std::unique_ptr<BlockPipeline> pipeline(new BlockPipeline(jobs));
    for (unsigned i = 0; i < jobs; ++i) {
        const bool started = pipeline->threads_.try_start(
            [&ring = *pipeline, encoder = BlockEncoder()]() mutable { ring.encode_blocks(encoder); });
        if (!started && i == 0)
            pipeline->own_ = std::make_unique<OwnEncoder>();
        if (!started)
            break;
    }
    return pipeline;
}

BlockPipeline::BlockPipeline(unsigned jobs) : slots_(jobs * kBlocksPerThread) {
    assert(jobs > 0);
    for (Slot& slot : slots_)
        slot.frame = std::make_unique_for_overwrite<std::byte[]>(stored_bytes_max(limits::kBlockBytesMax));
}

BlockPipeline::~BlockPipeline() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    pushed_one_.notify_all();
}

void BlockPipeline::push(BlockBuffer& raw, bool piece, const BlockEncoding& encoding) {
    assert(!full() && raw.size_bytes() > 0);
    Slot& next = slot(pushed_);
    std::swap(next.raw, raw);
    raw.clear();
    next.encoding = encoding;
    next.block.piece = piece;
    next.done = false;
    {
        const std::lock_guard lock(mutex_);
        ++pushed_;
    }
    pushed_one_.notify_one();
    if (own_) {
        encode(next, own_->encoder, own_->decoder, own_->decoded);
        next.done = true;
        claimed_ = pushed_;
    }
}

void BlockPipeline::push_encoded(const EncodedBlock& block) {
    assert(!full() && block.stored.size() <= stored_bytes_max(limits::kBlockBytesMax));
    Slot& next = slot(pushed_);
    std::memcpy(next.frame.get(), block.stored.data(), block.stored.size());
    next.block = block;
    next.block.stored = {next.frame.get(), block.stored.size()};
    next.decodes = next.done = true;
    const std::lock_guard lock(mutex_);
    ++pushed_;
}

Result<EncodedBlock> BlockPipeline::pop() {
    assert(size() > 0);
    Slot& oldest = slot(popped_);
    {
        std::unique_lock lock(mutex_);
        done_one_.wait(lock, [&] { return oldest.done; });
        ++popped_;
        claimed_ = std::max(claimed_, popped_);  // nobody claims a copied block
    }
    if (!oldest.decodes)
        return Error(ErrorCode::corrupt,
                     "a block does not decode to what was encoded; this machine's memory may be faulty");
    return oldest.block;
}

void BlockPipeline::drop_newest(std::size_t count) {
    assert(count <= size());
    std::unique_lock lock(mutex_);
    pushed_ -= count;
    for (std::uint64_t number = pushed_; number < claimed_; ++number)
        done_one_.wait(lock, [&] { return slot(number).done; });
    claimed_ = std::min(claimed_, pushed_);
}

bool BlockPipeline::find_unclaimed() noexcept {
    // A copied block has a place in the ring as well, so that blocks come out in the order in which they went in.
    while (claimed_ < pushed_ && slot(claimed_).done)
        ++claimed_;
    return claimed_ < pushed_;
}

void BlockPipeline::encode_blocks(BlockEncoder& encoder) {
    BlockDecoder decoder;
    BlockBuffer decoded;
    for (;;) {
        Slot* claimed = nullptr;
        {
            std::unique_lock lock(mutex_);
            pushed_one_.wait(lock, [this] { return ending_ || find_unclaimed(); });
            if (ending_)
                return;
            claimed = &slot(claimed_++);
        }
        encode(*claimed, encoder, decoder, decoded);
        {
            const std::lock_guard lock(mutex_);
            claimed->done = true;
        }
        done_one_.notify_one();
    }
}

void BlockPipeline::encode(Slot& slot, BlockEncoder& encoder, BlockDecoder& decoder, BlockBuffer& decoded) const {
    const std::span<const std::byte> raw = slot.raw.bytes();
    const std::span<std::byte> room(slot.frame.get(), stored_bytes_max(limits::kBlockBytesMax));
    const BlockEncoder::Encoded encoded = encoder.encode_best(slot.encoding, raw, room);

    EncodedBlock& block = slot.block;
    block.codec = encoded.codec;
    block.stored = encoded.stored;
    block.raw_bytes = static_cast<std::uint32_t>(raw.size());
    block.stored_hash = blake3(block.stored);
    block.raw_hash = !block.piece ? Hash{} : block.codec == Codec::raw ? block.stored_hash : blake3(raw);

    const std::span<std::byte> back = decoded.room().first(raw.size());
    slot.decodes = block.codec == Codec::raw || (decoder.decode(block.codec, block.stored, back) && equal(back, raw));
}

}  // namespace fardel
