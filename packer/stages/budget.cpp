#include <fardel/packer/budget.h>

#include <fardel/base/size_text.h>
#include <fardel/format/name.h>
#include <fardel/packer/bundle_output.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

namespace fardel {
namespace {

constexpr std::size_t kLargestInErrorMax = 3;

struct BudgetAsset {
    std::string_view name;
    std::uint64_t size_bytes = 0;
};

// The assets behind the names that `counts` accepts, each once; equal bytes are one asset. `files`: one per asset, or
// none if the assets were hashed.
template <class Counts>
std::vector<BudgetAsset> budget_assets(const BundlePlan& plan, std::span<const AssetFile> files, Counts counts) {
    std::vector<bool> seen(plan.assets.size());
    std::set<AssetId> ids;
    std::vector<BudgetAsset> assets;
    for (const PlannedName& name : plan.names)
        for (const PlannedVariant& variant : name.variants) {
            const PlannedAsset& asset = plan.assets[variant.asset];
            if (seen[variant.asset] || !counts(name.name.view(), std::string_view(asset.content_type)))
                continue;
            seen[variant.asset] = true;
            if (asset.known && ids.insert(asset.known->asset).second)
                assets.push_back({name.name.view(), asset.known->size_bytes});
            else if (!asset.known && variant.asset < files.size())
                assets.push_back({name.name.view(), files[variant.asset].size_bytes});
        }
    return assets;
}

void add_excess(const ProjectBudget& budget, std::string of, std::vector<BudgetAsset> assets,
                std::vector<BudgetExcess>& over) {
    BudgetExcess excess{.of = std::move(of), .bytes_max = budget.bytes_max, .at = budget.at};
    for (const BudgetAsset& asset : assets)
        excess.bytes += asset.size_bytes;
    if (excess.bytes <= budget.bytes_max)
        return;
    std::ranges::sort(assets, [](const BudgetAsset& a, const BudgetAsset& b) {
        return std::pair(b.size_bytes, a.name) < std::pair(a.size_bytes, b.name);
    });
    for (const BudgetAsset& asset : assets)
        if (excess.largest.size() < kLargestShownMax)
            excess.largest.emplace_back(asset.name, asset.size_bytes);
    over.push_back(std::move(excess));
}

bool counts_any(std::string_view, std::string_view) { return true; }

void add_bundles(const ProjectBudget& budget, const Project& project, const PackPlan& packed,
                 std::vector<BudgetExcess>& over) {
    if (packed.parts.empty())
        return add_excess(budget, "bundle " + project.name, budget_assets(packed.plan, packed.files, counts_any), over);
    for (const SplitPart& part : packed.parts)
        add_excess(budget, "bundle " + part_name(project.name, part.name), budget_assets(part.plan, {}, counts_any),
                   over);
}

}  // namespace

std::vector<BudgetExcess> find_over_budget(const Project& project, const PackPlan& packed) {
    std::vector<BudgetExcess> over;
    for (const ProjectBudget& budget : project.budgets) {
        const auto has_name = [&](std::string_view name, std::string_view) { return glob_matches(budget.glob, name); };
        const auto has_type = [&](std::string_view, std::string_view type) { return glob_matches(budget.glob, type); };
        switch (budget.of) {
            case ProjectBudget::Of::total:
                add_excess(budget, "total", budget_assets(packed.plan, packed.files, counts_any), over);
                break;
            case ProjectBudget::Of::bundle: add_bundles(budget, project, packed, over); break;
            case ProjectBudget::Of::names:
                add_excess(budget, budget.glob, budget_assets(packed.plan, packed.files, has_name), over);
                break;
            case ProjectBudget::Of::types:
                add_excess(budget, budget.glob, budget_assets(packed.plan, packed.files, has_type), over);
                break;
        }
    }
    return over;
}

Status verify_budgets(const Project& project, const PackPlan& packed) {
    const std::vector<BudgetExcess> over = find_over_budget(project, packed);
    if (over.empty())
        return ok();
    std::string text;
    for (const BudgetExcess& excess : over) {
        text += (text.empty() ? "" : "; ") + excess.at.text() + ": " + printable(excess.of) + " has " +
                format_size(excess.bytes) + ", of " + format_size(excess.bytes_max) + ", the largest are";
        for (std::size_t i = 0; i < std::min(excess.largest.size(), kLargestInErrorMax); ++i)
            text += (i == 0 ? " " : ", ") + printable(excess.largest[i].first) + " (" +
                    format_size(excess.largest[i].second) + ")";
    }
    return Error(ErrorCode::limit, "over budget, so nothing is written: " + text + "; 'fardel audit' lists more");
}

}  // namespace fardel
