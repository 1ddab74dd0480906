// Input: a delta without blocks, and the tables of a bundle in one row, of which one is made. What is placed is in the
// file that the head names, and all of the tables.
#include <fardel/delivery/delta_tables.h>
#include "require.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using namespace fardel;

namespace {

using Bytes = std::vector<std::byte>;

void check_delta(const Bytes& delta) {
    const auto source = make_memory_source(delta);
    const auto front = open_delta_front(*source);
    if (!front)
        return;
    std::uint64_t given = 0, placed = 0;
    for (const DeltaTables& segment : front->directory.tables)
        given += segment.raw_bytes;
    if (given > (32u << 20))
        return;
    const TablesPlace place{
        .set_file_bytes =
            [&](std::uint64_t file_bytes) {
                require(placed == 0 && file_bytes == front->head.file_bytes);
                return ok();
            },
        .write =
            [&](std::uint64_t offset, std::span<const std::byte> part) {
                require(offset <= front->head.file_bytes && part.size() <= front->head.file_bytes - offset);
                placed += part.size();
                return ok();
            }};
    const auto is_placed = place_delta_tables(nullptr, *front, *source, 32u << 20, place);
    require(placed <= given);
    require(!is_placed || placed == (*is_placed ? given : 0));
}

HeadBytes head_at(std::span<const std::byte> image, std::size_t offset) {
    HeadBytes head{};
    std::copy_n(image.begin() + static_cast<std::ptrdiff_t>(offset), head.size(), head.begin());
    return head;
}

// Two segments, with the ids that no fuzzer would find. The file ends where the trailer begins.
Bytes delta_of(Bytes image) {
    DeltaHead head{.new_bundle = bundle_id(head_at(image, 0)), .file_bytes = image.size()};
    if (auto layout = decode_layout_head(head_at(image, sizeof(HeadBytes)))) {
        layout->bundle = head.new_bundle;
        head.file_bytes = layout->trailer_offset;
        std::ranges::copy(encode_layout_head(*layout), image.begin() + sizeof(HeadBytes));
    }
    head.new_layout = layout_id(head_at(image, sizeof(HeadBytes)));
    DeltaDirectory directory;
    Bytes frames;
    const std::size_t first = 2 * sizeof(HeadBytes) + (image.size() - 2 * sizeof(HeadBytes)) / 2;
    for (const auto part : {std::span(image).first(first), std::span(image).subspan(first)}) {
        if (part.empty())
            continue;
        const Bytes frame = encode_with_prefix({}, part, 1);
        directory.tables.push_back({.frame_bytes = static_cast<std::uint32_t>(frame.size()),
                                    .raw_bytes = static_cast<std::uint32_t>(part.size())});
        frames.insert(frames.end(), frame.begin(), frame.end());
    }
    const Bytes entries = encode_delta_directory(directory);
    head.directory_bytes = entries.size();
    head.tables_bytes = frames.size();
    head.table_segments = static_cast<std::uint32_t>(directory.tables.size());
    Bytes delta = encode_delta_head(head);
    delta.insert(delta.end(), entries.begin(), entries.end());
    delta.insert(delta.end(), frames.begin(), frames.end());
    return delta;
}

}  // namespace

int fuzz_delta_tables(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    check_delta(Bytes(bytes.begin(), bytes.end()));
    if (size < 2 * sizeof(HeadBytes) || size > (4u << 20))
        return 0;
    check_delta(delta_of(Bytes(bytes.begin(), bytes.end())));
    return 0;
}
