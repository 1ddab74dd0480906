// BLAKE3-256 of bytes, in one call or incrementally. Pure; any thread; input of any size.
#pragma once

#include <fardel/format/ids.h>

#include <cstddef>
#include <span>

namespace fardel {

// BLAKE3-256 of `bytes`, as `b3sum` prints it.
Hash blake3(std::span<const std::byte> bytes) noexcept;

// BLAKE3 in keyed mode. The key is public: it separates domains (which table, which page) and hides nothing.
Hash blake3_keyed(std::span<const std::byte, 32> key, std::span<const std::byte> bytes) noexcept;

// Converts between kinds of ids with the same 32 bytes, e.g. from the Hash of an asset's bytes to its AssetId.
template <class To, class Kind>
constexpr To id_from(const Id32<Kind>& id) noexcept {
    return To{id.bytes};
}

// Incremental BLAKE3-256. One thread at a time per object.
class Hasher {
public:
    Hasher() noexcept;
    void update(std::span<const std::byte> bytes) noexcept;
    // May be called at any time and repeatedly; does not change the state.
    Hash finish() const noexcept;
    void reset() noexcept;

private:
    alignas(8) std::byte state_[1920];
};

}  // namespace fardel
