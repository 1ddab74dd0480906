#include "resolve_index.h"

#include <fardel/format/name.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace fardel {

namespace {

// The placement that keeps the game from reading a file of that name.
const Placement* find_misplacement(const GameProfile& profile, std::string_view name) {
    const std::string folded = fold_name(name);
    const auto matches = [&](const std::string& glob) { return glob_matches(glob, folded); };
    for (const Placement& placement : profile.placements)
        if (matches(placement.files) && std::ranges::none_of(placement.within, matches))
            return &placement;
    return nullptr;
}

}  // namespace

ResolveIndex::ResolveIndex(const BundlePlan& plan, std::span<const AssetScan> scans, const GameProfile& profile)
    : plan_(plan), first_names_(plan.assets.size() + 1) {
    std::vector<std::uint32_t> by_text(plan.names.size());
    std::iota(by_text.begin(), by_text.end(), 0u);
    std::ranges::sort(by_text, {}, [&](std::uint32_t name) { return plan.names[name].name.view(); });

    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // asset, position in by_text
    for (std::uint32_t position = 0; position < by_text.size(); ++position) {
        const PlannedName& name = plan.names[by_text[position]];
        if (!name.variants.empty())
            names_.emplace(fold_name(name.name.view()), by_text[position]);
        for (const PlannedVariant& variant : name.variants)
            pairs.emplace_back(variant.asset, position);
    }
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    for (const auto& pair : pairs) {
        asset_names_.push_back(by_text[pair.second]);
        ++first_names_[pair.first + 1];
    }
    std::partial_sum(first_names_.begin(), first_names_.end(), first_names_.begin());

    for (std::uint32_t asset = 0; asset < scans.size(); ++asset) {
        first_definitions_.push_back(static_cast<std::uint32_t>(definitions_.size()));
        misplaced_.push_back(profile.placements.empty() ? nullptr : find_misplacement(profile, name_of(asset)));
        const auto& defines = scans[asset].findings.defines;
        for (std::uint32_t number = 0; number < defines.size(); ++number) {
            auto& alike = shaders_[fold_name(defines[number])];
            if (misplaced_.back() == nullptr &&
                (alike.empty() || definitions_[alike.back()].asset != asset))  // the first one in a script counts
                alike.push_back(definitions_.end_index());
            definitions_.add({.asset = asset, .number = number});
        }
    }
    for (auto& shader : shaders_)
        if (shader.second.size() > 1)
            std::ranges::stable_sort(shader.second, std::ranges::greater(), [&](DefinitionIndex one) {
                const std::uint32_t asset = definitions_[one].asset;
                const std::uint64_t listed = profile.last_script_defines ? scans[asset].listed : 0;
                return std::pair(listed, name_of(asset));
            });
}

std::optional<std::uint32_t> ResolveIndex::find_name(std::string_view name) const {
    const auto at = names_.find(fold_name(name));
    return at != names_.end() ? std::optional(at->second) : std::nullopt;
}

std::span<const DefinitionIndex> ResolveIndex::find_definitions(std::string_view shader) const {
    const auto at = shaders_.find(fold_name(shader));
    return at != shaders_.end() ? std::span<const DefinitionIndex>(at->second) : std::span<const DefinitionIndex>();
}

std::span<const std::uint32_t> ResolveIndex::names_of(std::uint32_t asset) const {
    return std::span(asset_names_).subspan(first_names_[asset], first_names_[asset + 1] - first_names_[asset]);
}

std::string_view ResolveIndex::name_of(std::uint32_t asset) const {
    const auto names = names_of(asset);
    return names.empty() ? std::string_view(plan_.assets[asset].key) : plan_.names[names.front()].name.view();
}

}  // namespace fardel
