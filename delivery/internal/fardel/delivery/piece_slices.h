// Piece slices: a file beside a bundle in a static tree by which a client that has another version of a large asset
// finds out which bytes of the new pieces it has, at whatever offset, and gets those few that it lacks without the
// whole piece. docs/delivery.md gives the bytes.
//
// Each asset of several pieces is cut into stretches, and these into slices. Of each slice there is a hash that can be
// computed at each offset in turn, and of each stretch a few sums (exclusive or) of its slices: who has all slices of a
// sum but one gets that one from it. Neither proves anything: whoever makes a block with them compares it with its
// hash.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/format/manifest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fardel {

inline constexpr std::uint32_t kSliceBytes = 1024;
inline constexpr std::uint32_t kSlicesPerStretch = 64;
inline constexpr std::uint32_t kStretchBytes = kSliceBytes * kSlicesPerStretch;
inline constexpr std::uint32_t kSumsPerStretch = 4;
inline constexpr std::uint32_t kSliceHashBytes = 6;
inline constexpr std::uint32_t kStretchHashesBytes = kSliceHashBytes * kSlicesPerStretch;
inline constexpr std::uint32_t kStretchSumsBytes = kSumsPerStretch * kSliceBytes;
inline constexpr std::uint32_t kSlicesHeadBytes = 48;
inline constexpr std::uint64_t kStretchesMax = 1u << 24;  // of a bundle: 1 TiB of large assets

// ---- Which stretches there are --------------------------------------------------------------------------------------

struct SlicedAsset {
    AssetIndex asset{};
    std::uint64_t raw_bytes = 0;
    std::uint64_t first_stretch = 0;  // in the file; the others follow

    std::uint64_t stretch_count() const noexcept { return (raw_bytes + kStretchBytes - 1) / kStretchBytes; }
};

// Returns the assets of several pieces, by index. Errors: limit (more than kStretchesMax), those of Bundle.
Result<std::vector<SlicedAsset>> sliced_assets(const Bundle& bundle);
std::uint64_t stretch_count(std::span<const SlicedAsset> assets) noexcept;

// ---- The file -------------------------------------------------------------------------------------------------------

std::vector<std::byte> encode_slices_head(const BundleId& bundle, std::uint64_t stretches);
// `bytes`: the first kSlicesHeadBytes of the file. Errors: malformed (not such a file, or not with so many stretches),
// unsupported (a later version), conflict (for another bundle).
Status verify_slices_head(std::span<const std::byte> bytes, const BundleId& bundle, std::uint64_t stretches);

// Where the hashes and the sums of a stretch are, and how long the file is.
std::uint64_t hashes_offset(std::uint64_t stretch) noexcept;
std::uint64_t sums_offset(std::uint64_t stretch, std::uint64_t stretches) noexcept;
std::uint64_t slices_file_bytes(std::uint64_t stretches) noexcept;

// ---- Hashes ---------------------------------------------------------------------------------------------------------

// Of kSliceBytes bytes; at the end of an asset, zeros stand for those that are missing. 48 bits.
using SliceHash = std::uint64_t;

// The hash of kSliceBytes bytes, and then of those that begin one byte later, and so on.
class RollingSliceHash {
public:
    explicit RollingSliceHash(std::span<const std::byte> first) noexcept;  // at most kSliceBytes
    SliceHash value() const noexcept { return state_ >> 16; }
    void roll(std::byte out, std::byte in) noexcept {
        state_ =
            state_ * kFactor + (std::to_integer<std::uint64_t>(in) - std::to_integer<std::uint64_t>(out) * kLeaves);
    }

private:
    // The hash is a polynomial modulo 2^64, of which the high bits depend on all bytes.
    static constexpr std::uint64_t kFactor = 0x9e37'79b9'7f4a'7c15u;
    static constexpr std::uint64_t kLeaves = [] {
        std::uint64_t power = 1;
        for (std::uint32_t i = 0; i < kSliceBytes; ++i)
            power *= kFactor;
        return power;
    }();  // of a byte that is no longer in the slice

    std::uint64_t state_ = 0;
};

// `stretch`: at most kStretchBytes. Returns kStretchHashesBytes; of slices that the stretch does not have, zeros.
std::vector<std::byte> encode_slice_hashes(std::span<const std::byte> stretch);
// Returns one hash for each slice of a stretch of that length.
std::vector<SliceHash> decode_slice_hashes(std::span<const std::byte> bytes, std::uint64_t stretch_bytes);

// ---- Sums -----------------------------------------------------------------------------------------------------------

// Returns kStretchSumsBytes: sum i is that of the slices i, i + kSumsPerStretch, and so on. Missing bytes are zeros.
std::vector<std::byte> encode_slice_sums(std::span<const std::byte> stretch);

// A bit for each slice of a stretch.
using SliceSet = std::uint64_t;
static_assert(kSlicesPerStretch == 64);

// Returns which sums give these slices when all others are here, a bit each; nothing if two of them are in one sum.
std::optional<std::uint32_t> sums_for(SliceSet missing) noexcept;
// Fills a slice of a stretch, all others of whose sum are there.
void fill_slice(std::span<std::byte> stretch, std::uint32_t slice, std::span<const std::byte> sum) noexcept;

}  // namespace fardel
