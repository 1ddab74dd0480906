// TableMemory: zeroed memory that costs address space only until it is touched; for tables of open bundles.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fardel {

class TableMemory {
public:
    TableMemory() = default;
    // Check with bytes(): nullptr when there is no address space for it.
    explicit TableMemory(std::uint64_t size_bytes) noexcept;
    TableMemory(TableMemory&& other) noexcept;
    TableMemory& operator=(TableMemory&& other) noexcept;
    ~TableMemory();

    // At a multiple of 64.
    std::byte* bytes() const noexcept { return bytes_; }

private:
    std::byte* bytes_ = nullptr;
    std::uint64_t size_bytes_ = 0;
};

}  // namespace fardel
