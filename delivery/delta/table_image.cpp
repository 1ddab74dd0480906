#include <fardel/delivery/table_image.h>

#include <algorithm>

namespace fardel {

TableImage::TableImage(const BundleHead& head, const LayoutHead& layout, std::uint64_t end) {
    add_part({0, 2 * std::uint64_t{limits::kHeadBytes}});
    add_section(head.tables, {layout.manifest_offset, head.manifest_bytes});
    add_section(layout.tables, {layout.layout_offset, layout.layout_bytes});
    add_part({layout.trailer_offset, end - layout.trailer_offset});
}

void TableImage::add_section(std::span<const TableEntry> entries, const Part& section) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::uint64_t end = i + 1 < entries.size() ? entries[i + 1].offset : section.length_bytes;
        tables_.push_back({entries[i].kind, size_bytes_ + entries[i].offset, end - entries[i].offset});
    }
    add_part(section);
}

void TableImage::add_part(const Part& part) {
    if (part.length_bytes != 0)
        parts_.push_back(part);
    size_bytes_ += part.length_bytes;
}

std::uint64_t TableImage::counterpart(const TableImage& other, std::uint64_t offset) const noexcept {
    const auto scaled = [](std::uint64_t value, std::uint64_t from, std::uint64_t to) {
        return static_cast<std::uint64_t>(static_cast<double>(value) / static_cast<double>(from) *
                                          static_cast<double>(to));
    };
    for (const Table& table : other.tables_) {
        if (offset < table.offset || offset - table.offset >= table.length_bytes)
            continue;
        if (const auto same = std::ranges::find(tables_, table.kind, &Table::kind); same != tables_.end())
            return same->offset + scaled(offset - table.offset, table.length_bytes, same->length_bytes);
    }
    return std::min(scaled(offset, std::max<std::uint64_t>(other.size_bytes(), 1), size_bytes()), size_bytes());
}

bool TableImage::is_held_by(const ByteSource& file) const {
    return std::ranges::all_of(parts_, [&](const Part& part) { return file.holds(part.offset, part.length_bytes); });
}

Status TableImage::read(const ByteSource& file, std::uint64_t offset, std::span<std::byte> out) const {
    // scatter() knows where the bytes are; what it passes on is this memory.
    return scatter(offset, out, [&](std::uint64_t file_offset, std::span<const std::byte> part) {
        return file.read_at(file_offset, out.subspan(static_cast<std::size_t>(part.data() - out.data()), part.size()));
    });
}

Status TableImage::scatter(std::uint64_t offset, std::span<const std::byte> bytes,
                           const std::function<Status(std::uint64_t, std::span<const std::byte>)>& place) const {
    for (const Part& part : parts_) {
        if (offset >= part.length_bytes) {
            offset -= part.length_bytes;
            continue;
        }
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(part.length_bytes - offset, bytes.size()));
        if (count != 0)
            FARDEL_TRY(place(part.offset + offset, bytes.first(count)));
        bytes = bytes.subspan(count);
        offset = 0;
    }
    return bytes.empty() ? ok() : Error(ErrorCode::malformed, "more bytes than the tables have");
}

TableImage old_tables_of(const Bundle& old) {
    return TableImage(old.head(), old.layout_head(), old.layout_head().trailer_offset);
}

TableImage new_tables_of(const Bundle& target) {
    return TableImage(target.head(), target.layout_head(), target.source()->size_bytes());
}

}  // namespace fardel
