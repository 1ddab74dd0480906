// FileParts: what the ranges of a bundle file are, by its heads. A value; no I/O.
#pragma once

#include <fardel/format/head.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fardel {

// One level of the page tree of a table; level 0 is its records.
struct TableLevel {
    TableKind kind{};
    std::uint32_t level = 0;
    std::uint64_t table_bytes = 0;     // of the records
    std::uint64_t offset = 0;          // in the file
    std::uint64_t length_bytes = 0;    // the last page may be short
    Hash root;                         // of the last level, which is one page
    std::optional<std::size_t> above;  // the level with the hashes of these pages; nothing: this is the last one

    std::uint64_t page_count() const noexcept;
    std::uint64_t page_offset(std::uint64_t page) const noexcept;  // in the file
    std::uint32_t page_bytes(std::uint64_t page) const noexcept;
};

enum class PartKind : unsigned char { heads, level, blocks, trailer, padding };

struct FilePart {
    PartKind kind = PartKind::padding;
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
    std::size_t level = 0;  // of PartKind::level
};

class FileParts {
public:
    FileParts() = default;
    // The heads have passed verify_sections().
    FileParts(const BundleHead& head, const LayoutHead& layout, std::uint64_t file_bytes);

    // Returns the part with the byte, which the file has. Bytes of no other part are padding: zeros.
    FilePart part_at(std::uint64_t offset) const;
    const std::vector<TableLevel>& levels() const noexcept { return levels_; }
    // Returns the index in levels() of a table's records; nothing: the bundle does not have the table.
    std::optional<std::size_t> find_table(TableKind kind) const noexcept;

private:
    void add_tables(const std::vector<TableEntry>& tables, std::uint64_t section_offset);

    std::uint64_t file_bytes_ = 0;
    std::vector<TableLevel> levels_;
    std::vector<FilePart> parts_;  // by offset, without padding and empty ones
};

}  // namespace fardel
