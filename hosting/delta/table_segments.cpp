#include "delta/table_segments.h"

#include <fardel/base/parallel.h>
#include <fardel/format/prefix_codec.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kUndividedPrefixBytesMax = 2u << 20;
constexpr unsigned kDeltaThreadsMax = 16;    // each with a context of some 10 MB
constexpr std::size_t kSegmentsAtOnce = 64;  // whose frames are in memory

// Records have many short matches, of which one is about as good as another. With all of what level 19 compares, frames
// are 3 % smaller and take four times as long.
constexpr int kLevelMax = 19;
constexpr int kThoroughLevel = 16;
constexpr int kSearchLog = 1;

struct Effort {
    int level = 0;
    int search_log = 0;
};

Effort effort_for(std::size_t segments, int effort) {
    if (segments == 1)
        return {.level = effort};
    return {.level = std::min(effort, kLevelMax), .search_log = effort >= kThoroughLevel ? kSearchLog : 0};
}

Result<std::vector<std::byte>> encode_segment(const Bundle* old, const Bundle& target, const DeltaTables& segment,
                                              std::uint64_t offset, const Effort& effort) {
    std::vector<std::byte> prefix(segment.prefix_bytes);
    std::vector<std::byte> tables(segment.raw_bytes);
    if (old)
        FARDEL_TRY(old_tables_of(*old).read(*old->source(), segment.prefix_offset, prefix));
    FARDEL_TRY(new_tables_of(target).read(*target.source(), offset, tables));
    return encode_with_prefix(prefix, tables, effort.level, effort.search_log);
}

}  // namespace

Result<std::vector<DeltaTables>> plan_table_segments(const TableImage& old, const TableImage& target) {
    const std::uint64_t image_bytes = target.size_bytes();
    const std::uint64_t old_bytes = old.size_bytes();
    if (image_bytes > kDeltaTablesBytesMax || old_bytes > kDeltaTablesBytesMax)
        return Error(ErrorCode::limit, "the tables have more bytes than a delta can hold");
    const bool is_divided = image_bytes > kUndividedTablesBytesMax;
    const std::uint64_t segment_bytes = is_divided ? kTablesSegmentBytes : image_bytes;
    const std::uint64_t prefix_bytes = std::min(old_bytes, is_divided ? kTablesPrefixBytes : kUndividedPrefixBytesMax);
    std::vector<DeltaTables> segments;
    for (std::uint64_t offset = 0; offset < image_bytes; offset += segments.back().raw_bytes) {
        const std::uint64_t raw_bytes = std::min(segment_bytes, image_bytes - offset);
        const std::uint64_t middle = old.counterpart(target, offset + raw_bytes / 2);
        const std::uint64_t begin = middle - std::min(middle, prefix_bytes / 2);
        segments.push_back({.frame_bytes = 0,
                            .raw_bytes = static_cast<std::uint32_t>(raw_bytes),
                            .prefix_offset = std::min(begin, old_bytes - prefix_bytes),
                            .prefix_bytes = static_cast<std::uint32_t>(prefix_bytes)});
    }
    return segments;
}

Status encode_table_segments(const Bundle* old, const Bundle& target, std::span<DeltaTables> segments, int effort,
                             const TablesReceiver& receive, unsigned jobs) {
    const Effort chosen = effort_for(segments.size(), effort);
    std::uint64_t offset = 0;
    while (!segments.empty()) {
        const std::span<DeltaTables> batch = segments.first(std::min(segments.size(), kSegmentsAtOnce));
        segments = segments.subspan(batch.size());
        std::vector<std::uint64_t> offsets;
        for (const DeltaTables& segment : batch)
            offsets.push_back(std::exchange(offset, offset + segment.raw_bytes));
        std::vector<Result<std::vector<std::byte>>> frames(batch.size(), std::vector<std::byte>{});
        parallel_for(batch.size(), worker_count(jobs, kDeltaThreadsMax),
                     [&](std::size_t i) { frames[i] = encode_segment(old, target, batch[i], offsets[i], chosen); });
        for (std::size_t i = 0; i < batch.size(); ++i) {
            FARDEL_TRY_ASSIGN(const std::vector<std::byte> frame, std::move(frames[i]));
            batch[i].frame_bytes = static_cast<std::uint32_t>(frame.size());
            FARDEL_TRY(receive(batch[i], frame));
        }
    }
    return ok();
}

DeltaHead delta_head(const Bundle* old, const Bundle& target, const DeltaDirectory& directory) {
    return {.level = 0,
            .old_bundle = old ? old->id() : BundleId{},
            .old_layout = old ? old->layout_id() : LayoutId{},
            .new_bundle = target.id(),
            .new_layout = target.layout_id(),
            .file_bytes = target.source()->size_bytes(),
            .directory_bytes = encode_delta_directory(directory).size(),
            .table_segments = static_cast<std::uint32_t>(directory.tables.size()),
            .block_segments = static_cast<std::uint32_t>(directory.blocks.size())};
}

Result<std::vector<std::byte>> make_tables_delta(const Bundle* old, const Bundle& target, int effort) {
    DeltaDirectory directory;
    FARDEL_TRY_ASSIGN(directory.tables,
                      plan_table_segments(old ? old_tables_of(*old) : TableImage(), new_tables_of(target)));
    std::vector<std::byte> frames;
    FARDEL_TRY(encode_table_segments(
        old, target, directory.tables, effort,
        [&](const DeltaTables&, std::span<const std::byte> frame) {
            frames.insert(frames.end(), frame.begin(), frame.end());
            return ok();
        },
        1));
    DeltaHead head = delta_head(old, target, directory);
    head.tables_bytes = frames.size();
    std::vector<std::byte> delta = encode_delta_head(head);
    const std::vector<std::byte> entries = encode_delta_directory(directory);
    delta.insert(delta.end(), entries.begin(), entries.end());
    delta.insert(delta.end(), frames.begin(), frames.end());
    return delta;
}

}  // namespace fardel
