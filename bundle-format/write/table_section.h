// Writes a section of tables into the file: records, page trees, padding; docs/bundle-format.md §2 and §3.
#pragma once

#include "tables/page_tree.h"

#include <fardel/base/result.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/format/staged_file.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

namespace fardel {

// Writes one table after the other, in the order of their kinds, and holds only a part of each: those of ten million
// assets have more than a gigabyte. Tables without records are left out. Errors: limit (the section is too long), those
// of the file.
class TableSection {
public:
    // From `section_offset` of the file on; behind it, the file is empty.
    TableSection(StagedFile& file, std::uint64_t section_offset, std::uint64_t length_bytes_max)
        : file_(file), section_offset_(section_offset), length_bytes_max_(length_bytes_max) {}

    // A table with record_of(item) of each item.
    template <class Record, class Items, class RecordOf>
    Status write(const Items& items, RecordOf record_of, TableKind kind = Record::kTable) {
        return write_parts(kind, std::size(items), items,
                           [&](const auto& item, auto& bytes) { encode_record(Record(record_of(item)), bytes); });
    }
    // A table with `count` records, each of which next() returns.
    template <class Record, class Next>
    Status write_each(std::uint64_t count, Next next, TableKind kind = Record::kTable) {
        FARDEL_TRY(begin(kind, count));
        for (std::uint64_t i = 0; i < count; ++i) {
            encode_record(next(), part_);
            FARDEL_TRY(write_if_full());
        }
        return end();
    }
    // A table of `count` bytes or records, which append(item, bytes) appends for each item.
    template <class Items, class Append>
    Status write_parts(TableKind kind, std::uint64_t count, const Items& items, Append append) {
        FARDEL_TRY(begin(kind, count));
        for (const auto& item : items) {
            append(item, part_);
            FARDEL_TRY(write_if_full());
        }
        return end();
    }
    // A table of these records.
    Status write_bytes(TableKind kind, std::span<const std::byte> records);

    const std::vector<TableEntry>& entries() const noexcept { return entries_; }  // as the head lists them
    std::uint64_t length_bytes() const noexcept { return length_bytes_; }

private:
    static constexpr std::size_t kPartBytes = std::size_t{1} << 20;

    Status begin(TableKind kind, std::uint64_t count);
    Status write_if_full();               // writes the whole pages of part_, once there are enough
    Status write_part(std::size_t size);  // the first bytes of part_: whole pages, or all that is left
    Status end();

    StagedFile& file_;
    std::uint64_t section_offset_, length_bytes_max_;
    std::vector<TableEntry> entries_;
    std::uint64_t length_bytes_ = 0;
    // The table that is being written.
    std::optional<PageTreeBuilder> tree_;  // none if the table has no records
    std::uint64_t at_ = 0;                 // in the file
    std::vector<std::byte> part_;
};

}  // namespace fardel
