#include "delta/table_image.h"

#include <algorithm>

namespace fardel {

TableImage::TableImage(const BundleHead& head, const LayoutHead& layout, std::uint64_t file_bytes, Trailer trailer)
    : parts_{{{0, 2 * std::uint64_t{limits::kHeadBytes}},
              {layout.manifest_offset, head.manifest_bytes},
              {layout.layout_offset, layout.layout_bytes},
              {layout.trailer_offset, trailer == Trailer::present ? file_bytes - layout.trailer_offset : 0}}} {
    add_tables(head.tables, parts_[0].length_bytes, head.manifest_bytes);
    add_tables(layout.tables, parts_[0].length_bytes + head.manifest_bytes, layout.layout_bytes);
}

void TableImage::add_tables(std::span<const TableEntry> entries, std::uint64_t section_offset,
                            std::uint64_t section_bytes) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::uint64_t end = i + 1 < entries.size() ? entries[i + 1].offset : section_bytes;
        tables_.push_back({entries[i].kind, section_offset + entries[i].offset, end - entries[i].offset});
    }
}

std::uint64_t TableImage::size_bytes() const noexcept {
    std::uint64_t bytes = 0;
    for (const Part& part : parts_)
        bytes += part.length_bytes;
    return bytes;
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

}  // namespace fardel
