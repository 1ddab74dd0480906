#include "resolve_dependencies.h"

#include "scan/reference_scanners.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kShaderScript = "text/x-quake-shader";

// What `name` leads to in a dependency, or, at run time, in a base.
decltype(PlannedReference::target) target_in(std::optional<std::uint32_t> dependency, const AssetId& asset,
                                             std::string_view name) {
    if (dependency)
        return PlannedReference::Foreign{asset, *dependency};
    return PlannedReference::Dynamic{std::string(name)};
}

// A script that cannot be scanned defines nothing: that mistake was reported when its own bundle was packed.
Status add_shaders(const Bundle& bundle, std::optional<std::uint32_t> dependency, NameIndex name,
                   std::unordered_map<std::string, decltype(PlannedReference::target)>& shaders) {
    FARDEL_TRY_ASSIGN(const NameRecord record, bundle.name(name));
    if (record.is(NameRecord::tombstone))
        return ok();
    FARDEL_TRY_ASSIGN(const AssetIndex index, bundle.default_asset(record));
    FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(index));
    FARDEL_TRY_ASSIGN(const std::string_view type, bundle.string(asset.content_type));
    if (type != kShaderScript || asset.raw_bytes > kScannedTextBytesMax)
        return ok();
    FARDEL_TRY_ASSIGN(const auto bytes, bundle.read_all(index, kScannedTextBytesMax));
    const auto findings = scan_references("", kShaderScript, bytes);
    if (!findings)
        return ok();
    for (const std::string& shader : findings->defines)
        shaders.emplace(fold_name(shader), target_in(dependency, asset.id, shader));
    return ok();
}

}  // namespace

Result<ResolveDependencies> ResolveDependencies::open(const BundlePlan& plan,
                                                      std::span<const std::shared_ptr<const Bundle>> bundles,
                                                      std::span<const std::shared_ptr<const Bundle>> bases) {
    ResolveDependencies out;
    for (const auto& bundle : bundles) {
        const auto at = std::ranges::find(plan.dependencies, bundle->id(), &PlannedDependency::bundle);
        if (at == plan.dependencies.end() || !at->is_static)
            return Error(ErrorCode::malformed,
                         "bundle " + bundle->id().hex() + " is not a static dependency of the plan");
        const auto index = static_cast<std::uint32_t>(at - plan.dependencies.begin());
        if (std::ranges::find(out.dependencies_, std::optional(index), &Dependency::index) != out.dependencies_.end())
            return Error(ErrorCode::malformed, "bundle " + bundle->id().hex() + " is among the dependencies twice");
        out.dependencies_.push_back({.index = index, .bundle = bundle});
    }
    std::ranges::sort(out.dependencies_, {}, &Dependency::index);
    for (auto base = bases.rbegin(); base != bases.rend(); ++base)  // later ones win
        out.dependencies_.push_back({.index = std::nullopt, .bundle = *base});
    return out;
}

Result<std::optional<FoundTarget>> ResolveDependencies::find_name(std::string_view name) const {
    for (const Dependency& dependency : dependencies_) {
        const Bundle& bundle = *dependency.bundle;
        FARDEL_TRY_ASSIGN(const auto found, bundle.find_name(name, CaseRule::fold));
        if (!found)
            continue;
        FARDEL_TRY_ASSIGN(const NameRecord record, bundle.name(*found));
        if (record.is(NameRecord::tombstone))
            continue;
        FARDEL_TRY_ASSIGN(const AssetIndex index, bundle.default_asset(record));
        FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(index));
        FARDEL_TRY_ASSIGN(const std::string_view text, bundle.name_text(*found));
        FARDEL_TRY(verify_name(text));
        FoundTarget target{.target = target_in(dependency.index, asset.id, text),
                           .has_variants = record.is(NameRecord::has_variants)};
        if (target.has_variants || record.is(NameRecord::published))
            target.target_name = text;
        if (text != name)
            target.respelled = text;
        return std::optional(std::move(target));
    }
    return std::optional<FoundTarget>();
}

Status ResolveDependencies::read_shaders() {
    for (const Dependency& dependency : dependencies_)
        for (std::uint32_t name = 0; name < dependency.bundle->name_count(); ++name)
            FARDEL_TRY(add_shaders(*dependency.bundle, dependency.index, NameIndex{name}, shaders_));
    shaders_read_ = true;
    return ok();
}

Result<std::optional<FoundTarget>> ResolveDependencies::find_shader(std::string_view name) {
    if (!shaders_read_)
        FARDEL_TRY(read_shaders());
    const auto at = shaders_.find(fold_name(name));
    return at == shaders_.end() ? std::nullopt : std::optional(FoundTarget{.target = at->second, .shader = true});
}

}  // namespace fardel
