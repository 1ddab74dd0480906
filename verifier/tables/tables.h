// All tables of one bundle, with typed access: an index goes in, a record comes out, or nothing where it is not known.
#pragma once

#include "table.h"

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <array>
#include <cstdint>
#include <optional>

namespace fardel {

// The table whose records have this type; of metadata there are two.
template <class Record>
inline constexpr TableKind kTableOf{};
template <>
inline constexpr TableKind kTableOf<AssetRecord> = TableKind::assets;
template <>
inline constexpr TableKind kTableOf<NameRecord> = TableKind::names;
template <>
inline constexpr TableKind kTableOf<NameBucketRecord> = TableKind::name_buckets;
template <>
inline constexpr TableKind kTableOf<VariantRecord> = TableKind::variants;
template <>
inline constexpr TableKind kTableOf<TagRecord> = TableKind::tags;
template <>
inline constexpr TableKind kTableOf<ReferenceRecord> = TableKind::references;
template <>
inline constexpr TableKind kTableOf<ForeignAssetRecord> = TableKind::foreign_assets;
template <>
inline constexpr TableKind kTableOf<ConsumeRecord> = TableKind::consumes;
template <>
inline constexpr TableKind kTableOf<DependencyRecord> = TableKind::dependencies;
template <>
inline constexpr TableKind kTableOf<MetadataRecord> = TableKind::metadata;
template <>
inline constexpr TableKind kTableOf<PlacementRecord> = TableKind::placements;
template <>
inline constexpr TableKind kTableOf<BlockRecord> = TableKind::blocks;

class Tables {
public:
    // Those of the layout, and with a head those of the manifest. `table_bytes_max` bounds them all together.
    static Tables read(const ByteSource& source, const BundleHead* head, const LayoutHead& layout,
                       std::uint64_t table_bytes_max, Findings& findings);

    const Table& operator[](TableKind kind) const noexcept { return tables_[slot(kind)]; }
    std::uint64_t count(TableKind kind) const noexcept { return (*this)[kind].count(); }
    template <class Record>
    std::uint64_t count() const noexcept {
        return count(kTableOf<Record>);
    }

    template <class Record>
    std::optional<Record> find(std::uint64_t index, TableKind kind = kTableOf<Record>) const {
        const auto bytes = (*this)[kind].find_record_bytes(index);
        if (!bytes)
            return std::nullopt;
        auto record = decode_record<Record>(*bytes);
        if (!record)
            return std::nullopt;
        return std::move(record).value();
    }
    // Of `pieces`.
    std::optional<Hash> find_piece(std::uint64_t index) const noexcept;
    // Of `asset_buckets` or `name_filters`, whose records are one number.
    std::optional<std::uint32_t> find_number(TableKind kind, std::uint64_t index) const noexcept;

    // Decodes every record of every table; a finding for each that has not the form of its kind. Whether all records of
    // the bundle are known.
    bool check_records(Findings& findings) const;

private:
    static constexpr std::size_t kManifestKinds = 16;
    static constexpr std::size_t kLayoutKinds = 2;
    static std::size_t slot(TableKind kind) noexcept {
        const auto number = static_cast<std::size_t>(kind);
        return number < kManifestKinds ? number
                                       : kManifestKinds + number - static_cast<std::size_t>(TableKind::placements);
    }
    std::array<Table, kManifestKinds + kLayoutKinds> tables_;
};

}  // namespace fardel
