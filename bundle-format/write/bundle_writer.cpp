#include <fardel/format/bundle_writer.h>

#include "asset_order.h"
#include "asset_storage.h"
#include "bundle_sections.h"
#include "plan_check.h"
#include "sorted_names.h"

#include <fardel/format/block_encoder.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fardel {
namespace {

// The bundle's own metadata text under `key`; empty if there is none.
std::string own_text(const BundlePlan& plan, std::string_view key) {
    for (const PlannedMetadata& record : plan.metadata)
        if (const auto* text = std::get_if<std::string>(&record.value); text && record.key == key)
            return *text;
    return {};
}

BundleWriteSummary summary_of(const BundlePlan& plan, BundlePurpose purpose, const StoredContent& content,
                              const BundleHead& head, const LayoutHead& layout) {
    BundleWriteSummary summary;
    summary.name = own_text(plan, "name");
    summary.version = own_text(plan, "version");
    summary.assets = content.assets.size();
    summary.names = plan.names.size();
    summary.duplicates = plan.assets.size() - content.assets.size();
    summary.duplicate_bytes = content.duplicate_bytes;
    summary.raw_bytes = content.raw_bytes;
    summary.blocks = content.blocks.size();
    summary.copied_blocks = content.copied_blocks;
    if (std::ranges::any_of(content.block_purposes, [&](BundlePurpose one) { return one != purpose; }))
        summary.block_purposes = content.block_purposes;
    for (const BlockRecord& block : content.blocks)
        summary.stored_bytes += block.stored_bytes;
    summary.manifest_bytes = head.manifest_bytes;
    summary.file_bytes = layout.trailer_offset;
    return summary;
}

// Reads the sources, and stores what they give.
Result<StoredContent> store_plan(const BundlePlan& plan, StagedFile& file, const BundleWriteOptions& options) {
    FARDEL_TRY_ASSIGN(const std::vector<std::uint32_t> order, order_assets(plan.assets));
    const bool has_ranks = std::ranges::any_of(plan.assets, [](const auto& asset) { return asset.rank.has_value(); });
    const auto by_rank = has_ranks ? order_by_rank(plan.assets, order) : std::vector<std::uint32_t>();
    FARDEL_TRY_ASSIGN(StoredContent content,
                      store_assets(plan.assets, has_ranks ? by_rank : order, file, kBlocksOffset, options));
    if (!adopt_first(content, plan.assets, order)) {
        // Equal bytes are planned with two piece sizes: then ranks do not count, since the manifest has the sizes.
        FARDEL_TRY(file.resize(0));
        FARDEL_TRY_ASSIGN(content, store_assets(plan.assets, order, file, kBlocksOffset, options));
    }
    return content;
}

// Calls stored() when the sources have been read for the last time.
Result<StagedBundle> write_plan(const BundlePlan& plan, std::unique_ptr<StagedFile> file,
                                const BundleWriteOptions& options, const std::function<void()>& stored) {
    assert(file);
    if (options.level < kLevelMin || options.level > kLevelMax)
        return Error(ErrorCode::limit, "level " + std::to_string(options.level) + "; zstd's levels here are " +
                                           std::to_string(kLevelMin) + " to " + std::to_string(kLevelMax));

    // Checks that need only the plan.
    FARDEL_TRY(verify_plan(plan));
    FARDEL_TRY_ASSIGN(const std::vector<std::uint32_t> names_by_text, sort_names(plan.names));
    FARDEL_TRY_ASSIGN(StoredContent content, store_plan(plan, *file, options));
    stored();
    sort_by_id(content);

    FARDEL_TRY_ASSIGN(const WrittenHeads heads, write_sections(plan, names_by_text, content, *file));
    BundleWriteSummary summary = summary_of(plan, options.purpose, content, heads.head, heads.layout);
    summary.bundle = heads.layout.bundle;
    summary.layout = heads.layout_id;
    return StagedBundle(std::move(summary), std::move(file));
}

}  // namespace

Result<StagedBundle> write_bundle(const BundlePlan& plan, std::unique_ptr<StagedFile> file,
                                  const BundleWriteOptions& options) {
    return write_plan(plan, std::move(file), options, [] {});
}

Result<StagedBundle> write_bundle(const BundlePlan& plan, const std::string& path, const BundleWriteOptions& options) {
    FARDEL_TRY_ASSIGN(auto file, stage_file(path));
    return write_bundle(plan, std::move(file), options);
}

Result<StagedBundle> write_bundle(BundlePlan&& plan, const std::string& path, const BundleWriteOptions& options) {
    FARDEL_TRY_ASSIGN(auto file, stage_file(path));
    return write_plan(plan, std::move(file), options, [&] {
        // Of many small files, this is half of the plan, and the tables need as much.
        for (PlannedAsset& asset : plan.assets) {
            asset.source.reset();
            asset.known.reset();
        }
    });
}

}  // namespace fardel
