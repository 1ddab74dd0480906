#include "plan/resolve_packed.h"

#include "spelling_rewrite.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fardel {

Status resolve_packed(PackPlan& packed, const ResolveOptions& options, PlanScanOptions scan,
                      const ProjectReferences& project) {
    scan.profile = options.profile;
    BundlePlan& plan = packed.plan;
    std::vector<AssetScan> assets;
    assets.reserve(packed.files.size());
    for (const AssetFile& file : packed.files)
        assets.push_back({.size_bytes = file.size_bytes, .listed = file.listed});
    FARDEL_TRY_ASSIGN(PlanScan found, scan_plan(plan, std::move(assets), scan));
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
