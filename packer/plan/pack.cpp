#include <fardel/packer/pack.h>

#include "plan/resolve_packed.h"
#include "plan_requirements.h"

#include <fardel/sources/entry_plan.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/sources/secret_files.h>

#include <algorithm>
#include <utility>

namespace fardel {

Result<PackPlan> pack_sources(std::span<const std::string> sources, const PackOptions& options) {
    if (sources.empty())
        return Error(ErrorCode::malformed, "there is no source to pack");
    if (Status good = verify_name(options.name); !good)
        return std::move(good).error().with_context("bundle name");
    FARDEL_TRY_ASSIGN(ScanResult scan, scan_sources(sources, options.scan, make_archive_reader().get()));
    FARDEL_TRY(refuse_secrets(scan, options.allowed_secrets));
    std::vector<AssetFile> files;
    files.reserve(scan.entries.size());
    for (const SourceEntry& entry : scan.entries)
        files.push_back({.size_bytes = entry.size_bytes, .listed = entry.listed});
    FARDEL_TRY_ASSIGN(BundlePlan plan, plan_entries(std::move(scan.entries)));
    plan.metadata.push_back({.key = "name", .value = options.name});
    if (!options.version.empty())
        plan.metadata.push_back({.key = "version", .value = options.version.text()});
    add_requirements(plan, options.requirements);
    plan.metadata.insert(plan.metadata.end(), options.metadata.begin(), options.metadata.end());
    return PackPlan{.plan = std::move(plan), .files = std::move(files), .report = std::move(scan.report)};
}

Status resolve_packed(PackPlan& packed, const ResolveOptions& options, bool link_tables) {
    return resolve_packed(packed, options, {}, {.link_tables = link_tables});
}

}  // namespace fardel
