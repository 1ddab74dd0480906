#include "table_section.h"

#include "files/fits.h"
#include "tables/page_tree.h"

#include <fardel/format/head.h>

#include <string>

namespace fardel {
namespace {

constexpr std::uint64_t kSectionAlign = 64;

}  // namespace

Result<TableSection> write_tables(std::span<const TableBytes> tables, StagedFile& file, std::uint64_t section_offset,
                                  std::uint64_t length_bytes_max) {
    TableSection section;
    for (const TableBytes& table : tables) {
        if (table.records.empty())
            continue;
        TableEntry entry;
        entry.kind = table.kind;
        entry.record_bytes = record_bytes(table.kind);
        entry.length_bytes = table.records.size();
        entry.count = entry.length_bytes / entry.record_bytes;
        section.entries.push_back(entry);
    }
    section.length_bytes = place_tables(section.entries);
    if (section.length_bytes > length_bytes_max)
        return Error(ErrorCode::limit, "the tables have " + std::to_string(section.length_bytes) + " bytes; at most " +
                                           std::to_string(length_bytes_max));

    auto entry = section.entries.begin();
    for (const TableBytes& table : tables) {
        if (table.records.empty())
            continue;
        const PageTree tree = build_page_tree(table.kind, table.records);
        const std::uint64_t at = section_offset + entry->offset;
        FARDEL_TRY(file.write_at(at, table.records));
        FARDEL_TRY(file.write_at(at + align_up(table.records.size(), kSectionAlign), tree.levels));
        entry->root = tree.root;
        ++entry;
    }
    return section;
}

}  // namespace fardel
