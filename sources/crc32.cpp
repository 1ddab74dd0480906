#include "crc32.h"

#include <zlib.h>

namespace fardel {

void Crc32::update(std::span<const std::byte> bytes) noexcept {
    if (bytes.empty())
        return;  // without an address, zlib begins anew
    value_ = static_cast<std::uint32_t>(
        ::crc32_z(value_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace fardel
