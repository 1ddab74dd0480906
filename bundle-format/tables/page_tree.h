// Page trees prove that a page of a table belongs to a root, without reading the rest. docs/bundle-format.md §3.
//
// PagedTable is one table of an open bundle: private memory whose pages are filled and verified when they are first
// touched. Any number of threads; if two touch an absent page at once, both wait for one read. Memory that is never
// touched costs only address space.
#pragma once

#include "table_memory.h"
#include "verified_pages.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>
#include <fardel/format/table_pages.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

struct PageTree {
    Hash root;
    std::vector<std::byte> levels;  // levels 1 and up, each padded to 64; exactly tree_bytes(records.size())
};
PageTree build_page_tree(TableKind kind, std::span<const std::byte> records);

// The same, of records that come bit by bit.
class PageTreeBuilder {
public:
    // `table_bytes`: of all records.
    PageTreeBuilder(TableKind kind, std::uint64_t table_bytes) : kind_(kind), table_bytes_(table_bytes) {}
    // The next records: whole pages, but for the last ones.
    void add(std::span<const std::byte> records);
    PageTree finish() &&;  // when all records were added

private:
    TableKind kind_;
    std::uint64_t table_bytes_;
    std::vector<std::byte> hashes_;  // of the pages
};

class PagedTable {
public:
    PagedTable() = default;  // an empty table: nothing can be touched
    // `section_offset`: offset of the manifest or layout in the source, which must outlive the table. The entry and
    // section are already checked against the file's size. Error: limit (no address space for the table).
    static Result<PagedTable> open(const ByteSource& source, std::uint64_t section_offset, const TableEntry& entry);

    std::uint64_t length_bytes() const noexcept { return entry_.length_bytes; }
    std::uint64_t count() const noexcept { return entry_.count; }

    // Returns bytes [offset, offset + length) of the records, verified; the pointer lives as long as the table. Errors:
    // malformed (outside the table), corrupt, io.
    Result<const std::byte*> touch(std::uint64_t offset, std::uint64_t length) const {
        if (const std::byte* bytes = pages_.peek(offset, length))
            return bytes;
        return read_and_touch(offset, length);
    }

    // Returns the verified pages, which include all bytes that touch() has returned.
    const VerifiedPages& pages() const noexcept { return pages_; }

private:
    enum State : std::uint8_t { kAbsent = 0, kBusy = 1, kReady = VerifiedPages::kReady };
    struct Level {
        std::uint64_t source_offset = 0;
        std::uint64_t length_bytes = 0;
        TableMemory memory;
        std::byte* bytes = nullptr;  // of `memory`
        TableMemory state_memory;
        std::atomic<std::uint8_t>* states = nullptr;  // in `state_memory`: one per page
    };
    Result<const std::byte*> read_and_touch(std::uint64_t offset, std::uint64_t length) const;
    Status ensure_page(std::size_t level, std::uint64_t page) const;
    Status read_page(std::size_t level, std::uint64_t page) const;

    TableEntry entry_;
    VerifiedPages pages_;  // of levels_[0]
    const ByteSource* source_ = nullptr;
    std::vector<Level> levels_;  // 0: the records
};

}  // namespace fardel
