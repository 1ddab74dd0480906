#include "publish/piece_slices_file.h"

#include <fardel/base/file.h>
#include <fardel/base/parallel.h>
#include <fardel/delivery/piece_slices.h>
#include <fardel/delivery/raw_block.h>
#include <fardel/format/file_source.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::uint64_t kSlicesBatchBytes = 16u << 20;
constexpr std::uint64_t kSlicesShare = 2;  // the file has at most half of the bundle file's bytes
constexpr std::string_view kSlicesSubject = "piece slices";

// A piece, which is a block, and a whole number of stretches unless its asset ends in it.
struct SlicedPiece {
    BlockRecord block;
    std::uint64_t first_stretch = 0;
};

struct PieceSlices {
    std::vector<std::byte> hashes;
    std::vector<std::byte> sums;
};

Result<std::vector<SlicedPiece>> pieces_of(const Bundle& bundle, std::span<const SlicedAsset> assets) {
    std::vector<SlicedPiece> pieces;
    for (const SlicedAsset& asset : assets) {
        FARDEL_TRY_ASSIGN(const AssetRecord record, bundle.asset(asset.asset));
        FARDEL_TRY_ASSIGN(const std::vector<BlockRecord> blocks, bundle.blocks_of(asset.asset));
        for (std::uint64_t i = 0; i < blocks.size(); ++i) {
            const std::uint64_t at = i << record.piece_log2;
            const BlockRecord& block = blocks[static_cast<std::size_t>(i)];
            if (block.raw_bytes != std::min(record.raw_bytes - at, std::uint64_t{1} << record.piece_log2))
                return Error(ErrorCode::malformed, "a block has other bytes than its piece");
            pieces.push_back({.block = block, .first_stretch = asset.first_stretch + at / kStretchBytes});
        }
    }
    return pieces;
}

PieceSlices slices_of(std::span<const std::byte> piece) {
    PieceSlices slices;
    for (std::size_t at = 0; at < piece.size(); at += kStretchBytes) {
        const auto stretch = piece.subspan(at, std::min<std::size_t>(piece.size() - at, kStretchBytes));
        const std::vector<std::byte> hashes = encode_slice_hashes(stretch);
        const std::vector<std::byte> sums = encode_slice_sums(stretch);
        slices.hashes.insert(slices.hashes.end(), hashes.begin(), hashes.end());
        slices.sums.insert(slices.sums.end(), sums.begin(), sums.end());
    }
    return slices;
}

// Writes the slices of pieces, which are computed on all cores.
Status write_slices(const Descriptor& file, std::uint64_t stretches, RawBlocks& reader,
                    std::span<const SlicedPiece> pieces) {
    std::vector<BlockRecord> blocks;
    std::vector<std::size_t> ends;
    std::size_t raw_bytes = 0;
    for (const SlicedPiece& piece : pieces) {
        blocks.push_back(piece.block);
        ends.push_back(raw_bytes += piece.block.raw_bytes);
    }
    std::vector<std::byte> raw(raw_bytes);
    FARDEL_TRY(reader.read_all(blocks, raw, 0));
    std::vector<PieceSlices> slices(pieces.size());
    parallel_for(pieces.size(), worker_count(0), [&](std::size_t i) {
        const std::size_t length = pieces[i].block.raw_bytes;
        slices[i] = slices_of(std::span(raw).subspan(ends[i] - length, length));
    });
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::uint64_t stretch = pieces[i].first_stretch;
        FARDEL_TRY(write_whole_at(file, hashes_offset(stretch), slices[i].hashes, kSlicesSubject));
        FARDEL_TRY(write_whole_at(file, sums_offset(stretch, stretches), slices[i].sums, kSlicesSubject));
    }
    return ok();
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
    FARDEL_TRY_ASSIGN(const std::vector<SlicedPiece> pieces, pieces_of(bundle, *assets));
    FARDEL_TRY_ASSIGN(Descriptor file, create_unnamed_file(kSlicesSubject));
    FARDEL_TRY(write_whole_at(file, 0, encode_slices_head(bundle.id(), stretches), kSlicesSubject));
    RawBlocks reader(bundle);
    for (std::size_t first = 0, last = 0; first < pieces.size(); first = last) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "describing the slices of pieces was stopped");
        for (std::uint64_t bytes = 0; last < pieces.size() && bytes < kSlicesBatchBytes; ++last)
            bytes += pieces[last].block.raw_bytes;
        FARDEL_TRY(write_slices(file, stretches, reader, std::span(pieces).subspan(first, last - first)));
    }
    return make_file_source(std::move(file), slices_file_bytes(stretches), std::string(kSlicesSubject));
}

}  // namespace fardel
