#include "table_section.h"

#include "tables/page_tree.h"

#include <fardel/base/fits.h>

#include <string>

namespace fardel {

Result<TableSection> write_tables(const TableBytes& tables, StagedFile& file, std::uint64_t section_offset,
                                  std::uint64_t length_bytes_max) {
    TableSection section;
    for (const TableTraits& table : kTables) {
        if (tables[table.kind].empty())
            continue;
        TableEntry entry;
        entry.kind = table.kind;
        entry.record_bytes = table.record_bytes;
        entry.length_bytes = tables[table.kind].size();
        entry.count = entry.length_bytes / entry.record_bytes;
        section.entries.push_back(entry);
    }
    section.length_bytes = place_tables(section.entries);
    if (section.length_bytes > length_bytes_max)
        return Error(ErrorCode::limit, "the tables have " + std::to_string(section.length_bytes) + " bytes; at most " +
                                           std::to_string(length_bytes_max));

    for (TableEntry& entry : section.entries) {
        const std::vector<std::byte>& records = tables[entry.kind];
        const PageTree tree = build_page_tree(entry.kind, records);
        const std::uint64_t at = section_offset + entry.offset;
        FARDEL_TRY(file.write_at(at, records));
        FARDEL_TRY(file.write_at(at + align_up(records.size(), kTableAlign), tree.levels));
        entry.root = tree.root;
    }
    return section;
}

}  // namespace fardel
