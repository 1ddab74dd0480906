// Input: how many assets and names, how many buckets more than the names have homes, then the records of both, then the
// strings. What follows from them, if anything does, fills exactly the rest of the manifest.
#include <fardel/format/derived_tables.h>

#include "require.h"
#include "table_entries.h"

#include <fardel/format/name_buckets.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

using namespace fardel;

namespace {

constexpr std::uint64_t kManifestOffset = 2 * std::uint64_t{limits::kHeadBytes};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3)
        return 0;
    const std::uint64_t assets = data[0], names = data[1], more_buckets = data[2] % 4;
    std::span<const std::byte> rest = std::as_bytes(std::span(data + 3, size - 3));
    const std::uint64_t given = assets * record_bytes(TableKind::assets) + names * record_bytes(TableKind::names);
    if (rest.size() < given)
        return 0;
    BundleHead head;
    add_table(head.tables, TableKind::strings, rest.size() - given);
    add_table(head.tables, TableKind::assets, assets);
    add_table(head.tables, TableKind::asset_buckets, assets == 0 ? 0 : std::bit_ceil((assets + 1) / 2) + 1);
    add_table(head.tables, TableKind::names, names);
    add_table(head.tables, TableKind::name_buckets, names == 0 ? 0 : home_buckets(names) + more_buckets);
    add_table(head.tables, TableKind::name_filters, filter_words(names));
    head.manifest_bytes = place_tables(head.tables);
    LayoutHead layout;
    layout.manifest_offset = kManifestOffset;

    std::vector<std::byte> file(kManifestOffset + head.manifest_bytes);
    std::vector<bool> is_there(file.size(), false);
    const auto place = [&](std::uint64_t offset, std::span<const std::byte> bytes) {
        require(offset >= kManifestOffset && offset <= file.size() && bytes.size() <= file.size() - offset);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            require(!is_there[offset + i]);
            is_there[offset + i] = true;
        }
        std::ranges::copy(bytes, file.begin() + static_cast<std::ptrdiff_t>(offset));
        return ok();
    };
    for (const TableKind kind : {TableKind::assets, TableKind::names, TableKind::strings})
        if (const TableEntry* entry = head.find(kind)) {
            static_cast<void>(place(kManifestOffset + entry->offset, rest.first(entry->length_bytes)));
            rest = rest.subspan(entry->length_bytes);
        }
    const auto source = make_memory_source(file);
    if (derive_tables(head, layout, *source, place))
        require(std::ranges::count(is_there, true) == static_cast<std::ptrdiff_t>(head.manifest_bytes));
    return 0;
}
