#include "checked_tables.h"

#include <fardel/base/little_endian.h>

#include <cstring>
#include <string>

namespace fardel {
namespace {

template <class Record>
bool check_records_of(const CheckedTable& table, TableKind kind, VerifyFindings& findings) {
    bool all = table.is_complete();
    for (std::uint64_t i = 0; i < table.count(); ++i) {
        const auto bytes = table.find_record_bytes(i);
        if (!bytes)
            continue;
        const auto record = decode_record<Record>(*bytes);
        if (record)
            continue;
        all = false;
        findings.add(VerifierRule::record_malformed, kind, i, record.error());
    }
    return all;
}

}  // namespace

CheckedTables CheckedTables::read(const ByteSource& source, const BundleHead* head, const LayoutHead& layout,
                                  std::uint64_t table_bytes_max, VerifyFindings& findings) {
    CheckedTables tables;
    const std::uint64_t wanted = layout.layout_bytes + (head ? head->manifest_bytes : 0);  // ≤ 32 GiB
    const std::uint64_t bound = std::min(wanted, source.size_bytes());
    if (bound > table_bytes_max) {
        findings.add(VerifierRule::tables_too_large, "",
                     "the tables have " + std::to_string(wanted) + " bytes, but the caller allows only " +
                         std::to_string(table_bytes_max) + "; nothing in them was checked; allow more memory");
        return tables;
    }
    if (head)
        for (const TableEntry& entry : head->tables)
            tables.tables_[table_slot(entry.kind)] =
                CheckedTable::read(source, layout.manifest_offset, entry, findings);
    for (const TableEntry& entry : layout.tables)
        tables.tables_[table_slot(entry.kind)] = CheckedTable::read(source, layout.layout_offset, entry, findings);
    return tables;
}

std::optional<Hash> CheckedTables::find_piece(std::uint64_t index) const noexcept {
    const auto bytes = (*this)[TableKind::pieces].find_record_bytes(index);
    if (!bytes)
        return std::nullopt;
    Hash hash;
    std::memcpy(hash.bytes.data(), bytes->data(), hash.bytes.size());
    return hash;
}

std::optional<std::uint32_t> CheckedTables::find_number(TableKind kind, std::uint64_t index) const noexcept {
    const auto bytes = (*this)[kind].find_record_bytes(index);
    if (!bytes)
        return std::nullopt;
    return load_le<std::uint32_t>(bytes->data());
}

bool CheckedTables::check_records(VerifyFindings& findings) const {
    bool all = true;
    const auto check = [&]<class Record>(TableKind kind = Record::kTable) {
        all = check_records_of<Record>((*this)[kind], kind, findings) && all;
    };
    using enum TableKind;
    check.operator()<AssetRecord>();
    check.operator()<NameRecord>();
    check.operator()<NameBucketRecord>();
    check.operator()<VariantRecord>();
    check.operator()<TagRecord>();
    check.operator()<ReferenceRecord>();
    check.operator()<ForeignAssetRecord>();
    check.operator()<ConsumeRecord>();
    check.operator()<DependencyRecord>();
    check.operator()<MetadataRecord>();
    check.operator()<MetadataRecord>(creator_metadata);
    check.operator()<PlacementRecord>();
    check.operator()<BlockRecord>();
    for (const TableKind kind : {strings, asset_buckets, name_filters, pieces})
        all = (*this)[kind].is_complete() && all;
    return all;
}

}  // namespace fardel
