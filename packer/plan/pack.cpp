#include <fardel/packer/pack.h>

#include "spelling_rewrite.h"

#include <fardel/packer/project.h>
#include <fardel/sources/entry_plan.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

Status verify_options(std::span<const std::string> sources, const PackOptions& options) {
    if (sources.empty())
        return Error(ErrorCode::malformed, "there is no source to pack");
    if (Status good = verify_name(options.name); !good)
        return std::move(good).error().with_context("bundle name");
    return verify_version(options.version);
}

}  // namespace

Result<PackPlan> pack_sources(std::span<const std::string> sources, const PackOptions& options) {
    FARDEL_TRY(verify_options(sources, options));
    FARDEL_TRY_ASSIGN(ScanResult scan, scan_sources(sources, options.excludes));
    std::vector<AssetScan> assets;
    for (const SourceEntry& entry : scan.entries)
        assets.push_back({.size_bytes = entry.size_bytes});
    FARDEL_TRY_ASSIGN(BundlePlan plan, plan_entries(std::move(scan.entries)));
    plan.metadata.push_back({.key = "name", .value = options.name});
    if (!options.version.empty())
        plan.metadata.push_back({.key = "version", .value = options.version});
    return PackPlan{.plan = std::move(plan), .assets = std::move(assets), .report = std::move(scan.report)};
}

Status resolve_packed(PackPlan& packed, const ResolveOptions& options, const PlanScanOptions& scan,
                      const ProjectReferences& project) {
    BundlePlan& plan = packed.plan;
    FARDEL_TRY_ASSIGN(PlanScan found, scan_plan(plan, std::move(packed.assets), scan));
    auto resolution = resolve_plan(plan, found.assets, options);
    if (!resolution)
        return scan.project_file.empty() ? std::move(resolution).error()
                                         : std::move(resolution).error().with_context(printable(scan.project_file));
    ResolveResult resolved = *std::move(resolution);
    FARDEL_TRY(rewrite_spellings(project, scan, plan, found.assets, resolved));
    leave_agreed_references(found.assets, resolved.assets);
    if (project.link_tables)
        for (std::size_t asset = 0; asset < plan.assets.size(); ++asset)
            plan.assets[asset].references = resolved.assets[asset].references;
    for (const PlannedConsume& consume : resolved.consumes)  // a consume that the project states takes precedence
        if (std::ranges::find(plan.consumes, consume.text, &PlannedConsume::text) == plan.consumes.end())
            plan.consumes.push_back(consume);
    packed.resolved = std::move(resolved);
    packed.assets = std::move(found.assets);
    packed.scan_logs = std::move(found.logs);
    return ok();
}

}  // namespace fardel
