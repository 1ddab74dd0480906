#include "packs/pack_copy.h"

#include <fardel/base/file.h>
#include <fardel/base/file_status.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kPackCopyBytes = 1u << 20;
constexpr StorePack kUnnamedCopy{};  // stands for the new pack until it has a name

}  // namespace

Result<std::shared_ptr<const ByteSource>> open_listed_pack(const StoreFolder& folder, const PackId& pack) {
    const FilePath path = folder.pack_path(pack);
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(path, path, Links::refused));
    return folder.open_pack({.id = pack, .size_bytes = status.size_bytes});
}

PackCopy::PackCopy(const StoreFolder& folder, std::span<const PackId> packs, PackWriter& writer)
    : folder_(folder), writer_(writer) {
    for (const PackId& pack : packs)
        packs_.emplace(pack, OldPack{});
}

Result<StoreRecord> PackCopy::add(const StoreRecord& record) {
    StoreRecordBuilder builder;
    for (const StoreExtent& extent : record.extents) {
        const StorePack& old = record.packs[extent.pack];
        const auto pack = packs_.find(old.id);
        if (pack == packs_.end()) {
            builder.add(extent.file_offset, extent.length_bytes, old, extent.pack_offset);
            continue;
        }
        for (std::uint64_t done = 0; done < extent.length_bytes;) {
            FARDEL_TRY_ASSIGN(const Piece piece, find_or_copy(pack->first, pack->second, extent.pack_offset + done,
                                                              extent.length_bytes - done));
            builder.add(extent.file_offset + done, piece.length_bytes, kUnnamedCopy, piece.new_offset);
            done += piece.length_bytes;
        }
    }
    return std::move(builder).finish(record.bundle, record.layout, record.file_bytes);
}

// Returns where the first bytes of the range are in the new pack: as many as lie there together.
Result<PackCopy::Piece> PackCopy::find_or_copy(const PackId& id, OldPack& pack, std::uint64_t offset,
                                               std::uint64_t length_bytes) {
    const auto after = pack.pieces.upper_bound(offset);
    auto before = after == pack.pieces.begin() ? pack.pieces.end() : std::prev(after);
    if (before != pack.pieces.end() && offset - before->first < before->second.length_bytes) {
        const std::uint64_t skipped = offset - before->first;
        return Piece{.length_bytes = std::min(before->second.length_bytes - skipped, length_bytes),
                     .new_offset = before->second.new_offset + skipped};
    }
    if (pack.source == nullptr) {
        FARDEL_TRY_ASSIGN(pack.source, open_listed_pack(folder_, id));
    }
    Piece piece{.length_bytes =
                    after == pack.pieces.end() ? length_bytes : std::min(length_bytes, after->first - offset)};
    FARDEL_TRY_ASSIGN(piece.new_offset, copy(*pack.source, offset, piece.length_bytes));
    if (before != pack.pieces.end() && before->first + before->second.length_bytes == offset &&
        before->second.new_offset + before->second.length_bytes == piece.new_offset)
        before->second.length_bytes += piece.length_bytes;
    else
        pack.pieces.emplace(offset, piece);
    return piece;
}

// Returns the offset in the new pack.
Result<std::uint64_t> PackCopy::copy(const ByteSource& source, std::uint64_t offset, std::uint64_t length_bytes) {
    const std::uint64_t start = writer_.size_bytes();
    for (std::uint64_t done = 0; done < length_bytes; done += bytes_.size()) {
        bytes_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(length_bytes - done, kPackCopyBytes)));
        FARDEL_TRY(source.read_at(offset + done, bytes_));
        FARDEL_TRY(writer_.append(bytes_));
    }
    return start;
}

void PackCopy::name_new_pack(StoreRecord& record, const StorePack& sealed) {
    const auto found = std::ranges::find(record.packs, kUnnamedCopy.id, &StorePack::id);
    if (found != record.packs.end())
        *found = sealed;
}

}  // namespace fardel
