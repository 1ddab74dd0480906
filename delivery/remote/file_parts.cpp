#include "remote/file_parts.h"

#include <fardel/format/limits.h>
#include <fardel/format/table_pages.h>

#include <algorithm>

namespace fardel {

std::uint64_t TableLevel::page_count() const noexcept {
    return (length_bytes + limits::kPageBytes - 1) / limits::kPageBytes;
}
std::uint64_t TableLevel::page_offset(std::uint64_t page) const noexcept { return offset + page * limits::kPageBytes; }
std::uint32_t TableLevel::page_bytes(std::uint64_t page) const noexcept {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(limits::kPageBytes, length_bytes - page * limits::kPageBytes));
}

FileParts::FileParts(const BundleHead& head, const LayoutHead& layout, std::uint64_t file_bytes)
    : file_bytes_(file_bytes) {
    parts_.push_back({.kind = PartKind::heads, .offset = 0, .end = 2 * std::uint64_t{limits::kHeadBytes}});
    if (layout.blocks_bytes != 0)
        parts_.push_back({.kind = PartKind::blocks,
                          .offset = layout.blocks_offset,
                          .end = layout.blocks_offset + layout.blocks_bytes});
    add_tables(head.tables, layout.manifest_offset);
    add_tables(layout.tables, layout.layout_offset);
    if (layout.trailer_offset < file_bytes)
        parts_.push_back({.kind = PartKind::trailer, .offset = layout.trailer_offset, .end = file_bytes});
    std::ranges::sort(parts_, {}, &FilePart::offset);
}

void FileParts::add_tables(const std::vector<TableEntry>& tables, std::uint64_t section_offset) {
    for (const TableEntry& table : tables) {
        const std::vector<PageLevel> levels = page_levels(section_offset, table);
        for (std::size_t i = 0; i < levels.size(); ++i) {
            TableLevel level{.kind = table.kind,
                             .level = static_cast<std::uint32_t>(i),
                             .table_bytes = table.length_bytes,
                             .offset = levels[i].offset,
                             .length_bytes = levels[i].length_bytes,
                             .root = table.root};
            if (i + 1 < levels.size())
                level.above = levels_.size() + 1;
            parts_.push_back({.kind = PartKind::level,
                              .offset = level.offset,
                              .end = level.offset + level.length_bytes,
                              .level = levels_.size()});
            levels_.push_back(level);
        }
    }
}

FilePart FileParts::part_at(std::uint64_t offset) const {
    const auto after = std::ranges::upper_bound(parts_, offset, {}, &FilePart::offset);
    FilePart gap{.offset = 0, .end = after == parts_.end() ? file_bytes_ : after->offset};
    if (after == parts_.begin())
        return gap;
    const FilePart& before = *std::prev(after);
    if (offset < before.end)
        return before;
    gap.offset = before.end;
    return gap;
}

std::optional<std::size_t> FileParts::find_table(TableKind kind) const noexcept {
    for (std::size_t i = 0; i < levels_.size(); ++i)
        if (levels_[i].kind == kind && levels_[i].level == 0)
            return i;
    return std::nullopt;
}

}  // namespace fardel
