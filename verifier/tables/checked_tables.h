// CheckedTables: all tables of one bundle, with typed access to their records, as far as they are known.
#pragma once

#include "checked_table.h"

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <array>
#include <cstdint>
#include <optional>

namespace fardel {

class CheckedTables {
public:
    // Reads the tables of the layout, and those of the manifest if there is a head. All together need at most
    // `table_bytes_max` bytes; above it there is only a finding.
    static CheckedTables read(const ByteSource& source, const BundleHead* head, const LayoutHead& layout,
                              std::uint64_t table_bytes_max, VerifyFindings& findings);

    const CheckedTable& operator[](TableKind kind) const noexcept { return tables_[table_slot(kind)]; }
    std::uint64_t count(TableKind kind) const noexcept { return (*this)[kind].count(); }

    template <class Record>
    std::optional<Record> find(std::uint64_t index, TableKind kind = Record::kTable) const {
        const auto bytes = (*this)[kind].find_record_bytes(index);
        if (!bytes)
            return std::nullopt;
        auto record = decode_record<Record>(*bytes);
        if (!record)
            return std::nullopt;
        return std::move(record).value();
    }
    // Returns a record of the table `pieces`.
    std::optional<Hash> find_piece(std::uint64_t index) const noexcept;
    // Returns a record of `asset_buckets` or `name_filters`, whose records are numbers.
    std::optional<std::uint32_t> find_number(TableKind kind, std::uint64_t index) const noexcept;

    // Decodes every record of every table and adds a finding for each malformed one. Returns whether all records of the
    // bundle are known and well formed.
    bool check_records(VerifyFindings& findings) const;

private:
    std::array<CheckedTable, kTables.size() + 1> tables_;  // by table_slot(); the last stays empty
};

}  // namespace fardel
