#include "spelling_rewrite.h"

#include "name_spelling.h"
#include "plan_asset.h"
#include "resolve/component_order.h"
#include "resolve/reference_target.h"
#include "scan/reference_scanners.h"
#include "text_replacement.h"

#include <fardel/format/hash.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

// Rewrites the text when it is read, so that not all texts are in memory at once.
class RewrittenBlob final : public BlobSource {
public:
    RewrittenBlob(PlannedAsset original, std::uint64_t size_bytes, std::vector<Replacement> replacements)
        : original_(std::move(original)), size_bytes_(size_bytes), replacements_(std::move(replacements)) {}
    Result<std::unique_ptr<BlobStream>> open() const override {
        AssetReader reader(original_, size_bytes_);
        FARDEL_TRY_ASSIGN(const auto bytes, reader.bytes());
        return open_stream_of(make_memory_source(with_replacements(bytes, replacements_)));
    }

private:
    PlannedAsset original_;  // its source, and its id if known
    std::uint64_t size_bytes_;
    std::vector<Replacement> replacements_;
};

// What all stages read. The plan, its assets and the resolution are as far as they have been rewritten.
struct RewriteInput {
    const ProjectReferences& project;
    const PlanScanOptions& options;
    const BundlePlan& plan;
    const std::vector<AssetScan>& assets;
    const ResolveResult& resolved;
    std::vector<std::string_view> first_names;         // per asset
    std::vector<std::vector<std::string_view>> names;  // per asset
};

using ReferenceIndices = std::map<ReferenceKey, std::uint32_t>;  // into the references of an asset

// A text asset whose spellings are replaced.
struct Text {
    std::uint32_t asset = 0;
    ReferenceIndices rewritten;        // of references that were resolved
    std::vector<std::uint32_t> needs;  // texts whose ids it will contain, ascending
};

std::vector<std::vector<std::string_view>> names_of_assets(const BundlePlan& plan) {
    std::vector<std::vector<std::string_view>> names(plan.assets.size());
    for (const PlannedName& name : plan.names)
        for (const PlannedVariant& variant : name.variants)
            names[variant.asset].push_back(name.name.view());
    return names;
}

Result<PatternScanners> parse_patterns(std::span<const ProjectScanner> scanners) {
    PatternScanners patterns;
    for (const ProjectScanner& scanner : scanners) {
        if (scanner.pattern.empty())
            continue;
        FARDEL_TRY_ASSIGN(PatternScanner pattern, PatternScanner::parse(scanner.pattern));
        patterns.emplace_back(&scanner, std::move(pattern));
    }
    return patterns;
}

// ---- Which assets ---------------------------------------------------------------------------------------------------

// Returns false for an asset without a scanner, or a broken one: it has no references to rewrite.
Result<bool> can_rewrite(const RewriteInput& input, std::uint32_t asset) {
    const std::string_view name = input.first_names[asset];
    const std::string_view type = input.plan.assets[asset].content_type;
    const auto unsupported = [&](std::string_view why) {
        return Error(ErrorCode::unsupported, in_quotes(name) + " " + std::string(why));
    };
    const auto is_scanned = [&](bool by_program) {
        return std::ranges::any_of(input.options.scanners, [&](const ProjectScanner& scanner) {
            return scanner.pattern.empty() == by_program && glob_matches(scanner.match, name);
        });
    };
    const GameProfile& profile = input.options.profile ? *input.options.profile : no_profile();
    const bool known = !scanner_for(name, type, profile).empty();
    if (known && !scans_text(name, type, profile))
        return unsupported("is " + printable(type) +
                           ", a binary format: only spellings in text are rewritten; take it out of "
                           "'rewrite', its link table leads to the same");
    if (input.options.job_references.contains(asset))
        return unsupported(
            "is not scanned: the job that made it reported its references; take it out of 'rewrite', "
            "and let the job write the spellings that you want");
    const bool text = known || is_scanned(false);
    if (!text && is_scanned(true))
        return unsupported(
            "is scanned by a program alone, which does not report where a spelling is; take it "
            "out of 'rewrite', or write a [[scanner]] with 'pattern' for it");
    return text && input.assets[asset].broken.empty();
}

// Returns the texts that the project names. Adds patterns that match nothing to `idle`.
Result<std::vector<Text>> choose_texts(const RewriteInput& input, std::vector<std::string>& idle) {
    const std::vector<std::string>& globs = input.project.rewrite;
    std::vector<Text> texts;
    std::vector<char> matched(globs.size());
    for (std::uint32_t asset = 0; asset < input.plan.assets.size(); ++asset) {
        bool wanted = false;
        for (std::size_t i = 0; i < globs.size(); ++i) {
            const bool matches = std::ranges::any_of(
                input.names[asset], [&](std::string_view name) { return glob_matches(globs[i], name); });
            wanted = wanted || matches;
            matched[i] = matched[i] || matches;
        }
        if (!wanted)
            continue;
        FARDEL_TRY_ASSIGN(const bool can, can_rewrite(input, asset));
        if (can)
            texts.push_back({.asset = asset});
    }
    for (std::size_t i = 0; i < globs.size(); ++i)
        if (!matched[i])
            idle.push_back(globs[i]);
    return texts;
}

// ---- Which references -----------------------------------------------------------------------------------------------

// Whether a game can open the target as /assets/<id>. The id of one variant would exclude the others.
bool has_id(const FoundReference& reference, const FoundTarget& found) {
    return !found.shader && !found.has_variants && found.target &&
           !std::holds_alternative<PlannedReference::Dynamic>(*found.target) && reference.use != ReferenceUse::map &&
           reference.form != ReferenceForm::below_textures;
}

// Spells the exact name of the target so that the reference keeps its meaning; nothing if no such spelling exists.
std::optional<std::string> find_name_spelling(const RewriteInput& input, std::uint32_t asset, std::uint32_t index) {
    const FoundTarget& found = input.resolved.assets[asset].targets[index];
    if (found.shader || !found.name)
        return std::nullopt;
    FoundReference now = input.assets[asset].findings.references[index];
    const std::string_view name = input.plan.names[*found.name].name.view();
    std::optional<std::string> all;
    for (const std::string_view from : input.names[asset]) {
        auto spelling = find_spelling(name, now.form, from);
        if (!spelling || (all && *all != *spelling))
            return std::nullopt;
        now.spelling = *spelling;
        if (!means_first(now, from, name))
            return std::nullopt;
        all = std::move(spelling);
    }
    return all;
}

ReferenceIndices choose_references(const RewriteInput& input, std::uint32_t asset) {
    ReferenceIndices chosen;
    const auto& references = input.assets[asset].findings.references;
    for (std::uint32_t i = 0; i < references.size(); ++i) {
        const std::string& old = references[i].spelling;
        if (input.project.rewrite_to == RewriteTo::ids ? has_id(references[i], input.resolved.assets[asset].targets[i])
                                                       : find_name_spelling(input, asset, i).value_or(old) != old)
            chosen.emplace(key_of(references[i]), i);
    }
    return chosen;
}

Result<std::string> new_spelling(const RewriteInput& input, std::uint32_t asset, std::uint32_t index) {
    if (input.project.rewrite_to == RewriteTo::names)
        return *find_name_spelling(input, asset, index);
    const FoundTarget& found = input.resolved.assets[asset].targets[index];
    if (const auto* const foreign = std::get_if<PlannedReference::Foreign>(&*found.target))
        return "/assets/" + foreign->asset.hex();
    const std::uint32_t target = std::get<PlannedReference::Internal>(*found.target).asset;
    FARDEL_TRY_ASSIGN(const AssetId id, AssetReader(input.plan.assets[target], input.assets[target].size_bytes).id());
    return "/assets/" + id.hex();
}

// ---- Order: a text is rewritten after those whose ids it will contain -----------------------------------------------

void find_needs(const RewriteInput& input, std::span<Text> texts) {
    std::map<std::uint32_t, std::uint32_t> text_of;  // by asset, of those that are rewritten
    for (std::uint32_t text = 0; text < texts.size(); ++text)
        if (!texts[text].rewritten.empty())
            text_of.emplace(texts[text].asset, text);
    for (Text& text : texts) {
        std::set<std::uint32_t> needs;
        for (const auto& reference : text.rewritten)
            if (const auto* const internal = std::get_if<PlannedReference::Internal>(
                    &*input.resolved.assets[text.asset].targets[reference.second].target))
                if (const auto needed = text_of.find(internal->asset); needed != text_of.end())
                    needs.insert(needed->second);
        text.needs.assign(needs.begin(), needs.end());
    }
}

Error cycle_in(const RewriteInput& input, std::span<const Text> texts, const std::vector<std::uint32_t>& component) {
    const auto is_inside = [&](std::uint32_t need) { return std::ranges::find(component, need) != component.end(); };
    const auto cycle = cycle_from(
        component.front(), [&](std::uint32_t text) { return *std::ranges::find_if(texts[text].needs, is_inside); });
    std::string way;
    for (const std::uint32_t text : cycle)
        way += in_quotes(input.first_names[texts[text].asset]) + " → ";
    return Error(ErrorCode::conflict,
                 way + in_quotes(input.first_names[texts[cycle.front()].asset]) +
                     ": none can hold the next one's id, since each id depends on the bytes of the next; write "
                     "rewrite_to = \"names\", or take one of them out of 'rewrite'");
}

// Returns indices of texts. Error: conflict (texts that need each other).
Result<std::vector<std::uint32_t>> order_texts(const RewriteInput& input, std::span<const Text> texts) {
    std::vector<std::uint32_t> starts(texts.size());
    std::iota(starts.begin(), starts.end(), 0u);
    const auto needs_of = [&](std::uint32_t text) { return std::span<const std::uint32_t>(texts[text].needs); };
    std::vector<std::uint32_t> order;
    for (const auto& component : component_order(starts, needs_of)) {
        const std::uint32_t text = component.front();
        if (component.size() > 1 || std::ranges::binary_search(texts[text].needs, text))
            return cycle_in(input, texts, component);
        order.push_back(text);
    }
    return order;
}

// ---- New bytes and link tables --------------------------------------------------------------------------------------

// Returns the link table with the new spellings.
std::vector<PlannedReference> respell(std::span<const FoundReference> references, const ResolvedAsset& resolved,
                                      const Spellings& spellings) {
    std::set<std::string_view> in_text;
    for (const FoundReference& reference : references)
        in_text.insert(reference.spelling);
    std::set<std::string_view> agreed;  // only these: what was removed from the table stays out
    std::vector<PlannedReference> respelled;
    for (const PlannedReference& reference : resolved.references) {
        agreed.insert(reference.spelling);
        if (!in_text.contains(reference.spelling))
            respelled.push_back(reference);  // an image of a sky box, which the text does not spell
    }
    for (std::uint32_t i = 0; i < references.size(); ++i) {
        const FoundTarget& found = resolved.targets[i];
        if (!found.target || !agreed.contains(references[i].spelling))
            continue;
        const auto at = spellings.find(key_of(references[i]));
        respelled.push_back({.spelling = at != spellings.end() ? at->second : references[i].spelling,
                             .target = *found.target,
                             .optional = references[i].optional});
    }
    settle_references(respelled);
    return respelled;
}

Status rewrite_text(const RewriteInput& input, const Text& text, const PatternScanners& patterns, PlannedAsset& asset,
                    AssetScan& scan, ResolveResult& resolved) {
    Spellings spellings;
    for (const auto& reference : text.rewritten) {
        FARDEL_TRY_ASSIGN(std::string spelling, new_spelling(input, text.asset, reference.second));
        spellings.emplace(reference.first, std::move(spelling));
    }
    AssetReader reader(asset, scan.size_bytes);
    FARDEL_TRY_ASSIGN(const auto bytes, reader.bytes());
    FARDEL_TRY_ASSIGN(
        ReplacedText replaced,
        replace_spellings(input.first_names[text.asset], asset.content_type, bytes, patterns, std::move(spellings),
                          input.options.profile ? *input.options.profile : no_profile()));
    if (replaced.replacements.empty())
        return ok();
    FARDEL_TRY_ASSIGN(const AssetId original, reader.id());
    PlannedAsset source{.source = asset.source, .key = asset.key};
    source.known = PlannedAsset::Known{.asset = original, .size_bytes = scan.size_bytes};
    asset.source =
        std::make_shared<RewrittenBlob>(std::move(source), scan.size_bytes, std::move(replaced.replacements));
    asset.known =
        PlannedAsset::Known{.asset = id_from<AssetId>(blake3(replaced.bytes)), .size_bytes = replaced.bytes.size()};
    scan.size_bytes = replaced.bytes.size();
    scan.id = asset.known->asset;
    ResolvedAsset& own = resolved.assets[text.asset];
    own.references = respell(scan.findings.references, own, replaced.spellings);
    ++resolved.rewritten;
    return ok();
}

Status rewrite(const ProjectReferences& project, const PlanScanOptions& options, BundlePlan& plan,
               std::vector<AssetScan>& assets, ResolveResult& resolved) {
    const RewriteInput input{project, options, plan, assets, resolved, first_names_of(plan), names_of_assets(plan)};
    FARDEL_TRY_ASSIGN(const PatternScanners patterns, parse_patterns(options.scanners));
    FARDEL_TRY_ASSIGN(std::vector<Text> texts, choose_texts(input, resolved.audit.idle_patterns));
    for (Text& text : texts)
        text.rewritten = choose_references(input, text.asset);
    if (project.rewrite_to == RewriteTo::ids)
        find_needs(input, texts);
    FARDEL_TRY_ASSIGN(const auto order, order_texts(input, texts));
    for (const std::uint32_t i : order) {
        const Text& text = texts[i];
        if (text.rewritten.empty())
            continue;
        Status done = rewrite_text(input, text, patterns, plan.assets[text.asset], assets[text.asset], resolved);
        if (!done)
            return std::move(done).error().with_context(in_quotes(input.first_names[text.asset]));
    }
    return ok();
}

}  // namespace

Status rewrite_spellings(const ProjectReferences& project, const PlanScanOptions& options, BundlePlan& plan,
                         std::vector<AssetScan>& assets, ResolveResult& resolved) {
    if (project.rewrite.empty())
        return ok();
    Status done = rewrite(project, options, plan, assets, resolved);
    if (!done)
        return std::move(done).error().with_context(project.rewrite_at.text() + ": rewrite");
    return ok();
}

}  // namespace fardel
