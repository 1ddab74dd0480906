// Writes a section of tables into the file: records, page trees, padding; docs/bundle-format.md §2 and §3.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/format/staged_file.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fardel {

// The encoded records of each table.
class TableBytes {
public:
    std::vector<std::byte>& operator[](TableKind kind) noexcept { return tables_[table_slot(kind)]; }
    const std::vector<std::byte>& operator[](TableKind kind) const noexcept { return tables_[table_slot(kind)]; }

    template <class Record>
    void add(const Record& record, TableKind kind = Record::kTable) {
        encode_record(record, (*this)[kind]);
    }
    template <class Record>
    std::uint32_t count() const noexcept {
        return static_cast<std::uint32_t>((*this)[Record::kTable].size() / record_bytes(Record::kTable));
    }
    template <class Record>
    void reserve(std::size_t count) {
        (*this)[Record::kTable].reserve(count * record_bytes(Record::kTable));
    }

private:
    std::array<std::vector<std::byte>, kTables.size()> tables_;  // by table_slot
};

struct TableSection {
    std::vector<TableEntry> entries;  // as the head lists them; empty tables are left out
    std::uint64_t length_bytes = 0;
};

// Writes `tables`, in the order of their kinds, to `section_offset` of the file, behind which the file is empty.
// Errors: limit (above `length_bytes_max`; nothing is written then), those of the file.
Result<TableSection> write_tables(const TableBytes& tables, StagedFile& file, std::uint64_t section_offset,
                                  std::uint64_t length_bytes_max);

}  // namespace fardel
