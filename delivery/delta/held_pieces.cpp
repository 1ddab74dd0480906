#include "delta/held_pieces.h"

#include <fardel/base/fits.h>
#include <fardel/format/ids.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace fardel {
namespace {

// Returns the raw hash of a piece of an asset that has several.
Result<Hash> piece_hash(const Bundle& bundle, const AssetRecord& asset, std::uint64_t piece) {
    constexpr std::uint64_t kHashBytes = sizeof(Hash);
    if (!fits(asset.piece_first, asset.piece_count(), bundle.table_count(TableKind::pieces)))
        return Error(ErrorCode::malformed, "an asset has pieces outside of their table");
    FARDEL_TRY_ASSIGN(const auto bytes,
                      bundle.table_bytes(TableKind::pieces, (asset.piece_first + piece) * kHashBytes, kHashBytes));
    Hash hash;
    std::memcpy(hash.bytes.data(), bytes.data(), sizeof hash);
    return hash;
}

std::uint32_t piece_bytes(const AssetRecord& asset, std::uint64_t offset) noexcept {
    return static_cast<std::uint32_t>(std::min(asset.raw_bytes - offset, std::uint64_t{1} << asset.piece_log2));
}

}  // namespace

Result<HeldPieces> HeldPieces::find(const Bundle& target, std::span<const BlockPart> parts, HeldBundles others,
                                    const std::stop_token& stop) {
    HeldPieces found;
    FARDEL_TRY(found.seek(target, parts, others));
    for (const auto& other : others) {
        if (found.pieces_.empty())
            break;
        const Status looked = found.look_in(*other, stop);
        if (!looked && looked.error().code() == ErrorCode::cancelled)
            return looked.error();
    }
    std::erase_if(found.pieces_, [](const Piece& piece) { return piece.bundle == nullptr; });
    std::ranges::sort(found.pieces_, {}, &Piece::block);
    return found;
}

// Parts of one asset follow each other.
Status HeldPieces::seek(const Bundle& target, std::span<const BlockPart> parts, HeldBundles others) {
    AssetRecord asset;
    std::optional<AssetIndex> index;
    bool is_sought = false;
    for (const BlockPart& part : parts) {
        if (pieces_.size() == kSoughtPiecesMax)
            break;
        if (index != part.asset) {
            index = part.asset;
            FARDEL_TRY_ASSIGN(asset, target.asset(part.asset));
            is_sought = asset.piece_count() > 1 && !holds_asset(others, asset.id);
        }
        if (!is_sought)
            continue;
        FARDEL_TRY_ASSIGN(const Hash hash, piece_hash(target, asset, part.asset_offset >> asset.piece_log2));
        pieces_.push_back({.hash = hash, .block = part.block});
    }
    std::ranges::sort(pieces_, {}, &Piece::hash);
    return ok();
}

Status HeldPieces::look_in(const Bundle& other, const std::stop_token& stop) {
    if (other.table_count(TableKind::pieces) == 0)
        return ok();
    for (std::uint32_t i = 0; i < other.asset_count(); ++i) {
        const AssetIndex index{i};
        FARDEL_TRY_ASSIGN(const AssetRecord asset, other.asset(index));
        if (asset.piece_count() < 2)
            continue;
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "looking for pieces was stopped");
        for (std::uint64_t piece = 0; piece < asset.piece_count(); ++piece) {
            FARDEL_TRY_ASSIGN(const Hash hash, piece_hash(other, asset, piece));
            const std::uint64_t offset = piece << asset.piece_log2;
            take(hash, other, index, offset, piece_bytes(asset, offset));
        }
    }
    return ok();
}

void HeldPieces::take(const Hash& hash, const Bundle& other, AssetIndex asset, std::uint64_t offset,
                      std::uint32_t length_bytes) {
    // All of them are found at once: many equal ones in both bundles cost no more than in one.
    for (auto piece = std::ranges::lower_bound(pieces_, hash, {}, &Piece::hash);
         piece != pieces_.end() && piece->hash == hash && piece->bundle == nullptr; ++piece) {
        piece->bundle = &other;
        piece->asset = asset;
        piece->offset = offset;
        piece->length_bytes = length_bytes;
    }
}

const HeldPieces::Piece* HeldPieces::find_piece(const BlockPart& part) const {
    const auto found = std::ranges::lower_bound(pieces_, part.block, {}, &Piece::block);
    return found != pieces_.end() && found->block == part.block && found->length_bytes == part.length_bytes ? &*found
                                                                                                            : nullptr;
}

bool HeldPieces::read(const BlockPart& part, std::span<std::byte> out) const {
    const Piece* const piece = find_piece(part);
    return piece != nullptr && piece->length_bytes == out.size() &&
           piece->bundle->read_at(piece->asset, piece->offset, out);
}

}  // namespace fardel
