#include <fardel/delivery/piece_slices.h>

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/base/little_endian.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace fardel {
namespace {

constexpr std::string_view kSlicesMagic = "FARDELPS";
constexpr std::uint32_t kSlicesVersion = 1;
constexpr std::string_view kSlicesSubject = "piece slices";
constexpr SliceSet kSlicesOfSum = 0x1111'1111'1111'1111u;  // those of sum 0
static_assert(kSumsPerStretch == 4);

// The part of the stretch that is this slice; empty past its end.
template <class Byte>
std::span<Byte> slice_of(std::span<Byte> stretch, std::size_t slice) noexcept {
    const std::size_t begin = std::min(stretch.size(), slice * kSliceBytes);
    return stretch.subspan(begin, std::min<std::size_t>(stretch.size() - begin, kSliceBytes));
}

void add_bytes(std::span<std::byte> sum, std::span<const std::byte> bytes) noexcept {
    for (std::size_t i = 0; i < std::min(sum.size(), bytes.size()); ++i)
        sum[i] ^= bytes[i];
}

}  // namespace

// ---- Which stretches there are --------------------------------------------------------------------------------------

Result<std::vector<SlicedAsset>> sliced_assets(const Bundle& bundle) {
    std::vector<SlicedAsset> assets;
    std::uint64_t stretches = 0;
    for (std::uint32_t i = 0; i < bundle.asset_count(); ++i) {
        FARDEL_TRY_ASSIGN(const AssetRecord record, bundle.asset(AssetIndex{i}));
        if (record.piece_count() < 2)
            continue;
        const SlicedAsset& asset = assets.emplace_back(
            SlicedAsset{.asset = AssetIndex{i}, .raw_bytes = record.raw_bytes, .first_stretch = stretches});
        if (record.raw_bytes > kStretchesMax * kStretchBytes || asset.stretch_count() > kStretchesMax - stretches)
            return Error(ErrorCode::limit, "the large assets of a bundle have more than 1 TiB");
        stretches += asset.stretch_count();
    }
    return assets;
}

std::uint64_t stretch_count(std::span<const SlicedAsset> assets) noexcept {
    return assets.empty() ? 0 : assets.back().first_stretch + assets.back().stretch_count();
}

// ---- The file -------------------------------------------------------------------------------------------------------

std::vector<std::byte> encode_slices_head(const BundleId& bundle, std::uint64_t stretches) {
    ByteWriter head;
    head.text(kSlicesMagic);
    head.u32(kSlicesVersion);
    head.u32(static_cast<std::uint32_t>(stretches));
    head.fixed(bundle);
    return head.take();
}

Status verify_slices_head(std::span<const std::byte> bytes, const BundleId& bundle, std::uint64_t stretches) {
    ByteReader reader(bytes, kSlicesSubject);
    if (reader.text(kSlicesMagic.size()) != kSlicesMagic)
        reader.fail(ErrorCode::malformed, "not a file of piece slices");
    if (reader.u32() != kSlicesVersion)
        reader.fail(ErrorCode::unsupported, "of another version than 1");
    if (reader.u32() != stretches)
        reader.fail(ErrorCode::malformed, "not as many stretches as the bundle has");
    if (reader.fixed<BundleId>() != bundle)
        reader.fail(ErrorCode::conflict, "for another bundle");
    return reader.finish();
}

std::uint64_t hashes_offset(std::uint64_t stretch) noexcept { return kSlicesHeadBytes + stretch * kStretchHashesBytes; }

std::uint64_t sums_offset(std::uint64_t stretch, std::uint64_t stretches) noexcept {
    return hashes_offset(stretches) + stretch * kStretchSumsBytes;
}

std::uint64_t slices_file_bytes(std::uint64_t stretches) noexcept { return sums_offset(stretches, stretches); }

// ---- Hashes ---------------------------------------------------------------------------------------------------------

RollingSliceHash::RollingSliceHash(std::span<const std::byte> first) noexcept {
    for (std::size_t i = 0; i < kSliceBytes; ++i)
        roll(std::byte{0}, i < first.size() ? first[i] : std::byte{0});
}

std::vector<std::byte> encode_slice_hashes(std::span<const std::byte> stretch) {
    std::vector<std::byte> out(kStretchHashesBytes);
    for (std::size_t i = 0; i < kSlicesPerStretch; ++i) {
        const auto slice = slice_of(stretch, i);
        if (slice.empty())
            break;
        std::array<std::byte, sizeof(SliceHash)> hash{};
        store_le(hash.data(), RollingSliceHash(slice).value());
        std::copy_n(hash.begin(), kSliceHashBytes, out.begin() + static_cast<std::ptrdiff_t>(i * kSliceHashBytes));
    }
    return out;
}

std::vector<SliceHash> decode_slice_hashes(std::span<const std::byte> bytes, std::uint64_t stretch_bytes) {
    std::vector<SliceHash> hashes;
    for (std::uint64_t at = 0; at < stretch_bytes; at += kSliceBytes) {
        std::array<std::byte, sizeof(SliceHash)> hash{};
        std::ranges::copy(bytes.subspan(hashes.size() * kSliceHashBytes, kSliceHashBytes), hash.begin());
        hashes.push_back(load_le<SliceHash>(hash.data()));
    }
    return hashes;
}

// ---- Sums -----------------------------------------------------------------------------------------------------------

std::vector<std::byte> encode_slice_sums(std::span<const std::byte> stretch) {
    std::vector<std::byte> sums(kStretchSumsBytes);
    for (std::size_t i = 0; i < kSlicesPerStretch; ++i)
        add_bytes(std::span(sums).subspan(i % kSumsPerStretch * kSliceBytes, kSliceBytes), slice_of(stretch, i));
    return sums;
}

std::optional<std::uint32_t> sums_for(SliceSet missing) noexcept {
    std::uint32_t sums = 0;
    for (std::uint32_t i = 0; i < kSumsPerStretch; ++i) {
        const int count = std::popcount(missing & (kSlicesOfSum << i));
        if (count > 1)
            return std::nullopt;
        sums |= static_cast<std::uint32_t>(count) << i;
    }
    return sums;
}

void fill_slice(std::span<std::byte> stretch, std::uint32_t slice, std::span<const std::byte> sum) noexcept {
    const auto out = slice_of(stretch, slice);
    std::ranges::copy(sum.first(out.size()), out.begin());
    for (std::uint32_t i = slice % kSumsPerStretch; i < kSlicesPerStretch; i += kSumsPerStretch)
        if (i != slice)
            add_bytes(out, slice_of(std::span<const std::byte>(stretch), i));
}

}  // namespace fardel
