// CRC-32 as zip, gzip and PNG have it (polynomial 0xedb88320, reflected). Against damage, not against malice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fardel {

class Crc32 {
public:
    void update(std::span<const std::byte> bytes) noexcept;
    // Of all bytes so far; does not change the state.
    std::uint32_t value() const noexcept { return ~state_; }

private:
    std::uint32_t state_ = 0xffff'ffff;
};

}  // namespace fardel
