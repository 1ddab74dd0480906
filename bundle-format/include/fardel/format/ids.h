// Ids and keys as types, so that different kinds cannot be confused.
//
// Each is 32 plain bytes. Text form: exactly 64 lower-case hexadecimal digits; nothing shorter, no prefix, no upper
// case. parse() is for untrusted text; the bytes themselves are always valid.
#pragma once

#include <fardel/base/result.h>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace fardel {

template <class Kind>
struct Id32 {
    std::array<std::uint8_t, 32> bytes{};

    friend bool operator==(const Id32&, const Id32&) = default;
    friend std::strong_ordering operator<=>(const Id32& a, const Id32& b) noexcept {
        return std::memcmp(a.bytes.data(), b.bytes.data(), 32) <=> 0;
    }

    std::string hex() const;
    // Error: malformed.
    static Result<Id32> parse(std::string_view hex);
    bool is_zero() const noexcept { return *this == Id32{}; }
};

struct HashTag {
    static constexpr std::string_view kName = "hash";
};
struct AssetTag {
    static constexpr std::string_view kName = "asset id";
};
struct BundleTag {
    static constexpr std::string_view kName = "bundle id";
};
struct LayoutTag {
    static constexpr std::string_view kName = "layout id";
};
struct PublicKeyTag {
    static constexpr std::string_view kName = "public key";
};
struct BuildKeyTag {
    static constexpr std::string_view kName = "build key";
};

using Hash = Id32<HashTag>;            // BLAKE3-256 of anything else: a page, a block, a piece
using AssetId = Id32<AssetTag>;        // BLAKE3-256 of the asset's raw bytes
using BundleId = Id32<BundleTag>;      // BLAKE3-256 of the bundle's head (4096 bytes)
using LayoutId = Id32<LayoutTag>;      // BLAKE3-256 of the layout head (4096 bytes)
using PublicKey = Id32<PublicKeyTag>;  // Ed25519, RFC 8032
using BuildKey = Id32<BuildKeyTag>;    // BLAKE3-256 of everything that a packer job depends on

// The id of an asset with these bytes.
AssetId asset_id_of(std::span<const std::byte> bytes) noexcept;

}  // namespace fardel

template <class Kind>
struct std::hash<fardel::Id32<Kind>> {
    std::size_t operator()(const fardel::Id32<Kind>& id) const noexcept {
        std::uint64_t first;
        std::memcpy(&first, id.bytes.data(), sizeof first);
        return static_cast<std::size_t>(first);
    }
};
