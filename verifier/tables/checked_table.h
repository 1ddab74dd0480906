// CheckedTable: the records of one table in private memory, as far as the page tree proves them.
//
// Pages that differ from their hash, and all pages below a damaged page of the tree, are unknown: their records are not
// found, and no check concludes anything from them. Memory never exceeds the bytes of the table that the file has.
#pragma once

#include "findings/verify_findings.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fardel {

class CheckedTable {
public:
    CheckedTable() = default;  // for a table that the bundle does not have: no records, and it is complete

    // Reads records and page tree, and checks every page and the padding. `section_offset` is an offset in the file and
    // may be any number.
    static CheckedTable read(const ByteSource& source, std::uint64_t section_offset, const TableEntry& entry,
                             VerifyFindings& findings);

    TableKind kind() const noexcept { return entry_.kind; }
    std::uint64_t count() const noexcept { return entry_.count; }
    std::uint64_t length_bytes() const noexcept { return entry_.length_bytes; }
    // Whether every record is known.
    bool is_complete() const noexcept { return complete_; }

    // Returns bytes of the records; nothing if one of them is unknown or beyond the end. They live as long as the
    // table.
    std::optional<std::span<const std::byte>> find_bytes(std::uint64_t offset, std::uint64_t length) const noexcept;

    // Returns the bytes of a record, whether it is well formed or not.
    std::optional<std::span<const std::byte>> find_record_bytes(std::uint64_t index) const noexcept {
        return index < entry_.count ? find_bytes(index * entry_.record_bytes, entry_.record_bytes) : std::nullopt;
    }

private:
    TableEntry entry_;
    std::vector<std::byte> bytes_;  // shorter than the table if the file is cut off
    std::vector<bool> proved_;      // per page of records
    bool complete_ = true;
};

}  // namespace fardel
