#include "spelling_rewrite.h"

#include "name_spelling.h"
#include "plan_asset.h"
#include "resolve/component_order.h"
#include "resolve/reference_target.h"
#include "scan/pattern_scanner.h"
#include "scan/reference_scanners.h"

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
#include <tuple>
#include <utility>

namespace fardel {
namespace {

// ---- New bytes for an asset ----------------------------------------------------------------------------------------

struct Replacement {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::string text;
};

// `replacements`: by offset, not overlapping.
std::vector<std::byte> with_replacements(std::span<const std::byte> bytes, std::span<const Replacement> replacements) {
    std::vector<std::byte> out;
    std::size_t at = 0;
    for (const Replacement& one : replacements) {
        out.insert(out.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                   bytes.begin() + static_cast<std::ptrdiff_t>(one.offset));
        const auto text = std::as_bytes(std::span(one.text));
        out.insert(out.end(), text.begin(), text.end());
        at = static_cast<std::size_t>(one.offset + one.length);
    }
    out.insert(out.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end());
    return out;
}

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

// ---- Rewriting ------------------------------------------------------------------------------------------------------

using ReferenceKey = std::tuple<std::string, ReferenceUse, ReferenceForm>;

ReferenceKey key_of(const FoundReference& reference) { return {reference.spelling, reference.use, reference.form}; }

// A text asset whose spellings are replaced.
struct Text {
    std::uint32_t asset = 0;
    std::map<ReferenceKey, std::uint32_t>
        rewritten;                     // references that were resolved: index into the asset's references
    std::vector<std::uint32_t> needs;  // texts whose ids it will contain, ascending
};

class Rewriting {
public:
    Rewriting(const ProjectReferences& project, const PlanScanOptions& options, BundlePlan& plan,
              std::vector<AssetScan>& assets, ResolveResult& resolved)
        : project_(project),
          options_(options),
          plan_(plan),
          assets_(assets),
          resolved_(resolved),
          first_names_(first_names_of(plan)),
          names_(plan.assets.size()),
          text_of_(plan.assets.size()) {
        for (const PlannedName& name : plan.names)
            for (const PlannedVariant& variant : name.variants)
                names_[variant.asset].push_back(name.name.view());
    }

    Status run() && {
        FARDEL_TRY(parse_patterns());
        FARDEL_TRY(choose_texts());
        for (Text& text : texts_)
            choose_references(text);
        FARDEL_TRY(order_texts());
        for (const auto& text : order_)
            FARDEL_TRY(rewrite(texts_[text.front()]));
        return ok();
    }

private:
    Error unsupported(std::uint32_t asset, std::string_view why) const {
        return Error(ErrorCode::unsupported, in_quotes(first_names_[asset]) + " " + std::string(why));
    }

    // ---- Which assets ----

    Status parse_patterns() {
        for (const ProjectScanner& scanner : options_.scanners) {
            if (scanner.pattern.empty())
                continue;
            FARDEL_TRY_ASSIGN(PatternScanner pattern, PatternScanner::parse(scanner.pattern));
            patterns_.emplace_back(&scanner, std::move(pattern));
        }
        return ok();
    }

    bool is_scanned_by(std::uint32_t asset, bool program) const {
        return std::ranges::any_of(options_.scanners, [&](const ProjectScanner& scanner) {
            return scanner.pattern.empty() == program && glob_matches(scanner.match, first_names_[asset]);
        });
    }

    // Returns false for an asset without a scanner, or a broken one: it has no references to rewrite.
    Result<bool> can_rewrite(std::uint32_t asset) const {
        const std::string_view type = plan_.assets[asset].content_type;
        const bool known = !scanner_for(first_names_[asset], type).empty();
        if (known && !scans_text(first_names_[asset], type))
            return unsupported(asset, "is " + printable(type) +
                                          ", a binary format: only spellings in text are rewritten; take it out of "
                                          "'rewrite', its link table leads to the same");
        if (options_.job_references.contains(asset))
            return unsupported(
                asset,
                "is not scanned: the job that made it reported its references; take it out of 'rewrite', "
                "and let the job write the spellings that you want");
        const bool text = known || is_scanned_by(asset, false);
        if (!text && is_scanned_by(asset, true))
            return unsupported(asset,
                               "is scanned by a program alone, which does not report where a spelling is; take it "
                               "out of 'rewrite', or write a [[scanner]] with 'pattern' for it");
        return text && assets_[asset].broken.empty();
    }

    Status choose_texts() {
        std::vector<char> matched(project_.rewrite.size());
        for (std::uint32_t asset = 0; asset < plan_.assets.size(); ++asset) {
            bool wanted = false;
            for (std::size_t i = 0; i < project_.rewrite.size(); ++i) {
                const bool matches = std::ranges::any_of(
                    names_[asset], [&](std::string_view name) { return glob_matches(project_.rewrite[i], name); });
                wanted = wanted || matches;
                matched[i] = matched[i] || matches;
            }
            if (!wanted)
                continue;
            FARDEL_TRY_ASSIGN(const bool can, can_rewrite(asset));
            if (can)
                texts_.push_back({.asset = asset});
        }
        for (std::size_t i = 0; i < matched.size(); ++i)
            if (!matched[i])
                resolved_.audit.idle_patterns.push_back(project_.rewrite[i]);
        return ok();
    }

    // ---- Which references ----

    // Whether a game can open the target as /assets/<id>. The id of one variant would exclude the others.
    static bool has_id(const FoundReference& reference, const FoundTarget& found) {
        return !found.shader && !found.has_variants && found.target &&
               !std::holds_alternative<PlannedReference::Dynamic>(*found.target) &&
               reference.use != ReferenceUse::map && reference.form != ReferenceForm::below_textures;
    }

    // Spells the exact name of the target so that the reference keeps its meaning; nothing if no such spelling exists.
    std::optional<std::string> find_name_spelling(std::uint32_t asset, const FoundReference& reference,
                                                  const FoundTarget& found) const {
        if (found.shader || !found.name)
            return std::nullopt;
        const std::string_view name = plan_.names[*found.name].name.view();
        std::optional<std::string> all;
        for (const std::string_view from : names_[asset]) {
            FoundReference now = reference;
            auto spelling = find_spelling(name, reference.form, from);
            if (!spelling || (all && *all != *spelling))
                return std::nullopt;
            now.spelling = *spelling;
            if (!means_first(now, from, name))
                return std::nullopt;
            all = std::move(spelling);
        }
        return all;
    }

    void choose_references(Text& text) {
        const auto& references = assets_[text.asset].findings.references;
        for (std::uint32_t i = 0; i < references.size(); ++i) {
            const FoundTarget& found = resolved_.assets[text.asset].targets[i];
            const bool rewritten =
                project_.rewrite_to == RewriteTo::ids
                    ? has_id(references[i], found)
                    : find_name_spelling(text.asset, references[i], found).value_or(references[i].spelling) !=
                          references[i].spelling;
            if (rewritten)
                text.rewritten.emplace(key_of(references[i]), i);
        }
    }

    Result<std::string> new_spelling(const Text& text, std::uint32_t index) const {
        const FoundTarget& found = resolved_.assets[text.asset].targets[index];
        if (project_.rewrite_to == RewriteTo::names)
            return *find_name_spelling(text.asset, assets_[text.asset].findings.references[index], found);
        if (const auto* const foreign = std::get_if<PlannedReference::Foreign>(&*found.target))
            return "/assets/" + foreign->asset.hex();
        const std::uint32_t target = std::get<PlannedReference::Internal>(*found.target).asset;
        FARDEL_TRY_ASSIGN(const AssetId id, AssetReader(plan_.assets[target], assets_[target].size_bytes).id());
        return "/assets/" + id.hex();
    }

    // ---- Order: a text is rewritten after those whose ids it will contain ----

    Status order_texts() {
        for (std::uint32_t text = 0; text < texts_.size(); ++text)
            if (!texts_[text].rewritten.empty())
                text_of_[texts_[text].asset] = text;
        if (project_.rewrite_to == RewriteTo::ids)
            for (Text& text : texts_) {
                std::set<std::uint32_t> needs;
                for (const auto& reference : text.rewritten)
                    if (const auto* const internal = std::get_if<PlannedReference::Internal>(
                            &*resolved_.assets[text.asset].targets[reference.second].target);
                        internal && text_of_[internal->asset])
                        needs.insert(*text_of_[internal->asset]);
                text.needs.assign(needs.begin(), needs.end());
            }
        std::vector<std::uint32_t> starts(texts_.size());
        std::iota(starts.begin(), starts.end(), 0u);
        const auto needs_of = [&](std::uint32_t text) { return std::span<const std::uint32_t>(texts_[text].needs); };
        order_ = component_order(starts, needs_of);
        for (const auto& component : order_)
            if (component.size() > 1 || std::ranges::binary_search(needs_of(component.front()), component.front()))
                return cycle_in(component);
        return ok();
    }
    Error cycle_in(const std::vector<std::uint32_t>& component) const {
        const auto is_inside = [&](std::uint32_t need) {
            return std::ranges::find(component, need) != component.end();
        };
        const auto cycle = cycle_from(component.front(), [&](std::uint32_t text) {
            return *std::ranges::find_if(texts_[text].needs, is_inside);
        });
        std::string way;
        for (const std::uint32_t text : cycle)
            way += in_quotes(first_names_[texts_[text].asset]) + " → ";
        return Error(ErrorCode::conflict,
                     way + in_quotes(first_names_[texts_[cycle.front()].asset]) +
                         ": none can hold the next one's id, since each id depends on the bytes of the next; write "
                         "rewrite_to = \"names\", or take one of them out of 'rewrite'");
    }

    // ---- New bytes ----

    struct Location {
        std::uint64_t offset = 0;
        std::uint64_t length = 0;
        FoundReference reference;
    };

    // The locations that one scanner found, by offset.
    static std::vector<Location> locations_of(ScanFindings findings) {
        std::vector<Location> locations;
        for (const SpellingLocation& location : findings.locations)
            locations.push_back({.offset = location.offset,
                                 .length = location.length,
                                 .reference = findings.references[location.reference]});
        std::ranges::stable_sort(locations, {}, &Location::offset);
        return locations;
    }

    // Per scanner that reports locations: all locations that it found.
    using Locations = std::vector<std::vector<Location>>;

    Result<Locations> find_locations(std::uint32_t asset, std::span<const std::byte> bytes) const {
        Locations all;
        if (const std::string_view type = plan_.assets[asset].content_type; scans_text(first_names_[asset], type)) {
            FARDEL_TRY_ASSIGN(ScanFindings findings, scan_references(first_names_[asset], type, bytes, true));
            all.push_back(locations_of(std::move(findings)));
        }
        for (const auto& pattern : patterns_) {
            if (!glob_matches(pattern.first->match, first_names_[asset]))
                continue;
            FARDEL_TRY_ASSIGN(ScanFindings findings, pattern.second.scan(bytes, pattern.first->use, pattern.first->form,
                                                                         pattern.first->optional, true));
            all.push_back(locations_of(std::move(findings)));
        }
        return all;
    }

    using Spellings = std::map<ReferenceKey, std::string>;  // the new spelling of each reference

    static Result<std::vector<Replacement>> replacements_of(const Locations& locations, const Spellings& spellings) {
        std::vector<Replacement> replacements;
        for (const auto& of_scanner : locations)
            for (const Location& location : of_scanner)
                if (const auto at = spellings.find(key_of(location.reference)); at != spellings.end())
                    replacements.push_back({.offset = location.offset, .length = location.length, .text = at->second});
        std::ranges::stable_sort(replacements, {},
                                 [](const Replacement& one) { return std::pair(one.offset, one.length); });
        const auto same = [](const Replacement& a, const Replacement& b) {
            return a.offset == b.offset && a.length == b.length && a.text == b.text;
        };
        replacements.erase(std::unique(replacements.begin(), replacements.end(), same), replacements.end());
        for (std::size_t i = 1; i < replacements.size(); ++i)
            if (replacements[i].offset < replacements[i - 1].offset + replacements[i - 1].length ||
                replacements[i].offset == replacements[i - 1].offset)
                return Error(ErrorCode::conflict, "byte " + std::to_string(replacements[i].offset) +
                                                      " is within two spellings, which lead to " +
                                                      in_quotes(replacements[i - 1].text) + " and " +
                                                      in_quotes(replacements[i].text) +
                                                      "; make the patterns of its scanners narrower");
        return replacements;
    }

    // Checks that a scan of the new bytes finds the new spellings and nothing else: some formats end a name at a blank.
    static Status verify_locations(const Locations& before, const Locations& after, const Spellings& spellings) {
        for (std::size_t scanner = 0; scanner < before.size(); ++scanner) {
            for (std::size_t i = 0; i < before[scanner].size(); ++i) {
                const FoundReference& old = before[scanner][i].reference;
                const auto at = spellings.find(key_of(old));
                const std::string& wanted = at != spellings.end() ? at->second : old.spelling;
                if (i >= after[scanner].size() || after[scanner][i].reference.spelling != wanted)
                    return Error(
                        ErrorCode::unsupported,
                        (old.line != 0 ? "line " + std::to_string(old.line) + ": " : "") + in_quotes(wanted) +
                            " cannot replace " + in_quotes(old.spelling) +
                            ": the format would read another name; rename the file, or take this one out of 'rewrite'");
            }
            if (after[scanner].size() != before[scanner].size())
                return Error(ErrorCode::unsupported,
                             "has more references than before with the new spellings; take it out of 'rewrite'");
        }
        return ok();
    }

    Status rewrite(Text& text) {
        Status done = text.rewritten.empty() ? ok() : rewrite_text(text);
        return done ? ok() : Status(std::move(done).error().with_context(in_quotes(first_names_[text.asset])));
    }

    Status rewrite_text(Text& text) {
        Spellings spellings;
        for (const auto& reference : text.rewritten) {
            FARDEL_TRY_ASSIGN(std::string spelling, new_spelling(text, reference.second));
            spellings.emplace(reference.first, std::move(spelling));
        }
        PlannedAsset& asset = plan_.assets[text.asset];
        AssetReader reader(asset, assets_[text.asset].size_bytes);
        FARDEL_TRY_ASSIGN(const auto bytes, reader.bytes());
        FARDEL_TRY_ASSIGN(const auto before, find_locations(text.asset, bytes));
        FARDEL_TRY_ASSIGN(auto replacements, replacements_of(before, spellings));
        drop_unlocated(before, spellings);
        if (replacements.empty())
            return ok();
        const std::vector<std::byte> written = with_replacements(bytes, replacements);
        const auto after = find_locations(text.asset, written);
        if (!after)
            return Error(ErrorCode::unsupported, "cannot be read any more with the new spellings: " +
                                                     after.error().message() + "; take it out of 'rewrite'");
        FARDEL_TRY(verify_locations(before, *after, spellings));

        FARDEL_TRY_ASSIGN(const AssetId original, reader.id());
        PlannedAsset source{.source = asset.source, .key = asset.key};
        source.known = PlannedAsset::Known{.asset = original, .size_bytes = assets_[text.asset].size_bytes};
        asset.source =
            std::make_shared<RewrittenBlob>(std::move(source), assets_[text.asset].size_bytes, std::move(replacements));
        asset.known = PlannedAsset::Known{.asset = id_from<AssetId>(blake3(written)), .size_bytes = written.size()};
        assets_[text.asset].size_bytes = written.size();
        assets_[text.asset].id = asset.known->asset;
        ++resolved_.rewritten;
        respell_references(text, spellings);
        return ok();
    }

    // Removes the spellings of references that do not occur literally in the text.
    static void drop_unlocated(const Locations& locations, Spellings& spellings) {
        std::set<ReferenceKey> located;
        for (const auto& of_scanner : locations)
            for (const Location& location : of_scanner)
                located.insert(key_of(location.reference));
        std::erase_if(spellings, [&](const auto& one) { return !located.contains(one.first); });
    }

    void respell_references(const Text& text, const Spellings& spellings) {
        const auto& references = assets_[text.asset].findings.references;
        std::set<std::string_view> in_text;
        for (const FoundReference& reference : references)
            in_text.insert(reference.spelling);
        std::set<std::string> agreed;  // only these: what was removed from the table stays out
        std::vector<PlannedReference> respelled;
        for (PlannedReference& reference : resolved_.assets[text.asset].references) {
            agreed.insert(reference.spelling);
            if (!in_text.contains(reference.spelling))
                respelled.push_back(std::move(reference));  // an image of a sky box, which the text does not spell
        }
        for (std::uint32_t i = 0; i < references.size(); ++i) {
            const FoundTarget& found = resolved_.assets[text.asset].targets[i];
            if (!found.target || !agreed.contains(references[i].spelling))
                continue;
            const auto at = spellings.find(key_of(references[i]));
            respelled.push_back({.spelling = at != spellings.end() ? at->second : references[i].spelling,
                                 .target = *found.target,
                                 .optional = references[i].optional});
        }
        settle_references(respelled);
        resolved_.assets[text.asset].references = std::move(respelled);
    }

    const ProjectReferences& project_;
    const PlanScanOptions& options_;
    BundlePlan& plan_;
    std::vector<AssetScan>& assets_;
    ResolveResult& resolved_;
    std::vector<std::string_view> first_names_;
    std::vector<std::vector<std::string_view>> names_;  // per asset
    std::vector<std::pair<const ProjectScanner*, PatternScanner>> patterns_;
    std::vector<Text> texts_;
    std::vector<std::optional<std::uint32_t>> text_of_;  // per asset its index in texts_, if it is rewritten
    std::vector<std::vector<std::uint32_t>> order_;      // components; each is one text
};

}  // namespace

Status rewrite_spellings(const ProjectReferences& project, const PlanScanOptions& options, BundlePlan& plan,
                         std::vector<AssetScan>& assets, ResolveResult& resolved) {
    if (project.rewrite.empty())
        return ok();
    Status done = Rewriting(project, options, plan, assets, resolved).run();
    if (!done)
        return std::move(done).error().with_context(printable(options.project_file) + ":" +
                                                    std::to_string(project.rewrite_line) + ": rewrite");
    return ok();
}

}  // namespace fardel
