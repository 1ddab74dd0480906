// VerifiedPages: the pages of one table that are already verified, for look-ups that cannot wait for others.
//
// A view of a PagedTable, which must outlive it. Any number of threads.
#pragma once

#include <fardel/base/memory.h>
#include <fardel/format/limits.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fardel {

class VerifiedPages {
public:
    static constexpr std::uint8_t kReady = 2;  // the state of a page that is verified

    VerifiedPages() = default;  // of an empty table
    VerifiedPages(const std::byte* records, const std::atomic<std::uint8_t>* states,
                  std::uint64_t length_bytes) noexcept
        : records_(records), states_(states), length_bytes_(length_bytes) {}

    std::uint64_t length_bytes() const noexcept { return length_bytes_; }

    // Returns bytes [offset, offset + length), or nullptr if some are not verified or outside the table, or if `length`
    // is 0 or more than a page.
    const std::byte* peek(std::uint64_t offset, std::uint64_t length) const noexcept {
        const std::uint64_t last = offset + length - 1;
        if (length - 1 >= limits::kPageBytes || last >= length_bytes_ || last < offset)
            return nullptr;
        return is_ready(offset) && is_ready(last) ? records_ + offset : nullptr;
    }
    // The same for 1 to kPageBytes bytes at an offset below 2^32.
    const std::byte* peek_short(std::uint32_t offset, std::uint32_t length) const noexcept {
        const std::uint64_t last = std::uint64_t{offset} + length - 1;
        if (last >= length_bytes_)
            return nullptr;
        prefetch_line(records_ + last);  // the record may reach into the next cache line
        return is_ready(offset) && is_ready(last) ? records_ + offset : nullptr;
    }
    // Returns a record that the table has, or nullptr if it is not verified.
    template <std::uint64_t kRecordBytes>
    const std::byte* peek_record(std::uint64_t index) const noexcept {
        static_assert(limits::kPageBytes % kRecordBytes == 0);  // none crosses the end of a page
        return is_ready(index * kRecordBytes) ? records_ + index * kRecordBytes : nullptr;
    }
    // Prefetches a record that the table has and that will be wanted soon, verified or not.
    template <std::uint64_t kRecordBytes>
    void prefetch_record(std::uint64_t index) const noexcept {
        prefetch_line(records_ + index * kRecordBytes);
    }

private:
    bool is_ready(std::uint64_t offset) const noexcept {
        return states_[offset / limits::kPageBytes].load(std::memory_order_acquire) == kReady;
    }

    const std::byte* records_ = nullptr;
    const std::atomic<std::uint8_t>* states_ = nullptr;  // one per page
    std::uint64_t length_bytes_ = 0;
};

}  // namespace fardel
