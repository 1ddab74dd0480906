#include "included_macros.h"

#include "scan/format_scanners.h"
#include "scan/reference_scanners.h"

#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::uint64_t kLookUpsMax = std::uint64_t{1} << 24;
constexpr std::size_t kIncludedMax = 256;  // files that one text includes, directly or through others
constexpr std::uint32_t kNotSeen = UINT32_MAX;
constexpr int kMacroStepsMax = 8;  // macros whose value is another macro

class MacroExpansion {
public:
    MacroExpansion(const BundlePlan& plan, std::span<AssetScan> scans) : scans_(scans) {
        for (const PlannedName& name : plan.names)
            if (!name.variants.empty())
                files_.emplace(fold_name(name.name.view()), name.variants.front().asset);
    }

    Status run() {
        for (std::uint32_t asset = 0; asset < scans_.size(); ++asset)
            if (!scans_[asset].findings.by_macro.empty())
                FARDEL_TRY(expand(asset));
        return ok();
    }

private:
    using Macros = std::unordered_map<std::string_view, const MacroDefinition*>;

    Status count_look_up() {
        return ++look_ups_ <= kLookUpsMax
                   ? ok()
                   : Status(Error(ErrorCode::limit,
                                  "the macros of menus need more than " + std::to_string(kLookUpsMax) + " look-ups"));
    }

    // The files of the plan that the text names as scripts, each once.
    const std::vector<std::uint32_t>& files_of(std::uint32_t text) {
        const auto [at, added] = files_of_.try_emplace(text);
        if (!added)
            return at->second;
        std::set<std::uint32_t> known;
        for (const FoundReference& reference : scans_[text].findings.references) {
            if (reference.use != ReferenceUse::script)
                continue;
            for (const NameCandidate& candidate : candidate_names(reference, {}))
                if (const auto file = files_.find(fold_name(candidate.name)); file != files_.end()) {
                    if (known.insert(file->second).second)
                        at->second.push_back(file->second);
                    break;
                }
        }
        return at->second;
    }

    // The texts that the asset includes, in the order in which their definitions count.
    Result<std::vector<std::uint32_t>> included_in(std::uint32_t asset) {
        std::vector<std::uint32_t> order;
        std::vector<std::uint32_t> open{asset};
        seen_.resize(scans_.size(), kNotSeen);
        seen_[asset] = asset;
        while (!open.empty() && order.size() <= kIncludedMax) {
            const std::uint32_t text = open.back();
            open.pop_back();
            order.push_back(text);
            for (const std::uint32_t file : files_of(text)) {
                FARDEL_TRY(count_look_up());
                if (std::exchange(seen_[file], asset) != asset)
                    open.push_back(file);
            }
        }
        return order;
    }

    const Macros& macros_of(std::uint32_t text) {
        const auto [at, added] = macros_.try_emplace(text);
        if (added)
            for (const MacroDefinition& macro : scans_[text].findings.macros)
                at->second.emplace(macro.name, &macro);
        return at->second;
    }

    Result<const MacroDefinition*> find_macro(std::span<const std::uint32_t> texts, std::string_view name) {
        for (const std::uint32_t text : texts) {
            FARDEL_TRY(count_look_up());
            const Macros& macros = macros_of(text);
            if (const auto at = macros.find(name); at != macros.end())
                return at->second;
        }
        return static_cast<const MacroDefinition*>(nullptr);
    }

    // The value behind macros that lead to one another; nothing if one is not defined.
    Result<std::optional<std::string>> find_value(std::span<const std::uint32_t> texts, std::string_view name) {
        // Macros may lead to one another in a circle.
        for (int step = 0; step < kMacroStepsMax; ++step) {
            FARDEL_TRY_ASSIGN(const MacroDefinition* const macro, find_macro(texts, name));
            if (macro == nullptr)
                break;
            if (macro->quoted || !is_menu_macro(macro->value))
                return std::optional(macro->value);
            name = macro->value;
        }
        return std::optional<std::string>();
    }

    Status expand(std::uint32_t asset) {
        FARDEL_TRY_ASSIGN(const std::vector<std::uint32_t> texts, included_in(asset));
        ScanFindings& findings = scans_[asset].findings;
        std::set<std::tuple<std::string, ReferenceUse>> known;
        for (const FoundReference& reference : findings.references)
            known.emplace(reference.spelling, reference.use);
        for (FoundReference reference : std::exchange(findings.by_macro, {})) {
            FARDEL_TRY_ASSIGN(auto value, find_value(texts, reference.spelling));
            if (!value || value->empty() || !known.emplace(*value, reference.use).second ||
                findings.references.size() == limits::kReferencesPerAssetMax)
                continue;
            reference.spelling = *std::move(value);
            findings.references.push_back(std::move(reference));
        }
        files_of_.erase(asset);  // a macro may be the name of a script
        return ok();
    }

    std::span<AssetScan> scans_;
    std::unordered_map<std::string, std::uint32_t> files_;                    // by folded name
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> files_of_;  // by text
    std::vector<std::uint32_t> seen_;  // by text: the last asset that was found to include it
    std::unordered_map<std::uint32_t, Macros> macros_;
    std::uint64_t look_ups_ = 0;
};

}  // namespace

Status add_references_by_macros(const BundlePlan& plan, std::span<AssetScan> scans) {
    const auto has_any = [](const AssetScan& scan) { return !scan.findings.by_macro.empty(); };
    return std::ranges::any_of(scans, has_any) ? MacroExpansion(plan, scans).run() : ok();
}

}  // namespace fardel
