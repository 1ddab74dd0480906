// TableMemory: zeroed memory for tables of open bundles, which costs only address space until it is touched.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fardel {

class TableMemory {
public:
    TableMemory() = default;
    // Callers check success with bytes(), which is nullptr if there is no address space.
    explicit TableMemory(std::uint64_t size_bytes) noexcept;
    TableMemory(TableMemory&& other) noexcept;
    TableMemory& operator=(TableMemory&& other) noexcept;
    ~TableMemory();

    // Aligned to 64 bytes.
    std::byte* bytes() const noexcept { return bytes_; }

private:
    std::byte* bytes_ = nullptr;
    std::uint64_t size_bytes_ = 0;
};

}  // namespace fardel
