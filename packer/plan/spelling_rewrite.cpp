#include "spelling_rewrite.h"

#include "plan_asset.h"
#include "resolve/reference_target.h"
#include "text/in_quotes.h"

#include <fardel/format/hash.h>
#include <fardel/packer/pattern_scanner.h>
#include <fardel/packer/references.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

// ---- Bytes with other spellings -------------------------------------------------------------------------------------

struct Replacement {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::string text;
};

// `replacements`: by offset, apart.
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

// Rewritten when it is read, so that nobody holds all texts at once.
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
    PlannedAsset original_;  // its source and what is known of it
    std::uint64_t size_bytes_;
    std::vector<Replacement> replacements_;
};

// ---- Spellings of names ---------------------------------------------------------------------------------------------

std::string percent_encoded(std::string_view path) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : path) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           std::string_view("-._~/").find(c) != std::string_view::npos;
        if (plain) {
            out += c;
        } else {
            out += '%';
            out += kDigits[static_cast<unsigned char>(c) >> 4];
            out += kDigits[static_cast<unsigned char>(c) & 15];
        }
    }
    return out;
}

// `name` from the folder of `from`.
std::string relative_path(std::string_view from, std::string_view name) {
    std::size_t common = 0;  // behind the last / up to which both are alike
    for (std::size_t i = 0; i < from.size() && i < name.size() && from[i] == name[i]; ++i)
        if (from[i] == '/')
            common = i + 1;
    std::string path;
    for (std::size_t i = common; i < from.size(); ++i)
        if (from[i] == '/')
            path += "../";
    return path + std::string(name.substr(common));
}

std::optional<std::string> find_spelling(std::string_view name, ReferenceForm form, std::string_view from) {
    constexpr std::string_view kTextures = "textures/";
    switch (form) {
        case ReferenceForm::from_root: return std::string(name);
        case ReferenceForm::below_textures:
            return name.starts_with(kTextures) ? std::optional(std::string(name.substr(kTextures.size())))
                                               : std::nullopt;
        case ReferenceForm::relative: return relative_path(from, name);
        case ReferenceForm::relative_uri: return percent_encoded(relative_path(from, name));
    }
    return std::nullopt;
}

// Whether the game, told `reference` in `from`, looks for `name` before all other files.
bool means_first(const FoundReference& reference, std::string_view from, std::string_view name) {
    for (const NameCandidate& candidate : candidate_names(reference, from))
        if (candidate.kind == CandidateKind::asset)
            return candidate.name == name;
    return false;
}

// ---- What is rewritten ----------------------------------------------------------------------------------------------

using ReferenceKey = std::tuple<std::string, ReferenceUse, ReferenceForm>;

ReferenceKey key_of(const FoundReference& reference) { return {reference.spelling, reference.use, reference.form}; }

// An asset that spellings stand in.
struct Text {
    std::uint32_t asset = 0;
    std::map<ReferenceKey, std::uint32_t> rewritten;  // those that lead somewhere: index into the asset's references
    std::vector<std::uint32_t> needs;                 // texts whose ids it holds, ascending
};

class Rewriting {
public:
    Rewriting(const ProjectReferences& project, const PlanScanOptions& options, BundlePlan& plan,
              std::vector<std::uint64_t>& sizes, PlanScan& scan, ResolveResult& resolved)
        : project_(project),
          options_(options),
          plan_(plan),
          sizes_(sizes),
          scan_(scan),
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
        for (const std::size_t text : order_)
            FARDEL_TRY(rewrite(texts_[text]));
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

    // Nothing of it is rewritten when nobody scans it: it names nothing.
    Result<bool> can_rewrite(std::uint32_t asset) const {
        const std::string_view type = plan_.assets[asset].content_type;
        const bool known = !scanner_for(first_names_[asset], type).empty();
        if (known && !scans_text(first_names_[asset], type))
            return unsupported(asset, "is " + printable(type) +
                                          ", a binary format: only spellings in text are rewritten; take it out of "
                                          "'rewrite', its link table leads to the same");
        if (options_.told.contains(asset))
            return unsupported(asset,
                               "is not scanned: the job that made it told what it names; take it out of 'rewrite', and "
                               "let the job write what it should say");
        const bool text = known || is_scanned_by(asset, false);
        if (!text && is_scanned_by(asset, true))
            return unsupported(asset,
                               "is scanned by a program alone, which does not tell where a spelling stands; take it "
                               "out of 'rewrite', or write a [[scanner]] with 'pattern' for it");
        return text && scan_.scanned[asset].broken.empty();
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
                texts_.push_back({.asset = asset, .rewritten = {}, .needs = {}});
        }
        for (std::size_t i = 0; i < matched.size(); ++i)
            if (!matched[i])
                resolved_.audit.idle_patterns.push_back(project_.rewrite[i]);
        return ok();
    }

    // ---- Which references ----

    // With an id: what a game may open by path.
    static bool has_id(const FoundReference& reference, const FoundTarget& found) {
        return !found.shader && found.target && !std::holds_alternative<PlannedReference::Dynamic>(*found.target) &&
               reference.use != ReferenceUse::map && reference.form != ReferenceForm::below_textures;
    }

    // The exact name, spelled so that it means the same; nothing when there is no such spelling.
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
        const auto& references = scan_.scanned[text.asset].findings.references;
        for (std::uint32_t i = 0; i < references.size(); ++i) {
            const FoundTarget& found = resolved_.targets[text.asset][i];
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
        const FoundTarget& found = resolved_.targets[text.asset][index];
        if (project_.rewrite_to == RewriteTo::names)
            return *find_name_spelling(text.asset, scan_.scanned[text.asset].findings.references[index], found);
        if (const auto* const foreign = std::get_if<PlannedReference::Foreign>(&*found.target))
            return "/assets/" + foreign->asset.hex();
        const std::uint32_t target = std::get<PlannedReference::Internal>(*found.target).asset;
        FARDEL_TRY_ASSIGN(const AssetId id, AssetReader(plan_.assets[target], sizes_[target]).id());
        return "/assets/" + id.hex();
    }

    // ---- In which order: an id is known when its bytes are ----

    Status order_texts() {
        for (std::uint32_t text = 0; text < texts_.size(); ++text)
            if (!texts_[text].rewritten.empty())
                text_of_[texts_[text].asset] = text;
        if (project_.rewrite_to == RewriteTo::ids)
            for (Text& text : texts_) {
                std::set<std::uint32_t> needs;
                for (const auto& reference : text.rewritten)
                    if (const auto* const internal = std::get_if<PlannedReference::Internal>(
                            &*resolved_.targets[text.asset][reference.second].target);
                        internal && text_of_[internal->asset])
                        needs.insert(*text_of_[internal->asset]);
                text.needs.assign(needs.begin(), needs.end());
            }
        enum class State : unsigned char { fresh, open, done };
        std::vector<State> states(texts_.size());
        for (std::uint32_t start = 0; start < texts_.size(); ++start) {
            std::vector<std::pair<std::uint32_t, std::size_t>> path;  // text, how many of its needs are done
            const auto enter = [&](std::uint32_t text) {
                states[text] = State::open;
                path.emplace_back(text, 0);
            };
            if (states[start] == State::fresh)
                enter(start);
            while (!path.empty()) {
                const std::uint32_t text = path.back().first;
                if (path.back().second == texts_[text].needs.size()) {
                    states[text] = State::done;
                    order_.push_back(text);
                    path.pop_back();
                    continue;
                }
                const std::uint32_t need = texts_[text].needs[path.back().second++];
                if (states[need] == State::open)
                    return cycle(path, need);
                if (states[need] == State::fresh)
                    enter(need);
            }
        }
        return ok();
    }

    Error cycle(const std::vector<std::pair<std::uint32_t, std::size_t>>& path, std::uint32_t back_to) const {
        auto at = std::ranges::find(path, back_to, &std::pair<std::uint32_t, std::size_t>::first);
        std::string way;
        for (; at != path.end(); ++at)
            way += in_quotes(first_names_[texts_[at->first].asset]) + " → ";
        return Error(ErrorCode::conflict,
                     way + in_quotes(first_names_[texts_[back_to].asset]) +
                         ": none can hold the next one's id, since each id depends on the bytes of the next; write "
                         "rewrite_to = \"names\", or take one of them out of 'rewrite'");
    }

    // ---- New bytes ----

    struct Place {
        std::uint64_t offset = 0;
        std::uint64_t length = 0;
        FoundReference reference;
    };

    // By offset; of one scanner.
    static std::vector<Place> places_of(ScanFindings findings) {
        std::vector<Place> places;
        for (const SpellingPlace& place : findings.places)
            places.push_back(
                {.offset = place.offset, .length = place.length, .reference = findings.references[place.reference]});
        std::ranges::stable_sort(places, {}, &Place::offset);
        return places;
    }

    // One list a scanner that knows places.
    Result<std::vector<std::vector<Place>>> find_places(std::uint32_t asset, std::span<const std::byte> bytes) const {
        std::vector<std::vector<Place>> all;
        if (const std::string_view type = plan_.assets[asset].content_type; scans_text(first_names_[asset], type)) {
            FARDEL_TRY_ASSIGN(ScanFindings findings, scan_references(first_names_[asset], type, bytes, true));
            all.push_back(places_of(std::move(findings)));
        }
        for (const auto& pattern : patterns_) {
            if (!glob_matches(pattern.first->match, first_names_[asset]))
                continue;
            FARDEL_TRY_ASSIGN(ScanFindings findings, pattern.second.scan(bytes, pattern.first->use, pattern.first->form,
                                                                         pattern.first->optional, true));
            all.push_back(places_of(std::move(findings)));
        }
        return all;
    }

    using Spellings = std::map<ReferenceKey, std::string>;  // what becomes of each

    static Result<std::vector<Replacement>> replacements_of(const std::vector<std::vector<Place>>& places,
                                                            const Spellings& spellings) {
        std::vector<Replacement> replacements;
        for (const auto& of_one : places)
            for (const Place& place : of_one)
                if (const auto at = spellings.find(key_of(place.reference)); at != spellings.end())
                    replacements.push_back({.offset = place.offset, .length = place.length, .text = at->second});
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

    // Whoever reads the new bytes finds the new spellings and nothing else: a format may end a name at a blank.
    static Status verify_places(const std::vector<std::vector<Place>>& before,
                                const std::vector<std::vector<Place>>& after, const Spellings& spellings) {
        for (std::size_t scanner = 0; scanner < before.size(); ++scanner) {
            for (std::size_t i = 0; i < before[scanner].size(); ++i) {
                const FoundReference& old = before[scanner][i].reference;
                const auto at = spellings.find(key_of(old));
                const std::string& wanted = at != spellings.end() ? at->second : old.spelling;
                if (i >= after[scanner].size() || after[scanner][i].reference.spelling != wanted)
                    return Error(
                        ErrorCode::unsupported,
                        (old.line != 0 ? "line " + std::to_string(old.line) + ": " : "") + in_quotes(wanted) +
                            " cannot stand in the place of " + in_quotes(old.spelling) +
                            ": read again, it is another name; rename the file, or take this one out of 'rewrite'");
            }
            if (after[scanner].size() != before[scanner].size())
                return Error(ErrorCode::unsupported,
                             "names more than before with the new spellings; take it out of 'rewrite'");
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
        AssetReader reader(asset, sizes_[text.asset]);
        FARDEL_TRY_ASSIGN(const auto bytes, reader.bytes());
        FARDEL_TRY_ASSIGN(const auto before, find_places(text.asset, bytes));
        FARDEL_TRY_ASSIGN(auto replacements, replacements_of(before, spellings));
        drop_placeless(before, spellings);
        if (replacements.empty())
            return ok();
        const std::vector<std::byte> written = with_replacements(bytes, replacements);
        const auto after = find_places(text.asset, written);
        if (!after)
            return Error(ErrorCode::unsupported, "cannot be read any more with the new spellings: " +
                                                     after.error().message() + "; take it out of 'rewrite'");
        FARDEL_TRY(verify_places(before, *after, spellings));

        FARDEL_TRY_ASSIGN(const AssetId original, reader.id());
        PlannedAsset source{.source = asset.source, .key = asset.key, .content_type = {}};
        source.known = PlannedAsset::Known{.asset = original, .size_bytes = sizes_[text.asset]};
        asset.source = std::make_shared<RewrittenBlob>(std::move(source), sizes_[text.asset], std::move(replacements));
        asset.known = PlannedAsset::Known{.asset = id_from<AssetId>(blake3(written)), .size_bytes = written.size()};
        sizes_[text.asset] = written.size();
        scan_.ids[text.asset] = asset.known->asset;
        ++resolved_.rewritten;
        respell_references(text, spellings);
        return ok();
    }

    // Of those that stand nowhere as such.
    static void drop_placeless(const std::vector<std::vector<Place>>& places, Spellings& spellings) {
        std::set<ReferenceKey> placed;
        for (const auto& of_one : places)
            for (const Place& place : of_one)
                placed.insert(key_of(place.reference));
        std::erase_if(spellings, [&](const auto& one) { return !placed.contains(one.first); });
    }

    void respell_references(const Text& text, const Spellings& spellings) {
        const auto& references = scan_.scanned[text.asset].findings.references;
        std::set<std::string_view> found;
        for (const FoundReference& reference : references)
            found.insert(reference.spelling);
        std::set<std::string> agreed;  // what was taken out of the table stays out
        std::vector<PlannedReference> respelled;
        for (PlannedReference& reference : resolved_.references[text.asset]) {
            agreed.insert(reference.spelling);
            if (!found.contains(reference.spelling))
                respelled.push_back(std::move(reference));  // an image of a sky box, which the text does not spell
        }
        for (std::uint32_t i = 0; i < references.size(); ++i) {
            const FoundTarget& found = resolved_.targets[text.asset][i];
            if (!found.target || !agreed.contains(references[i].spelling))
                continue;
            const auto at = spellings.find(key_of(references[i]));
            respelled.push_back({.spelling = at != spellings.end() ? at->second : references[i].spelling,
                                 .target = *found.target,
                                 .optional = references[i].optional});
        }
        settle_references(respelled);
        resolved_.references[text.asset] = std::move(respelled);
    }

    const ProjectReferences& project_;
    const PlanScanOptions& options_;
    BundlePlan& plan_;
    std::vector<std::uint64_t>& sizes_;
    PlanScan& scan_;
    ResolveResult& resolved_;
    std::vector<std::string_view> first_names_;
    std::vector<std::vector<std::string_view>> names_;
    std::vector<std::pair<const ProjectScanner*, PatternScanner>> patterns_;
    std::vector<Text> texts_;
    std::vector<std::optional<std::uint32_t>> text_of_;  // of each asset, if it is rewritten
    std::vector<std::size_t> order_;
};

}  // namespace

Status rewrite_spellings(const ProjectReferences& project, const PlanScanOptions& options, BundlePlan& plan,
                         std::vector<std::uint64_t>& sizes, PlanScan& scan, ResolveResult& resolved) {
    if (project.rewrite.empty())
        return ok();
    Status done = Rewriting(project, options, plan, sizes, scan, resolved).run();
    if (!done)
        return std::move(done).error().with_context(printable(options.project_file) + ":" +
                                                    std::to_string(project.rewrite_line) + ": rewrite");
    return ok();
}

}  // namespace fardel
