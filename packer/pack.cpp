#include <fardel/packer/pack.h>

#include <fardel/sources/entry_plan.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

bool is_version_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || std::string_view(".+-_~").find(c) != std::string_view::npos;
}

Status verify_options(std::span<const std::string> sources, const PackOptions& options) {
    if (sources.empty())
        return Error(ErrorCode::malformed, "there is no source to pack");
    if (Status good = verify_name(options.name); !good)
        return std::move(good).error().with_context("bundle name");
    return verify_version(options.version);
}

}  // namespace

Status verify_version(std::string_view version) {
    if (!std::ranges::all_of(version, is_version_character))
        return Error(ErrorCode::malformed, "bundle version \"" + printable(version) + "\": only letters, digits and . + - _ ~ may be in it");
    return ok();
}

Result<PackPlan> pack_sources(std::span<const std::string> sources, const PackOptions& options) {
    FARDEL_TRY(verify_options(sources, options));
    FARDEL_TRY_ASSIGN(ScanResult scan, scan_sources(sources, options.excludes));
    FARDEL_TRY_ASSIGN(BundlePlan plan, plan_entries(std::move(scan.entries)));
    plan.metadata.push_back({.key = "name", .value = options.name});
    if (!options.version.empty())
        plan.metadata.push_back({.key = "version", .value = options.version});
    return PackPlan{.plan = std::move(plan), .report = std::move(scan.report), .idle_rules = {}};
}

}  // namespace fardel
