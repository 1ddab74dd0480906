// Writes a section of tables into the file: records, page trees, padding; docs/bundle-format.md §2 and §3.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/format/staged_file.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

struct TableBytes {
    TableKind kind{};
    std::vector<std::byte> records;
};

struct TableSection {
    std::vector<TableEntry> entries;  // as the head lists them; empty tables are left out
    std::uint64_t length_bytes = 0;
};

// Writes `tables`, in the order of their kinds, to `section_offset` of the file, behind which the file is empty.
// Errors: limit (above `length_bytes_max`; nothing is written then), those of the file.
Result<TableSection> write_tables(std::span<const TableBytes> tables, StagedFile& file, std::uint64_t section_offset,
                                  std::uint64_t length_bytes_max);

}  // namespace fardel
