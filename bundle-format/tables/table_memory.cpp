#include "table_memory.h"

#include <fardel/base/memory.h>

#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace fardel {
namespace {

// Below this size, a mapping wastes more than zeroing costs. Above it, malloc may return used memory that must be
// cleared, so that opening a bundle would cost time in proportion to its tables.
constexpr std::uint64_t kMappedMin = 64u << 10;
constexpr std::align_val_t kAlign{64};

std::size_t rounded(std::uint64_t size) {
    constexpr auto kUnit = static_cast<std::uint64_t>(kAlign);
    return static_cast<std::size_t>((size + kUnit - 1) / kUnit * kUnit);
}

}  // namespace

TableMemory::TableMemory(std::uint64_t size_bytes) noexcept : size_bytes_(size_bytes) {
    if (size_bytes == 0 || size_bytes > std::numeric_limits<std::size_t>::max() / 2)
        return;
    if (size_bytes < kMappedMin) {
        bytes_ = static_cast<std::byte*>(::operator new(rounded(size_bytes), kAlign, std::nothrow));
        if (bytes_)
            std::memset(bytes_, 0, rounded(size_bytes));
        return;
    }
    bytes_ = map_zeroed(static_cast<std::size_t>(size_bytes));
}

TableMemory::TableMemory(TableMemory&& other) noexcept
    : bytes_(std::exchange(other.bytes_, nullptr)), size_bytes_(other.size_bytes_) {}

TableMemory& TableMemory::operator=(TableMemory&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
}

TableMemory::~TableMemory() {
    if (!bytes_)
        return;
    if (size_bytes_ < kMappedMin)
        ::operator delete(bytes_, kAlign);
    else
        unmap_zeroed(bytes_, static_cast<std::size_t>(size_bytes_));
}

}  // namespace fardel
