#include "table_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace fardel {
namespace {

// Below this, a mapping of its own wastes more than zeroing costs. Above it, malloc must not be asked: it may hand out
// used memory and clear all of it, so that opening a bundle would cost as much as its tables are long.
constexpr std::uint64_t kMappedMin = 64u << 10;
constexpr std::size_t kAlign = 64;

std::size_t rounded(std::uint64_t size) { return static_cast<std::size_t>((size + kAlign - 1) / kAlign * kAlign); }

}  // namespace

TableMemory::TableMemory(std::uint64_t size_bytes) noexcept : size_bytes_(size_bytes) {
    if (size_bytes == 0 || size_bytes > std::numeric_limits<std::size_t>::max() / 2)
        return;
    if (size_bytes < kMappedMin) {
        bytes_ = static_cast<std::byte*>(std::aligned_alloc(kAlign, rounded(size_bytes)));
        if (bytes_)
            std::memset(bytes_, 0, rounded(size_bytes));
        return;
    }
    void* mapped = mmap(nullptr, static_cast<std::size_t>(size_bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped != MAP_FAILED)
        bytes_ = static_cast<std::byte*>(mapped);
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
        std::free(bytes_);
    else
        munmap(bytes_, static_cast<std::size_t>(size_bytes_));
}

}  // namespace fardel
