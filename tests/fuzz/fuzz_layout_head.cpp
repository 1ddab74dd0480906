// Input: a layout head, to which zeros are added up to 4096 bytes. It is refused, or it is exactly what its value
// encodes to; and if its sections are accepted for a file, they lie inside that file.
#include "require.h"

#include <fardel/format/head.h>

#include <algorithm>
#include <cstdint>

using namespace fardel;

namespace {

// Returns a head that matches the layout in everything that verify_sections checks.
BundleHead head_beside(const LayoutHead& layout) {
    BundleHead head;
    if (const TableEntry* placements = layout.find(TableKind::placements)) {
        head.tables.emplace_back();
        head.tables.back().kind = TableKind::assets;
        head.tables.back().count = placements->count;
    }
    head.manifest_bytes =
        layout.manifest_offset % (limits::kManifestBytesMax + 1);  // any value within the limit is enough
    return head;
}

}  // namespace

int fuzz_layout_head(const std::uint8_t* data, std::size_t size) {
    HeadBytes bytes{};
    std::ranges::copy(std::as_bytes(std::span(data, std::min(size, bytes.size()))), bytes.begin());
    const auto layout = decode_layout_head(bytes);
    if (!layout) {
        const ErrorCode code = layout.error().code();
        require(code == ErrorCode::malformed || code == ErrorCode::unsupported || code == ErrorCode::limit);
        return 0;
    }
    require(encode_layout_head(*layout) == bytes);

    BundleHead head = head_beside(*layout);
    for (const std::uint64_t manifest_bytes : {std::uint64_t{0}, std::uint64_t{4096}, head.manifest_bytes})
        for (const std::uint64_t file_bytes : {layout->trailer_offset, ~std::uint64_t{0}}) {
            head.manifest_bytes = manifest_bytes;
            if (!verify_sections(head, layout->bundle, *layout, file_bytes))
                continue;
            const auto inside = [&](std::uint64_t offset, std::uint64_t length) {
                return offset >= 2 * limits::kHeadBytes && offset <= layout->trailer_offset &&
                       length <= layout->trailer_offset - offset;
            };
            require(inside(layout->blocks_offset, layout->blocks_bytes));
            require(inside(layout->manifest_offset, manifest_bytes));
            require(inside(layout->layout_offset, layout->layout_bytes));
            require(file_bytes - layout->trailer_offset <= limits::kTrailerBytesMax);
        }
    return 0;
}
