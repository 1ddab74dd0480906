// Input: how many assets, names and blocks, how many records are turned back at a time, then the records in the stable
// form. If they can be turned back, the tables that come out have exactly this form, read in any parts.
#include <fardel/delivery/stable_tables.h>
#include "require.h"
#include "table_entries.h"

#include <fardel/format/byte_source.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

using namespace fardel;

namespace {

constexpr std::uint64_t kHeads = 2 * std::uint64_t{limits::kHeadBytes};

// Parts of `records` records, or of what lies between tables.
bool restore_all(const TableImage& image, std::uint64_t records, std::span<std::byte> bytes) {
    TableRestorer restorer(image);
    std::uint64_t offset = 0;
    const auto restore_to = [&](std::uint64_t end) {
        const std::uint64_t begin = std::exchange(offset, end);
        return static_cast<bool>(
            restorer.restore(bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))));
    };
    for (const TableImage::Table& table : image.tables())
        for (std::uint64_t at = 0; at < table.length_bytes; at += records * record_bytes(table.kind))
            if (!restore_to(table.offset + at))
                return false;
    return restore_to(bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 4)
        return 0;
    const std::uint64_t assets = data[0], names = data[1], blocks = data[2], at_once = data[3] % 7 + std::uint64_t{1};
    const std::span<const std::byte> records = std::as_bytes(std::span(data + 4, size - 4));

    BundleHead head;
    add_table(head.tables, TableKind::assets, assets);
    add_table(head.tables, TableKind::names, names);
    head.manifest_bytes = place_tables(head.tables);
    LayoutHead layout;
    add_table(layout.tables, TableKind::blocks, blocks);
    layout.manifest_offset = kHeads;
    layout.layout_offset = kHeads + head.manifest_bytes;
    layout.layout_bytes = place_tables(layout.tables);
    const std::uint64_t file_bytes = layout.layout_offset + layout.layout_bytes;
    const TableImage image(head, layout, file_bytes, TableImage::Derived::absent, TableImage::Trailer::absent);
    if (image.size_bytes() != kHeads + records.size())
        return 0;

    std::vector<std::byte> stable(kHeads);
    stable.insert(stable.end(), records.begin(), records.end());
    std::vector<std::byte> plain = stable;
    if (!restore_all(image, at_once, plain))
        return 0;
    std::vector<std::byte> file(file_bytes);
    require(static_cast<bool>(image.scatter(0, plain, [&](std::uint64_t offset, std::span<const std::byte> part) {
        std::ranges::copy(part, file.begin() + static_cast<std::ptrdiff_t>(offset));
        return ok();
    })));
    const auto source = make_memory_source(file);
    const auto tables = StableTables::open(image, *source);
    require(static_cast<bool>(tables));
    std::vector<std::byte> part;
    for (std::uint64_t offset = 0; offset < stable.size(); offset += part.size()) {
        part.resize(static_cast<std::size_t>(std::min<std::uint64_t>(stable.size() - offset, kHeads + at_once * 5)));
        require(static_cast<bool>(tables->read(offset, part)));
        require(std::equal(part.begin(), part.end(), stable.begin() + static_cast<std::ptrdiff_t>(offset)));
    }
    return 0;
}
