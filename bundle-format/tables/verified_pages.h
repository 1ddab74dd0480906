// VerifiedPages: the records of one table as far as they are verified already, for look-ups that cannot wait for more.
//
// A view of a PagedTable, as good as that and no longer alive. Any number of threads.
#pragma once

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

    // Bytes [offset, offset + length), or nullptr: not all verified, not all in the table, none, or more than a page's.
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
        __builtin_prefetch(records_ + last);  // in the next line, perhaps
        return is_ready(offset) && is_ready(last) ? records_ + offset : nullptr;
    }
    // A record that the table has, or nullptr: not verified.
    template <std::uint64_t kRecordBytes>
    const std::byte* peek_record(std::uint64_t index) const noexcept {
        static_assert(limits::kPageBytes % kRecordBytes == 0);  // none crosses the end of a page
        return is_ready(index * kRecordBytes) ? records_ + index * kRecordBytes : nullptr;
    }
    // Asks the processor for a record that the table has and that will be wanted soon, verified or not.
    template <std::uint64_t kRecordBytes>
    void prefetch_record(std::uint64_t index) const noexcept {
        __builtin_prefetch(records_ + index * kRecordBytes);
    }

private:
    bool is_ready(std::uint64_t offset) const noexcept {
        return states_[offset / limits::kPageBytes].load(std::memory_order_acquire) == kReady;
    }

    const std::byte* records_ = nullptr;
    const std::atomic<std::uint8_t>* states_ = nullptr;  // one a page
    std::uint64_t length_bytes_ = 0;
};

}  // namespace fardel
