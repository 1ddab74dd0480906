// What of a bundle's tables follows from the rest: the look-up tables of assets and names (docs/bundle-format.md §5),
// and the page trees of all tables (§3). A delta leaves it out.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace fardel {

// Whether all records of the table follow from other tables.
constexpr bool is_look_up_table(TableKind kind) noexcept {
    return kind == TableKind::asset_buckets || kind == TableKind::name_buckets || kind == TableKind::name_filters;
}

// Receives bytes of a bundle file.
using FileBytesReceiver = std::function<Status(std::uint64_t file_offset, std::span<const std::byte> bytes)>;

// Calls `receive` with the look-up tables, the page trees, and the zeros that pad tables. `given`: a bundle file, of
// which the records of all other tables are read; the heads have passed verify_sections(). All of it is untrusted, and
// what comes out is right only if its pages have the roots in the heads. In memory at once: the names and their texts,
// or one table. Errors: malformed (a look-up table has another size than its head says; a name's text is not there),
// limit (names or ids chosen to crowd a bucket), those of `given` and `receive`.
Status derive_tables(const BundleHead& head, const LayoutHead& layout, const ByteSource& given,
                     const FileBytesReceiver& receive);

}  // namespace fardel
