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
    std::vector<std::uint64_t> sizes;
    for (const SourceEntry& entry : scan.entries)
        sizes.push_back(entry.size_bytes);
    FARDEL_TRY_ASSIGN(BundlePlan plan, plan_entries(std::move(scan.entries)));
    plan.metadata.push_back({.key = "name", .value = options.name});
    if (!options.version.empty())
        plan.metadata.push_back({.key = "version", .value = options.version});
    return PackPlan{.plan = std::move(plan),
                    .sizes = std::move(sizes),
                    .report = std::move(scan.report),
                    .resolved = {},
                    .scanned = {},
                    .assets_with_scanner = 0,
                    .assets_scanned = 0,
                    .scan_logs = {},
                    .parts = {},
                    .idle_rules = {}};
}

Status resolve_packed(PackPlan& packed, const ResolveOptions& options, const PlanScanOptions& scan,
                      const ProjectReferences& project) {
    BundlePlan& plan = packed.plan;
    FARDEL_TRY_ASSIGN(PlanScan found, scan_plan(plan, packed.sizes, scan));
    auto resolution = resolve_plan(plan, found.scanned, packed.sizes, options);
    if (!resolution)
        return scan.project_file.empty() ? std::move(resolution).error()
                                         : std::move(resolution).error().with_context(printable(scan.project_file));
    ResolveResult resolved = *std::move(resolution);
    FARDEL_TRY(rewrite_spellings(project, scan, plan, packed.sizes, found, resolved));
    leave_agreed_references(found, resolved.references);
    if (project.link_tables)
        for (std::size_t asset = 0; asset < plan.assets.size(); ++asset)
            plan.assets[asset].references = resolved.references[asset];
    for (const PlannedConsume& consume : resolved.consumes)  // what the project says of a name counts
        if (std::ranges::find(plan.consumes, consume.text, &PlannedConsume::text) == plan.consumes.end())
            plan.consumes.push_back(consume);
    packed.resolved = std::move(resolved);
    packed.scanned = std::move(found.scanned);
    packed.assets_with_scanner = found.assets;
    packed.assets_scanned = found.assets_scanned;
    packed.scan_logs = std::move(found.logs);
    return ok();
}

}  // namespace fardel
