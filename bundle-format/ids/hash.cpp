#include <fardel/format/hash.h>

#include <blake3.h>

#include <cstdint>
#include <new>
#include <type_traits>

namespace fardel {
namespace {

Hash finalize(const blake3_hasher& hasher) noexcept {
    Hash hash;
    static_assert(sizeof hash.bytes == BLAKE3_OUT_LEN);
    blake3_hasher_finalize(&hasher, hash.bytes.data(), hash.bytes.size());
    return hash;
}

blake3_hasher& hasher_in(std::byte* state) noexcept { return *std::launder(reinterpret_cast<blake3_hasher*>(state)); }

const blake3_hasher& hasher_in(const std::byte* state) noexcept {
    return *std::launder(reinterpret_cast<const blake3_hasher*>(state));
}

}  // namespace

Hash blake3(std::span<const std::byte> bytes) noexcept {
    blake3_hasher hasher;
    blake3_hasher_init(&hasher);
    blake3_hasher_update(&hasher, bytes.data(), bytes.size());
    return finalize(hasher);
}

Hash blake3_keyed(std::span<const std::byte, 32> key, std::span<const std::byte> bytes) noexcept {
    static_assert(BLAKE3_KEY_LEN == 32);
    blake3_hasher hasher;
    blake3_hasher_init_keyed(&hasher, reinterpret_cast<const std::uint8_t*>(key.data()));
    blake3_hasher_update(&hasher, bytes.data(), bytes.size());
    return finalize(hasher);
}

Hasher::Hasher() noexcept {
    // state_ may be copied as bytes, and is.
    static_assert(sizeof(blake3_hasher) <= sizeof state_ && alignof(blake3_hasher) <= 8);
    static_assert(std::is_trivially_copyable_v<blake3_hasher> && std::is_trivially_destructible_v<blake3_hasher>);
    blake3_hasher_init(new (state_) blake3_hasher);
}

void Hasher::update(std::span<const std::byte> bytes) noexcept {
    blake3_hasher_update(&hasher_in(state_), bytes.data(), bytes.size());
}

Hash Hasher::finish() const noexcept { return finalize(hasher_in(state_)); }

void Hasher::reset() noexcept { blake3_hasher_reset(&hasher_in(state_)); }

AssetId asset_id_of(std::span<const std::byte> bytes) noexcept { return id_from<AssetId>(blake3(bytes)); }

}  // namespace fardel
