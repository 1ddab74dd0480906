#include "witness.h"

#include <fardel/format/hash.h>
#include <fardel/format/head.h>

#include <algorithm>

namespace fardel::sweep {
namespace {

constexpr std::uint64_t kHead = 4096;

// A table's bytes; reads outside of it are zero.
class Table {
public:
    Table() = default;
    Table(const Bytes& file, std::uint64_t section, const TableEntry* entry) {
        if (entry == nullptr || section > file.size() || entry->offset > file.size() - section)
            return;
        const std::uint64_t from = section + entry->offset;
        const std::uint64_t length = std::min<std::uint64_t>(entry->length_bytes, file.size() - from);
        bytes_ = std::span(file).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(length));
    }
    std::size_t size() const { return bytes_.size(); }
    std::uint64_t number(std::uint64_t at, std::size_t width) const {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < width && at + i < bytes_.size(); ++i)
            value |= std::to_integer<std::uint64_t>(bytes_[static_cast<std::size_t>(at) + i]) << 8 * i;
        return value;
    }
    template <class Id>
    Id id(std::uint64_t at) const {
        Id id;
        for (std::size_t i = 0; i < 32; ++i)
            id.bytes[i] = static_cast<std::uint8_t>(number(at + i, 1));
        return id;
    }
    std::string text(std::uint64_t at) const {
        const std::uint64_t length = number(at, 2);
        if (at + 2 + length > bytes_.size())
            return {};
        return tests::text_of(bytes_.subspan(static_cast<std::size_t>(at) + 2, static_cast<std::size_t>(length)));
    }

private:
    std::span<const std::byte> bytes_;
};

std::span<const std::byte, limits::kHeadBytes> head_bytes(const Bytes& file, std::uint64_t at) {
    return std::span<const std::byte, limits::kHeadBytes>(file.data() + at, limits::kHeadBytes);
}

}  // namespace

Witness::Witness(const Bytes& bundle) {
    using enum TableKind;
    if (bundle.size() < 2 * kHead)
        return;
    const auto head = decode_head(head_bytes(bundle, 0));
    const auto layout = decode_layout_head(head_bytes(bundle, kHead));
    if (!head || !layout)
        return;
    const auto table = [&](TableKind kind) { return Table(bundle, layout->manifest_offset, head->find(kind)); };
    const Table texts = table(strings);
    for (std::uint64_t at = 0; at + 2 <= texts.size(); at += 2 + texts.number(at, 2))
        strings_.push_back(texts.text(at));

    const Table asset_records = table(assets);
    const Table piece_records = table(pieces);
    for (std::uint64_t at = 0; at + 64 <= asset_records.size(); at += 64) {
        Asset asset;
        asset.raw_bytes = asset_records.number(at + 32, 8);
        asset.piece_log2 = static_cast<unsigned>(asset_records.number(at + 60, 1)) & 31;
        const std::uint64_t count = (asset.raw_bytes >> asset.piece_log2) + 1;
        const std::uint64_t first = asset_records.number(at + 40, 4);
        if (asset.raw_bytes > std::uint64_t{1} << asset.piece_log2 && count <= piece_records.size() / 32 + 1)
            for (std::uint64_t i = first; i < first + count && 32 * i < piece_records.size(); ++i)
                asset.pieces.push_back(piece_records.id<Hash>(32 * i));
        assets_.emplace(asset_records.id<AssetId>(at), std::move(asset));
    }

    const Table name_records = table(names);
    const Table variant_records = table(variants);
    const auto asset_id = [&](std::uint64_t index) { return asset_records.id<AssetId>(64 * index); };
    for (std::uint64_t at = 0; at + 16 <= name_records.size(); at += 16) {
        Name& name = names_[texts.text(name_records.number(at, 4))];
        const std::uint64_t target = name_records.number(at + 4, 4);
        const std::uint64_t flags = name_records.number(at + 10, 2);
        name.published |= (flags & 1) != 0;
        name.extends |= (flags & 8) != 0;
        if ((flags & 4) != 0)
            for (std::uint64_t i = 0; i < name_records.number(at + 8, 2); ++i)
                name.assets.insert(asset_id(variant_records.number(16 * (target + i), 4)));
        else if ((flags & 2) == 0)
            name.assets.insert(asset_id(target));
    }
}

std::vector<AssetId> Witness::assets() const {
    std::vector<AssetId> ids;
    for (const auto& [id, asset] : assets_)
        ids.push_back(id);
    return ids;
}

bool Witness::vouches(const AssetId& id, std::span<const std::byte> bytes) const {
    const auto [from, to] = assets_.equal_range(id);
    return std::any_of(from, to, [&](const auto& entry) {
        const Asset& asset = entry.second;
        if (bytes.size() != asset.raw_bytes)
            return false;
        const std::size_t piece = std::size_t{1} << asset.piece_log2;
        if (bytes.size() <= piece)
            return asset_id_of(bytes) == id;
        for (std::size_t i = 0; i * piece < bytes.size(); ++i)
            if (i >= asset.pieces.size() ||
                blake3(bytes.subspan(i * piece, std::min(piece, bytes.size() - i * piece))) != asset.pieces[i])
                return false;
        return true;
    });
}

bool Witness::vouches(std::string_view name, std::span<const std::byte> bytes) const {
    if (!good_)
        return vouches(asset_id_of(bytes), bytes) ||
               std::ranges::any_of(assets_, [&](const auto& asset) { return vouches(asset.first, bytes); });
    const auto found = names_.find(name);
    return found != names_.end() &&
           std::ranges::any_of(found->second.assets, [&](const AssetId& id) { return vouches(id, bytes); });
}

}  // namespace fardel::sweep
