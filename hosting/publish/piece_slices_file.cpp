#include "publish/piece_slices_file.h"

#include <fardel/base/file.h>
#include <fardel/base/parallel.h>
#include <fardel/delivery/piece_slices.h>
#include <fardel/format/file_source.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kSlicesBatchPortions = 64;  // 16 MiB
constexpr std::uint64_t kSlicesShare = 2;         // the file has at most half of the bundle file's bytes
constexpr std::string_view kSlicesSubject = "piece slices";

// Bytes of an asset that are read at once: a whole number of stretches, and of pieces.
constexpr std::uint64_t kPortionBytes = limits::kBlockBytesMax;
static_assert(kPortionBytes % kStretchBytes == 0);

struct Portion {
    AssetIndex asset{};
    std::uint64_t offset = 0;
    std::size_t length_bytes = 0;
    std::uint64_t first_stretch = 0;
};

struct PortionSlices {
    std::vector<std::byte> hashes;
    std::vector<std::byte> sums;
};

std::vector<Portion> portions_of(std::span<const SlicedAsset> assets) {
    std::vector<Portion> portions;
    for (const SlicedAsset& asset : assets)
        for (std::uint64_t at = 0; at < asset.raw_bytes; at += kPortionBytes)
            portions.push_back({.asset = asset.asset,
                                .offset = at,
                                .length_bytes = static_cast<std::size_t>(std::min(asset.raw_bytes - at, kPortionBytes)),
                                .first_stretch = asset.first_stretch + at / kStretchBytes});
    return portions;
}

Result<PortionSlices> slices_of(const Bundle& bundle, const Portion& portion) {
    std::vector<std::byte> bytes(portion.length_bytes);
    FARDEL_TRY(bundle.read_at(portion.asset, portion.offset, bytes));
    PortionSlices slices;
    for (std::size_t at = 0; at < bytes.size(); at += kStretchBytes) {
        const auto stretch = std::span(bytes).subspan(at, std::min<std::size_t>(bytes.size() - at, kStretchBytes));
        const std::vector<std::byte> hashes = encode_slice_hashes(stretch);
        const std::vector<std::byte> sums = encode_slice_sums(stretch);
        slices.hashes.insert(slices.hashes.end(), hashes.begin(), hashes.end());
        slices.sums.insert(slices.sums.end(), sums.begin(), sums.end());
    }
    return slices;
}

}  // namespace

Result<std::shared_ptr<const ByteSource>> make_piece_slices(const Bundle& bundle, const std::stop_token& stop) {
    const auto assets = sliced_assets(bundle);
    if (!assets && assets.error().code() != ErrorCode::limit)
        return assets.error();
    if (!assets || assets->empty())
        return std::shared_ptr<const ByteSource>();
    const std::uint64_t stretches = stretch_count(*assets);
    // What compresses that well costs little without, and a small upload must not become a large file.
    if (slices_file_bytes(stretches) > bundle.source()->size_bytes() / kSlicesShare)
        return std::shared_ptr<const ByteSource>();
    FARDEL_TRY_ASSIGN(Descriptor file, create_unnamed_file(kSlicesSubject));
    FARDEL_TRY(write_whole_at(file, 0, encode_slices_head(bundle.id(), stretches), kSlicesSubject));
    const std::vector<Portion> portions = portions_of(*assets);
    for (std::size_t first = 0; first < portions.size(); first += kSlicesBatchPortions) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "describing the slices of pieces was stopped");
        const auto batch = std::span(portions).subspan(first, std::min(portions.size() - first, kSlicesBatchPortions));
        std::vector<std::optional<Result<PortionSlices>>> slices(batch.size());
        parallel_for(batch.size(), worker_count(0), [&](std::size_t i) { slices[i] = slices_of(bundle, batch[i]); });
        for (std::size_t i = 0; i < batch.size(); ++i) {
            FARDEL_TRY_ASSIGN(const PortionSlices made, *std::move(slices[i]));
            const std::uint64_t stretch = batch[i].first_stretch;
            FARDEL_TRY(write_whole_at(file, hashes_offset(stretch), made.hashes, kSlicesSubject));
            FARDEL_TRY(write_whole_at(file, sums_offset(stretch, stretches), made.sums, kSlicesSubject));
        }
    }
    return make_file_source(std::move(file), slices_file_bytes(stretches), std::string(kSlicesSubject));
}

}  // namespace fardel
