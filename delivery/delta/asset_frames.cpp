#include "delta/asset_frames.h"

#include "delta/raw_block.h"

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/base/file.h>
#include <fardel/base/parallel.h>
#include <fardel/format/file_source.h>
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
constexpr int kFrameLevel = 15;
constexpr std::size_t kFramesBatchBytes = 8u << 20;
constexpr std::string_view kFramesSubject = "asset frames";

// Writes frames one after another, compressed on all cores.
class FramesWriter {
public:
    FramesWriter(const Bundle& bundle, Descriptor file, std::uint64_t begin)
        : bundle_(bundle), file_(std::move(file)), end_(begin) {}

    // `parts`: by block, as framed_parts() returns them. A block is read once, however many assets are in it.
    Status write(std::span<const BlockPart> parts) {
        FARDEL_TRY_ASSIGN(std::vector<std::vector<std::byte>> frames, read_assets(parts));
        parallel_for(frames.size(), worker_count(0), [&](std::size_t i) {
            std::vector<std::byte> frame = encode_with_prefix({}, frames[i], kFrameLevel);
            if (frame.size() < frames[i].size())
                frames[i] = std::move(frame);
        });
        std::vector<std::byte> joined;
        for (const std::vector<std::byte>& frame : frames) {
            joined.insert(joined.end(), frame.begin(), frame.end());
            sizes_.u32(static_cast<std::uint32_t>(frame.size()));
        }
        FARDEL_TRY(write_whole_at(file_, end_, joined, kFramesSubject));
        end_ += joined.size();
        return ok();
    }

    Result<std::shared_ptr<const ByteSource>> finish(std::size_t count) && {
        ByteWriter head;
        head.text(kFramesMagic);
        head.u32(kFramesVersion);
        head.u32(static_cast<std::uint32_t>(count));
        head.fixed(bundle_.layout_id());
        FARDEL_TRY(write_whole_at(file_, 0, head.take(), kFramesSubject));
        FARDEL_TRY(write_whole_at(file_, kFramesHeadBytes, sizes_.take(), kFramesSubject));
        return make_file_source(std::move(file_), end_, std::string(kFramesSubject));
    }

private:
    Result<std::vector<std::vector<std::byte>>> read_assets(std::span<const BlockPart> parts) {
        std::vector<std::vector<std::byte>> assets;
        std::vector<std::byte> raw;
        for (std::span<const BlockPart> rest = parts; !rest.empty();) {
            const std::span<const BlockPart> block = first_block(rest);
            rest = rest.subspan(block.size());
            FARDEL_TRY_ASSIGN(const BlockRecord record, bundle_.block(block.front().block));
            raw.resize(record.raw_bytes);
            FARDEL_TRY(blocks_.read(record, raw));
            for (const BlockPart& part : block) {
                const auto asset = std::span(raw).subspan(part.offset, part.length_bytes);
                assets.emplace_back(asset.begin(), asset.end());
            }
        }
        return assets;
    }

    const Bundle& bundle_;
    RawBlocks blocks_{bundle_};
    Descriptor file_;
    std::uint64_t end_;
    ByteWriter sizes_;
};

}  // namespace

std::string asset_frames_path_of(const BundleId& bundle) { return "bundles/" + bundle.hex() + ".frames"; }

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

Result<std::shared_ptr<const ByteSource>> make_asset_frames(const Bundle& bundle, const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const std::vector<BlockPart> parts, framed_parts(bundle));
    if (parts.empty())
        return std::shared_ptr<const ByteSource>();
    FARDEL_TRY_ASSIGN(Descriptor file, create_unnamed_file(kFramesSubject));
    FramesWriter writer(bundle, std::move(file), frame_index_bytes(parts.size()));
    for (std::size_t first = 0, last = 0; first < parts.size(); first = last) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "compressing assets one by one was stopped");
        for (std::size_t bytes = 0; last < parts.size() && bytes < kFramesBatchBytes; ++last)
            bytes += parts[last].length_bytes;
        FARDEL_TRY(writer.write(std::span(parts).subspan(first, last - first)));
    }
    return std::move(writer).finish(parts.size());
}

std::uint64_t frame_index_bytes(std::size_t frames) noexcept { return kFramesHeadBytes + frames * kFrameSizeBytes; }

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
