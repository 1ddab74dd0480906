// BlockPipeline: takes raw blocks and returns stored blocks in the same order; threads encode them in between. No I/O.
//
// A ring of a few blocks per thread bounds memory. One thread, the caller's, adds blocks and takes them out. Their
// order and every byte are the same for any number of encoders.
#pragma once

#include <fardel/base/fits.h>
#include <fardel/base/parallel.h>
#include <fardel/base/result.h>
#include <fardel/base/threads.h>
#include <fardel/format/block_encoder.h>
#include <fardel/format/ids.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace fardel {

// Memory for the raw bytes of any block, and their number.
class BlockBuffer {
public:
    std::size_t size_bytes() const noexcept { return size_; }
    std::span<const std::byte> bytes() const noexcept { return {memory_.get(), size_}; }
    std::span<std::byte> room() noexcept { return std::span(memory_.get(), limits::kBlockBytesMax).subspan(size_); }
    std::span<std::byte> part(std::size_t offset, std::size_t size) noexcept {
        return std::span(memory_.get(), size_).subspan(offset, size);
    }
    void grow(std::size_t more) noexcept { size_ += more; }
    void clear() noexcept { size_ = 0; }

private:
    std::unique_ptr<std::byte[]> memory_ = std::make_unique_for_overwrite<std::byte[]>(limits::kBlockBytesMax);
    std::size_t size_ = 0;
};

struct EncodedBlock {
    Codec codec = Codec::raw;
    std::uint32_t raw_bytes = 0;
    bool piece = false;  // the block is one of several pieces of an asset
    Hash raw_hash;       // set for pieces
    Hash stored_hash;
    std::span<const std::byte> stored;  // valid until the next push
};

class BlockPipeline {
public:
    // Starts fewer threads than `jobs` if the system gives no more; if it gives none, push() encodes.
    static Result<std::unique_ptr<BlockPipeline>> start(unsigned jobs);
    ~BlockPipeline();  // discards the blocks that are still inside
    BlockPipeline(const BlockPipeline&) = delete;
    BlockPipeline& operator=(const BlockPipeline&) = delete;

    std::size_t size() const noexcept { return in_memory(pushed_ - popped_); }
    bool full() const noexcept { return size() == slots_.size(); }

    // Takes the bytes, at least one, and leaves `raw` empty. The pipeline must not be full.
    void push(BlockBuffer& raw, bool piece, const BlockEncoding& encoding);
    // Copies a block that is already encoded. The pipeline must not be full.
    void push_encoded(const EncodedBlock& block);
    // Waits for the oldest block. The pipeline must not be empty. Error: corrupt (the block does not decode to the
    // bytes that were encoded: the machine or libzstd is faulty).
    Result<EncodedBlock> pop();
    // Discards the `count` newest blocks.
    void drop_newest(std::size_t count);

private:
    explicit BlockPipeline(unsigned jobs);
    struct Slot {
        BlockBuffer raw;
        BlockEncoding encoding;
        std::unique_ptr<std::byte[]> frame;
        EncodedBlock block;
        bool decodes = true;
        bool done = false;  // guarded by mutex_; the rest belongs to one thread at a time
    };
    struct OwnEncoder {
        BlockEncoder encoder;
        BlockDecoder decoder;
        BlockBuffer decoded;
    };
    // Whether a block is to be encoded; claimed_ is then its number. Under mutex_.
    bool find_unclaimed() noexcept;
    void encode_blocks(BlockEncoder& encoder);
    void encode(Slot& slot, BlockEncoder& encoder, BlockDecoder& decoder, BlockBuffer& decoded) const;
    Slot& slot(std::uint64_t number) noexcept { return slots_[in_memory(number % slots_.size())]; }

    std::vector<Slot> slots_;
    Mutex mutex_;
    ConditionVariable pushed_one_;
    ConditionVariable done_one_;
    bool ending_ = false;
    // Blocks are numbered from 0: popped_ ≤ claimed_ ≤ pushed_. Changed under mutex_; popped_ and pushed_ only by the
    // caller's thread, which may read them without.
    std::uint64_t popped_ = 0;
    std::uint64_t claimed_ = 0;
    std::uint64_t pushed_ = 0;
    std::unique_ptr<OwnEncoder> own_;  // of push(), if there is no thread
    WorkerThreads threads_;            // last: the threads end before the other members are destroyed
};

}  // namespace fardel
