// All tables of one bundle, with typed access: an index goes in, a record comes out, or nothing where it is not known.
#pragma once

#include "table.h"

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <array>
#include <cstdint>
#include <optional>

namespace fardel {

class Tables {
public:
    // Those of the layout, and with a head those of the manifest. `table_bytes_max` bounds them all together.
    static Tables read(const ByteSource& source, const BundleHead* head, const LayoutHead& layout,
                       std::uint64_t table_bytes_max, Findings& findings);

    const Table& operator[](TableKind kind) const noexcept { return tables_[table_slot(kind)]; }
    std::uint64_t count(TableKind kind) const noexcept { return (*this)[kind].count(); }
    template <class Record>
    std::uint64_t count() const noexcept {
        return count(Record::kTable);
    }

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
    // Of `pieces`.
    std::optional<Hash> find_piece(std::uint64_t index) const noexcept;
    // Of `asset_buckets` or `name_filters`, whose records are one number.
    std::optional<std::uint32_t> find_number(TableKind kind, std::uint64_t index) const noexcept;

    // Decodes every record of every table; a finding for each that has not the form of its kind. Whether all records of
    // the bundle are known.
    bool check_records(Findings& findings) const;

private:
    std::array<Table, kTables.size() + 1> tables_;  // by table_slot; the last stays empty
};

}  // namespace fardel
