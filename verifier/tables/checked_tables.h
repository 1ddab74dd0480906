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
    // Finds a record by bisection. If a record is unknown, or the table is not sorted by that key, which is a finding
    // of its own, the record may not be found. Names are in the order of their texts, and texts in that of their
    // offsets.
    template <class Record, class Key>
    std::optional<Record> find_sorted(const Key& key, Key Record::*key_of) const {
        std::uint64_t low = 0;
        for (std::uint64_t high = count(Record::kTable); low < high;) {
            const std::uint64_t middle = low + (high - low) / 2;
            const auto record = find<Record>(middle);
            if (!record)
                return std::nullopt;
            if ((*record).*key_of < key)
                low = middle + 1;
            else
                high = middle;
        }
        auto record = find<Record>(low);
        return record && (*record).*key_of == key ? record : std::nullopt;
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
