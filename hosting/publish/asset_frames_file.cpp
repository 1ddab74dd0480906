#include "publish/asset_frames_file.h"

#include <fardel/base/file.h>
#include <fardel/base/parallel.h>
#include <fardel/delivery/asset_frames.h>
#include <fardel/delivery/raw_block.h>
#include <fardel/format/file_source.h>
#include <fardel/format/prefix_codec.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

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
            sizes_.push_back(static_cast<std::uint32_t>(frame.size()));
        }
        FARDEL_TRY(write_whole_at(file_, end_, joined, kFramesSubject));
        end_ += joined.size();
        return ok();
    }

    Result<std::shared_ptr<const ByteSource>> finish() && {
        FARDEL_TRY(write_whole_at(file_, 0, encode_frame_index(bundle_.layout_id(), sizes_), kFramesSubject));
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
    std::vector<std::uint32_t> sizes_;
};

}  // namespace

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
    return std::move(writer).finish();
}

}  // namespace fardel
