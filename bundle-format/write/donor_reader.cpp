#include "donor_reader.h"

#include <fardel/base/fits.h>
#include <fardel/base/threads.h>
#include <fardel/format/block_encoder.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// Two runs in the caches of a processor beside other things: who asks for a block finds its bytes there.
constexpr std::size_t kReadAheadBytes = std::size_t{1} << 20;
// Waking a thread costs as much as reading a few blocks.
constexpr std::size_t kReadAheadBlocks = 64;

}  // namespace

// Consecutive blocks, which one thread reads.
class DonorReader::Run {
public:
    Run(std::shared_ptr<const Bundle> bundle, std::uint32_t first, std::size_t count_max)
        : bundle_(std::move(bundle)), first_(first) {
        std::size_t bytes = 0;
        do {
            Entry entry{.at = bytes};
            auto record = find_record(end());
            if (record)
                entry.record = *record;
            else
                entry.error = std::move(record).error();
            bytes += entry.record.stored_bytes;
            entries_.push_back(std::move(entry));
        } while (entries_.size() < count_max && bytes < kReadAheadBytes &&
                 end() < bundle_->table_count(TableKind::blocks));
        bytes_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    }

    std::uint32_t end() const noexcept { return first_ + static_cast<std::uint32_t>(entries_.size()); }
    bool contains(std::uint32_t block) const noexcept { return block >= first_ && block < end(); }
    std::size_t size() const noexcept { return entries_.size(); }

    // Reads all, unless another thread does or has.
    void read() {
        if (begun_.exchange(true))
            return;
        for (Entry& entry : entries_)
            if (!entry.error)
                if (Status read = read_stored(entry); !read)
                    entry.error = std::move(read).error();
        read_.store(true, std::memory_order_release);
        wake_all(read_);
    }

    Result<Block> block(std::uint32_t number) {
        read();
        wait_while(read_, false);
        const Entry& entry = entries_[number - first_];
        if (entry.error)
            return *entry.error;
        return Block{.record = entry.record, .stored = bytes_of(entry)};
    }

private:
    struct Entry {
        BlockRecord record;
        std::size_t at = 0;          // in bytes_
        std::optional<Error> error;  // why the block cannot be had
    };

    std::span<std::byte> bytes_of(const Entry& entry) const noexcept {
        return {bytes_.get() + entry.at, entry.record.stored_bytes};
    }

    Result<BlockRecord> find_record(std::uint32_t number) const {
        FARDEL_TRY_ASSIGN(const BlockRecord record, bundle_->block(number));
        if (record.stored_bytes > stored_bytes_max(limits::kBlockBytesMax))
            return Error(ErrorCode::limit, "the stored block is larger than any");
        if (!fits(record.stored_offset, record.stored_bytes, bundle_->layout_head().blocks_bytes))
            return Error(ErrorCode::malformed, "a block lies outside the block section");
        return record;
    }

    Status read_stored(const Entry& entry) {
        const std::span<std::byte> stored = bytes_of(entry);
        FARDEL_TRY(
            bundle_->source()->read_at(bundle_->layout_head().blocks_offset + entry.record.stored_offset, stored));
        if (blake3(stored) != entry.record.stored_hash)
            return Error(ErrorCode::corrupt, "a block's stored bytes differ from their hash");
        return ok();
    }

    const std::shared_ptr<const Bundle> bundle_;
    const std::uint32_t first_;
    std::vector<Entry> entries_;  // records from the beginning; errors and bytes_ belong to the thread that reads
    std::unique_ptr<std::byte[]> bytes_;
    std::atomic<bool> begun_ = false;
    std::atomic<bool> read_ = false;
};

DonorReader::DonorReader(std::shared_ptr<const Bundle> bundle, std::shared_ptr<Executor> executor)
    : bundle_(std::move(bundle)), executor_(std::move(executor)) {}

Result<DonorReader::Block> DonorReader::read(std::uint32_t block) {
    if (!run_ || !run_->contains(block)) {
        // Whoever goes on where a run ended will want more; whoever jumps may want one block only.
        const bool goes_on = run_ && block == run_->end();
        const std::size_t count_max = goes_on ? std::min(2 * run_->size(), kReadAheadBlocks) : 1;
        const auto ahead = std::exchange(next_, nullptr);
        run_ = ahead && ahead->contains(block) ? ahead : std::make_shared<Run>(bundle_, block, count_max);
        if (goes_on && executor_ && run_->end() < bundle_->table_count(TableKind::blocks)) {
            const auto next = std::make_shared<Run>(bundle_, run_->end(), kReadAheadBlocks);
            if (try_run(*executor_, [next] { next->read(); }))
                next_ = next;
        }
    }
    return run_->block(block);
}

}  // namespace fardel
