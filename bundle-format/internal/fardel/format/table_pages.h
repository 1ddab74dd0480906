// The pages of a table and of its page tree, as ranges of a bundle file. docs/bundle-format.md §3.
#pragma once

#include <fardel/format/head.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

struct PageLevel {
    std::uint64_t offset = 0;  // in the file
    std::uint64_t length_bytes = 0;
};

// The levels of a table that is not empty: first its records, last the one page whose hash is the root. The entry has
// passed decode_head() or decode_layout_head().
std::vector<PageLevel> page_levels(std::uint64_t section_offset, const TableEntry& table);

// `table_bytes`: of the table's records, whatever the level.
Hash page_hash(TableKind kind, std::uint32_t level, std::uint64_t index, std::uint64_t table_bytes,
               std::span<const std::byte> page) noexcept;

}  // namespace fardel
