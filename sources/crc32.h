// CRC-32 as in zip, gzip and PNG. It finds damage, not manipulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fardel {

class Crc32 {
public:
    void update(std::span<const std::byte> bytes) noexcept;
    // Returns the CRC of all bytes so far.
    std::uint32_t value() const noexcept { return value_; }

private:
    std::uint32_t value_ = 0;
};

}  // namespace fardel
