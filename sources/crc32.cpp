#include "crc32.h"

#include <fardel/base/little_endian.h>

#include <array>

namespace fardel {
namespace {

// kTables[k][b] is the effect of byte `b` on the state if `k` more bytes follow it in the same step of eight.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint32_t b = 0; b < 256; ++b) {
        std::uint32_t state = b;
        for (int bit = 0; bit < 8; ++bit)
            state = state >> 1 ^ (0xedb8'8320 & (0 - (state & 1)));
        tables[0][b] = state;
    }
    for (std::size_t k = 1; k < tables.size(); ++k)
        for (std::size_t b = 0; b < 256; ++b)
            tables[k][b] = tables[k - 1][b] >> 8 ^ tables[0][tables[k - 1][b] & 0xff];
    return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

void Crc32::update(std::span<const std::byte> bytes) noexcept {
    std::uint32_t state = state_;
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
        const std::uint64_t eight = load_le<std::uint64_t>(bytes.data()) ^ state;
        const auto byte = [eight](int i) { return eight >> (8 * i) & 0xff; };
        state = kTables[7][byte(0)] ^ kTables[6][byte(1)] ^ kTables[5][byte(2)] ^ kTables[4][byte(3)] ^
                kTables[3][byte(4)] ^ kTables[2][byte(5)] ^ kTables[1][byte(6)] ^ kTables[0][byte(7)];
    }
    for (const std::byte b : bytes)
        state = state >> 8 ^ kTables[0][(state ^ static_cast<std::uint32_t>(b)) & 0xff];
    state_ = state;
}

}  // namespace fardel
