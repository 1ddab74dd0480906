#include <fardel/delivery/resolve.h>

#include <fardel/format/name.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

constexpr int kRoundsMax = 16;
constexpr std::size_t kChainShownMax = 8;
constexpr std::size_t kVersionsShownMax = 12;

// The answer to each requirement, by its text; nothing: there is none.
using Answers = std::map<std::string, std::optional<BundleId>>;

class Resolver {
public:
    Resolver(const std::vector<Requirement>& roots, const ResolveSnapshot& snapshot,
             const std::set<BundleId>& preferred)
        : roots_(roots), snapshot_(snapshot), preferred_(preferred) {
        for (const OfferedBundle& one : snapshot.bundles) {
            by_name_[one.name].push_back(&one);
            by_id_.emplace(one.bundle, &one);
        }
        for (auto& [name, bundles] : by_name_)
            std::ranges::sort(bundles, [](const OfferedBundle* a, const OfferedBundle* b) { return is_older(*a, *b); });
    }

    Result<ResolveOutcome> run() {
        FARDEL_TRY_ASSIGN(const bool is_stable, unify());
        if (!is_stable) {  // each requirement alone: its answer depends on nothing else
            answers_.clear();
            FARDEL_TRY(walk());
        }
        ResolveOutcome outcome;
        report(outcome.conflicts);
        if (outcome.conflicts.empty())
            outcome.resolution = resolution();
        for (const BundleId& id : consulted_) {
            const auto needs = snapshot_.needs.find(id);
            if (needs == snapshot_.needs.end())
                outcome.unknown.push_back(id);
            else if (!seen_.contains(id))
                outcome.consulted.insert(*needs);
        }
        return outcome;
    }

private:
    // How the walk came to a bundle.
    struct Visit {
        BundleId bundle;
        std::size_t parent = 0;  // of visits_; its own index: a root
        std::string wanted;      // the requirement, or empty: a static dependency
    };

    static bool is_older(const OfferedBundle& a, const OfferedBundle& b) {
        if (const auto order = compare_builds(a.version, b.version); order != 0)
            return order < 0;
        return std::tie(a.version.text(), a.bundle) < std::tie(b.version.text(), b.bundle);
    }

    Status step(std::uint64_t count = 1) {
        steps_ += count;
        if (steps_ > kResolveStepsMax)
            return Error(ErrorCode::limit,
                         "the requirements take more than " + std::to_string(kResolveStepsMax) + " steps to resolve");
        return ok();
    }

    // ---- Answers ----------------------------------------------------------------------------------------------------

    // Whether the answers are final: the walk that follows them meets no other requirements.
    Result<bool> unify() {
        for (int round = 0; round < kRoundsMax; ++round) {
            FARDEL_TRY(walk());
            FARDEL_TRY_ASSIGN(Answers answers, group());
            if (answers == answers_)
                return true;
            answers_ = std::move(answers);
        }
        return false;
    }

    // Gives each name as few versions as do for all requirements that were met.
    Result<Answers> group() {
        std::map<std::string_view, std::vector<const Requirement*>> by_name;
        for (const auto& [text, requirement] : met_)
            by_name[requirement->name].push_back(requirement);
        Answers answers;
        for (auto& [name, requirements] : by_name)
            FARDEL_TRY(group_name(name, std::move(requirements), answers));
        return answers;
    }

    Status group_name(std::string_view name, std::vector<const Requirement*> open, Answers& answers) {
        const auto offered = by_name_.find(name);
        while (!open.empty()) {
            const OfferedBundle* best = nullptr;
            std::pair<std::size_t, bool> best_rank{0, false};
            for (std::size_t i = 0; offered != by_name_.end() && i < offered->second.size(); ++i) {
                const OfferedBundle* const one = offered->second[i];
                FARDEL_TRY(step(open.size()));
                if (snapshot_.recalled.contains(one->bundle))
                    continue;
                const auto count = static_cast<std::size_t>(std::ranges::count_if(
                    open, [&](const Requirement* wanted) { return wanted->accepts(one->version); }));
                const std::pair rank(count, preferred_.contains(one->bundle));
                if (count != 0 && rank >= best_rank) {  // the bundles rise, so the newest of equal ones
                    best = one;
                    best_rank = rank;
                }
            }
            const auto is_answered = [&](const Requirement* wanted) {
                if (best != nullptr && !wanted->accepts(best->version))
                    return false;
                answers[wanted->text()] = best != nullptr ? std::optional(best->bundle) : std::nullopt;
                return true;
            };
            std::erase_if(open, is_answered);
        }
        return ok();
    }

    Result<std::optional<BundleId>> answer(const Requirement& requirement, const std::string& text) {
        if (const auto known = answers_.find(text); known != answers_.end())
            return known->second;
        Answers alone;
        FARDEL_TRY(group_name(requirement.name, {&requirement}, alone));
        answers_.insert(alone.begin(), alone.end());
        return alone.at(text);
    }

    // ---- The walk ---------------------------------------------------------------------------------------------------

    Status walk() {
        visits_.clear();
        seen_.clear();
        met_.clear();
        unanswered_.clear();
        for (const Requirement& root : roots_)
            FARDEL_TRY(follow(root, std::nullopt));
        for (std::size_t at = 0; at < visits_.size(); ++at) {
            const auto needs = snapshot_.needs.find(visits_[at].bundle);
            if (needs == snapshot_.needs.end())
                continue;  // report() says so
            for (const BundleId& id : needs->second.needs)
                FARDEL_TRY(visit(id, at, ""));
            for (const Requirement& requirement : needs->second.requirements)
                FARDEL_TRY(follow(requirement, at));
        }
        return ok();
    }

    Status follow(const Requirement& requirement, std::optional<std::size_t> parent) {
        const std::string text = requirement.text();
        met_.emplace(text, &requirement);
        FARDEL_TRY_ASSIGN(const auto bundle, answer(requirement, text));
        if (bundle)
            return visit(*bundle, parent, text);
        FARDEL_TRY(step());
        if (unanswered_.size() <= kConflictsMax)
            unanswered_.emplace_back(&requirement, parent);
        return ok();
    }

    Status visit(const BundleId& bundle, std::optional<std::size_t> parent, const std::string& wanted) {
        FARDEL_TRY(step());
        if (!seen_.emplace(bundle, visits_.size()).second)
            return ok();
        if (visits_.size() == kResolvedBundlesMax)
            return Error(ErrorCode::limit,
                         "more than " + std::to_string(kResolvedBundlesMax) + " bundles need each other");
        consulted_.insert(bundle);
        visits_.push_back({.bundle = bundle, .parent = parent.value_or(visits_.size()), .wanted = wanted});
        return ok();
    }

    // ---- Conflicts --------------------------------------------------------------------------------------------------

    void report(std::vector<std::string>& conflicts) const {
        const auto add = [&](std::string text) {
            if (conflicts.size() < kConflictsMax)
                conflicts.push_back(std::move(text));
        };
        for (const auto& [requirement, parent] : unanswered_)
            add(chain_to(parent) + in_short_quotes(requirement->text()) + ": " + why_unanswered(*requirement));
        for (std::size_t at = 0; at < visits_.size(); ++at) {
            const BundleId& id = visits_[at].bundle;
            if (const auto recall = snapshot_.recalled.find(id); recall != snapshot_.recalled.end())
                add(chain_to(at) + "it has been recalled: " + printable(recall->second));
            else if (!snapshot_.needs.contains(id))
                add(chain_to(at) + (by_id_.contains(id)
                                        ? "what it needs is not known: neither a text about this release nor the "
                                          "bundle was found"
                                        : "the registry does not have this bundle"));
        }
    }

    // "mods/castle 1.0 → studio/base 1.2 → ", the last ones of a long chain.
    std::string chain_to(std::optional<std::size_t> at) const {
        if (!at)
            return "";
        std::vector<std::size_t> chain{*at};
        while (visits_[chain.back()].parent != chain.back())
            chain.push_back(visits_[chain.back()].parent);
        std::string text = chain.size() > kChainShownMax ? "… → " : "";
        for (std::size_t i = std::min(chain.size(), kChainShownMax); i-- > 0;)
            text += title_of(visits_[chain[i]].bundle) + " → ";
        return text;
    }

    std::string title_of(const BundleId& id) const {
        const auto known = by_id_.find(id);
        if (known == by_id_.end())
            return "bundle " + id.hex();
        return printable(known->second->name) + " " + known->second->version.text();
    }

    std::string why_unanswered(const Requirement& requirement) const {
        const auto offered = by_name_.find(requirement.name);
        if (offered == by_name_.end())
            return "the release has no bundle of this name";
        std::string recalled;
        std::string preview;  // the newest that only a requirement which names previews would take
        std::string versions;
        std::size_t count = 0;
        for (std::size_t i = offered->second.size(); i-- > 0;) {
            const OfferedBundle& one = *offered->second[i];
            const auto recall = snapshot_.recalled.find(one.bundle);
            if (recall != snapshot_.recalled.end() && requirement.accepts(one.version) && recalled.empty())
                recalled = one.version.text() + " has been recalled: " + printable(recall->second);
            if (recall == snapshot_.recalled.end() && preview.empty() && requirement.misses_preview(one.version))
                preview = one.version.text();
            if (recall == snapshot_.recalled.end() && ++count <= kVersionsShownMax)
                versions += (versions.empty() ? "" : ", ") + one.version.text();
        }
        if (count > kVersionsShownMax)
            versions += " and " + std::to_string(count - kVersionsShownMax) + " more";
        std::string there = versions.empty() ? "no version is left" : "the release has " + versions;
        if (!preview.empty())
            there += "; " + preview + " is a preview, which only a requirement that names one takes, such as '" +
                     printable(requirement.name) + " >= " + preview + "'";
        return recalled.empty() ? there : recalled + "; " + there;
    }

    // ---- The outcome ------------------------------------------------------------------------------------------------

    Resolution resolution() const {
        Resolution all;
        for (const Requirement& root : roots_)
            all.roots.push_back({root, *answers_.at(root.text())});
        for (const Visit& visited : visits_) {
            const BundleNeeds& needs = snapshot_.needs.at(visited.bundle);
            ResolvedBundle one{
                .bundle = visited.bundle, .name = {}, .version = {}, .needs = needs.needs, .requirements = {}};
            if (const auto known = by_id_.find(visited.bundle); known != by_id_.end()) {
                one.name = known->second->name;
                one.version = known->second->version;
            }
            for (const Requirement& requirement : needs.requirements)
                one.requirements.push_back({requirement, *answers_.at(requirement.text())});
            all.bundles.push_back(std::move(one));
        }
        sort_for_mounting(all);
        return all;
    }

    const std::vector<Requirement>& roots_;
    const ResolveSnapshot& snapshot_;
    const std::set<BundleId>& preferred_;
    std::map<std::string, std::vector<const OfferedBundle*>, std::less<>> by_name_;  // older ones first
    std::unordered_map<BundleId, const OfferedBundle*> by_id_;
    Answers answers_;
    std::uint64_t steps_ = 0;
    std::set<BundleId> consulted_;  // by all walks

    // Of the last walk.
    std::vector<Visit> visits_;
    std::unordered_map<BundleId, std::size_t> seen_;
    std::map<std::string, const Requirement*> met_;
    std::vector<std::pair<const Requirement*, std::optional<std::size_t>>> unanswered_;
};

}  // namespace

Result<ResolveOutcome> resolve(const std::vector<Requirement>& roots, const ResolveSnapshot& snapshot,
                               const std::set<BundleId>& preferred) {
    return Resolver(roots, snapshot, preferred).run();
}

}  // namespace fardel
