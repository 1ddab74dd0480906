// CRC-32 as in zip, gzip and PNG (polynomial 0xedb88320, reflected). It finds damage, not manipulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fardel {

class Crc32 {
public:
    void update(std::span<const std::byte> bytes) noexcept;
    // Returns the CRC of all bytes so far; does not change the state.
    std::uint32_t value() const noexcept { return ~state_; }

private:
    std::uint32_t state_ = 0xffff'ffff;
};

}  // namespace fardel
