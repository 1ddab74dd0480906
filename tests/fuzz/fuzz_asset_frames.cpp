// Input: how many assets there are (one byte) and how large each is, then the index of a file of asset frames. What
// decodes lies inside the file, frame after frame, none larger than its asset; a frame gives its asset or nothing.
#include <fardel/delivery/asset_frames.h>
#include "require.h"

#include <fardel/format/ids.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

using namespace fardel;

int fuzz_asset_frames(const std::uint8_t* data, std::size_t size) {
    std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
    if (bytes.size() < 2)
        return 0;
    std::vector<BlockPart> parts(std::to_integer<std::size_t>(bytes[0]) % 16);
    for (BlockPart& part : parts)
        part.length_bytes = std::to_integer<std::uint32_t>(bytes[1]) * 4;
    bytes = bytes.subspan(2);
    const auto index = bytes.first(std::min(bytes.size(), static_cast<std::size_t>(frame_index_bytes(parts.size()))));
    const auto offsets = decode_frame_index(index, LayoutId(), parts);
    if (!offsets)
        return 0;
    require(offsets->size() == parts.size() + 1 && offsets->front() == index.size());
    PrefixDecoder decoder;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::uint64_t frame_bytes = (*offsets)[i + 1] - (*offsets)[i];
        require(frame_bytes >= 1 && frame_bytes <= parts[i].length_bytes);
        if ((*offsets)[i + 1] > bytes.size())
            continue;
        const auto frame =
            bytes.subspan(static_cast<std::size_t>((*offsets)[i]), static_cast<std::size_t>(frame_bytes));
        std::vector<std::byte> content(parts[i].length_bytes);
        require(!decode_asset_frame(decoder, frame, AssetId(), content));
    }
    return 0;
}
