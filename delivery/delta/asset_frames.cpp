#include <fardel/delivery/asset_frames.h>

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kFramesMagic = "FARDELAF";
constexpr std::uint32_t kFramesVersion = 1;
constexpr std::uint64_t kFramesHeadBytes = 48;
constexpr std::uint64_t kFrameSizeBytes = 4;
constexpr std::string_view kFramesSubject = "asset frames";

}  // namespace

Result<bool> is_shared_block(const Bundle& bundle, std::span<const BlockPart> parts) {
    if (parts.size() < 2)
        return false;
    std::uint64_t end = 0;
    for (const BlockPart& part : parts) {
        FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(part.asset));
        if (part.offset != end || part.asset_offset != 0 || asset.raw_bytes != part.length_bytes)
            return false;
        end += part.length_bytes;
    }
    FARDEL_TRY_ASSIGN(const BlockRecord block, bundle.block(parts.front().block));
    return end == block.raw_bytes && end <= limits::kBlockBytesMax;
}

Result<std::vector<BlockPart>> framed_parts(const Bundle& bundle) {
    const std::vector<bool> all(static_cast<std::size_t>(bundle.table_count(TableKind::blocks)), true);
    FARDEL_TRY_ASSIGN(const std::vector<BlockPart> parts, block_parts(bundle, all));
    std::vector<BlockPart> framed;
    for (std::span<const BlockPart> rest = parts; !rest.empty();) {
        const std::span<const BlockPart> block = first_block(rest);
        FARDEL_TRY_ASSIGN(const bool is_shared, is_shared_block(bundle, block));
        if (is_shared)
            framed.insert(framed.end(), block.begin(), block.end());
        rest = rest.subspan(block.size());
    }
    return framed;
}

std::uint64_t frame_index_bytes(std::size_t frames) noexcept { return kFramesHeadBytes + frames * kFrameSizeBytes; }

std::vector<std::byte> encode_frame_index(const LayoutId& layout, std::span<const std::uint32_t> sizes) {
    ByteWriter index;
    index.text(kFramesMagic);
    index.u32(kFramesVersion);
    index.u32(static_cast<std::uint32_t>(sizes.size()));
    index.fixed(layout);
    for (const std::uint32_t size : sizes)
        index.u32(size);
    return index.take();
}

Result<std::vector<std::uint64_t>> decode_frame_index(std::span<const std::byte> bytes, const LayoutId& layout,
                                                      std::span<const BlockPart> parts) {
    ByteReader reader(bytes, kFramesSubject);
    if (reader.text(kFramesMagic.size()) != kFramesMagic)
        reader.fail(ErrorCode::malformed, "not a file of asset frames");
    if (reader.u32() != kFramesVersion)
        reader.fail(ErrorCode::unsupported, "of another version than 1");
    if (reader.u32() != parts.size() || bytes.size() != frame_index_bytes(parts.size()))
        reader.fail(ErrorCode::malformed, "not as many as the bundle has");
    if (reader.fixed<LayoutId>() != layout)
        reader.fail(ErrorCode::conflict, "for another layout");
    std::vector<std::uint64_t> offsets{bytes.size()};
    offsets.reserve(parts.size() + 1);
    for (const BlockPart& part : parts) {
        const std::uint32_t size = reader.u32();
        if (size == 0 || size > part.length_bytes)
            reader.fail(ErrorCode::malformed, "a frame is empty or larger than its asset");
        offsets.push_back(offsets.back() + size);
    }
    FARDEL_TRY(reader.finish());
    return offsets;
}

Status decode_asset_frame(PrefixDecoder& decoder, std::span<const std::byte> frame, const AssetId& id,
                          std::span<std::byte> out) {
    if (frame.size() == out.size())
        std::ranges::copy(frame, out.begin());
    else
        FARDEL_TRY(decoder.decode({}, frame, out));
    return asset_id_of(out) == id ? ok() : Error(ErrorCode::corrupt, "an asset frame gives another asset");
}

}  // namespace fardel
