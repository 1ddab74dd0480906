#include <fardel/format/bundle_writer.h>

#include "asset_order.h"
#include "asset_storage.h"
#include "bytes.h"
#include "codec.h"
#include "manifest_tables.h"
#include "plan_check.h"
#include "resolved_plan.h"
#include "sorted_names.h"
#include "table_section.h"

#include <fardel/format/head.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kLayoutHeadOffset = limits::kHeadBytes;
constexpr std::uint64_t kBlocksOffset = 2 * limits::kHeadBytes;

std::uint64_t align_section(std::uint64_t offset) { return align_up(offset, limits::kPageBytes); }

std::vector<CodecVersion> codecs_of(std::span<const BlockRecord> blocks) {
    std::vector<CodecVersion> codecs;
    for (const Codec codec : {Codec::raw, Codec::zstd})
        if (std::ranges::find(blocks, codec, &BlockRecord::codec) != blocks.end())
            codecs.push_back({codec, 1});
    return codecs;
}

WriteSummary summary_of(const BundlePlan& plan, const StoredContent& content, const Head& head, const LayoutHead& layout) {
    WriteSummary summary;
    summary.assets = content.assets.size();
    summary.names = plan.names.size();
    summary.duplicates = plan.assets.size() - content.assets.size();
    summary.duplicate_bytes = content.duplicate_bytes;
    summary.raw_bytes = content.raw_bytes;
    summary.blocks = content.blocks.size();
    for (const BlockRecord& block : content.blocks)
        summary.stored_bytes += block.stored_bytes;
    summary.manifest_bytes = head.manifest_bytes;
    summary.file_bytes = layout.trailer_offset;
    return summary;
}

}  // namespace

Result<StagedBundle> write_bundle(const BundlePlan& plan, std::unique_ptr<StagedFile> file, const WriteOptions& options) {
    assert(file);
    if (options.level < kLevelMin || options.level > kLevelMax)
        return Error(ErrorCode::limit, "level " + std::to_string(options.level) + "; zstd's levels here are " +
                                           std::to_string(kLevelMin) + " to " + std::to_string(kLevelMax));

    // What the plan says alone.
    FARDEL_TRY(verify_plan(plan));
    FARDEL_TRY_ASSIGN(const SortedNames names, sort_names(plan.names));
    FARDEL_TRY_ASSIGN(const std::vector<std::uint32_t> order, order_assets(plan.assets));

    // One pass over the sources.
    FARDEL_TRY_ASSIGN(const StoredContent content, store_assets(plan.assets, order, *file, kBlocksOffset, options));

    // What the plan means, now that it is known which assets are the same.
    FARDEL_TRY_ASSIGN(const ResolvedPlan resolved, resolve_plan(plan, content));
    FARDEL_TRY_ASSIGN(const std::vector<TableBytes> manifest, build_manifest_tables(plan, names, content, resolved));

    LayoutHead layout;
    layout.blocks_offset = kBlocksOffset;
    layout.blocks_bytes = content.blocks_bytes;
    layout.codecs = codecs_of(content.blocks);
    layout.manifest_offset = align_section(layout.blocks_offset + layout.blocks_bytes);
    FARDEL_TRY_ASSIGN(TableSection manifest_section,
                      write_tables(manifest, *file, layout.manifest_offset, limits::kManifestBytesMax));
    layout.layout_offset = align_section(layout.manifest_offset + manifest_section.length_bytes);
    FARDEL_TRY_ASSIGN(TableSection layout_section,
                      write_tables(build_layout_tables(content), *file, layout.layout_offset, limits::kLayoutBytesMax));
    layout.layout_bytes = layout_section.length_bytes;
    layout.tables = std::move(layout_section.entries);
    layout.trailer_offset = align_section(layout.layout_offset + layout.layout_bytes);
    FARDEL_TRY(file->resize(layout.trailer_offset));

    // The heads come last: until then the file is not a bundle.
    Head head;
    head.manifest_bytes = manifest_section.length_bytes;
    head.tables = std::move(manifest_section.entries);
    const HeadBytes head_bytes = encode_head(head);
    layout.bundle = bundle_id(head_bytes);
    const HeadBytes layout_bytes = encode_layout_head(layout);
    assert(verify_sections(head, layout.bundle, layout, layout.trailer_offset));
    FARDEL_TRY(file->write_at(kLayoutHeadOffset, layout_bytes));
    FARDEL_TRY(file->write_at(0, head_bytes));

    WriteSummary summary = summary_of(plan, content, head, layout);
    summary.bundle = layout.bundle;
    summary.layout = layout_id(layout_bytes);
    return StagedBundle(summary, std::move(file));
}

}  // namespace fardel
