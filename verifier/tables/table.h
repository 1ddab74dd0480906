// Table: the records of one table in private memory, as far as the page tree proves them.
//
// Pages that differ from their hash, and all below a damaged page of the tree, count as unknown: their records are not
// found, and no check concludes anything from them. Memory never exceeds what the file holds of the table.
#pragma once

#include "findings/findings.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fardel {

class Table {
public:
    Table() = default;  // a table that the bundle does not have: no records, all of them known

    // Reads records and tree, checks every page and the zeros between. `section_offset`: in the file; any number.
    static Table read(const ByteSource& source, std::uint64_t section_offset, const TableEntry& entry,
                      Findings& findings);

    TableKind kind() const noexcept { return entry_.kind; }
    std::uint64_t count() const noexcept { return entry_.count; }
    std::uint64_t length_bytes() const noexcept { return entry_.length_bytes; }
    // Every record is known.
    bool whole() const noexcept { return whole_; }

    // Bytes of the records; nothing where one of them is unknown or past the end. Live as long as the table.
    std::optional<std::span<const std::byte>> find_bytes(std::uint64_t offset, std::uint64_t length) const noexcept;

    // The record's bytes, whatever its form.
    std::optional<std::span<const std::byte>> find_record_bytes(std::uint64_t index) const noexcept {
        return index < entry_.count ? find_bytes(index * entry_.record_bytes, entry_.record_bytes) : std::nullopt;
    }

private:
    TableEntry entry_;
    std::vector<std::byte> bytes_;  // may be shorter than the table where the file is
    std::vector<bool> proved_;      // one a page of records
    bool whole_ = true;
};

}  // namespace fardel
