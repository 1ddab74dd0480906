#include <fardel/verifier/verify_bundle.h>

#include "findings/verify_findings.h"
#include "sets/set_member.h"
#include "sets/set_names.h"
#include "tables/bundle_strings.h"

#include <fardel/format/bundle.h>
#include <fardel/format/glob_set.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/format/requirement.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

std::optional<NameScope> scope_of(const VerifyReport& report) {
    return report.verdict && report.verdict->rule ? find_name_scope(*report.verdict->rule) : std::nullopt;
}

class SetCheck {
public:
    SetCheck(std::vector<SetMember> members, std::stop_token stop, VerifyFindings& findings)
        : members_(std::move(members)), stop_(std::move(stop)), findings_(findings) {
        for (std::size_t i = 0; i < members_.size(); ++i)
            by_id_.emplace_back(members_[i].bundle->id(), i);
        std::ranges::sort(by_id_);
    }

    // Returns false if stopped.
    bool check() {
        for (std::size_t i = 1; i < by_id_.size(); ++i)
            if (by_id_[i].first == by_id_[i - 1].first)
                findings_.add(VerifierRule::set_bundle_twice, members_[by_id_[i].second].label,
                              "it is the same bundle as " + members_[by_id_[i - 1].second].label);
        gather_published();
        check_scopes();
        check_set_names(members_, stop_, findings_);
        for (const SetMember& member : members_) {
            check_dependencies(member);
            check_foreign_assets(member);
            check_consumes(member);
            check_requirements(member);
            if (stop_.stop_requested())
                return false;
        }
        return true;
    }

private:
    const SetMember* find(const BundleId& id) const {
        const auto at = std::ranges::lower_bound(by_id_, id, {}, &std::pair<BundleId, std::size_t>::first);
        return at != by_id_.end() && at->first == id ? &members_[at->second] : nullptr;
    }

    // Names that a rule lets a bundle add only, and that a bundle under another rule publishes, too.
    void check_scopes() {
        if (std::ranges::none_of(members_, [](const SetMember& member) { return member.scope.has_value(); }))
            return;
        std::vector<std::pair<std::string_view, const SetMember*>> names;
        for (const SetMember& member : members_)
            for (std::uint32_t i = 0; i < member.bundle->name_count() && !stop_.stop_requested(); ++i) {
                const auto name = member.bundle->name(NameIndex{i});
                const auto text = name && name->is(NameRecord::published)
                                      ? member.bundle->string(name->text)
                                      : Result<std::string_view>(std::string_view());
                if (text && !text->empty() && (!member.scope || member.scope->may_publish(*text)))
                    names.emplace_back(*text, &member);
            }
        std::ranges::stable_sort(names, {}, &std::pair<std::string_view, const SetMember*>::first);
        for (auto first = names.begin(); first != names.end();) {
            const auto last =
                std::find_if(first, names.end(), [&](const auto& one) { return one.first != first->first; });
            for (auto at = first; at != last; ++at)
                check_scope(at->first, *at->second, {first, last});
            first = last;
        }
    }

    void check_scope(std::string_view name, const SetMember& member,
                     std::span<const std::pair<std::string_view, const SetMember*>> publishers) {
        if (!member.scope || member.scope->may_override(name))
            return;
        const auto other =
            std::ranges::find_if(publishers, [&](const auto& one) { return member.yields(name, *one.second); });
        if (other != publishers.end())
            findings_.add(VerifierRule::name_of_another_rule, member.label,
                          quoted(name) + " is published by " + other->second->label + ", too; the rule " +
                              printable(member.scope->rule.pattern) +
                              " lets it add names and not override. Add override=PATTERN to the rule to allow it");
    }

    // Skips damaged records, which are already findings about their bundle.
    void gather_published() {
        for (const SetMember& member : members_)
            for (std::uint32_t i = 0; i < member.bundle->name_count() && !stop_.stop_requested(); ++i) {
                const auto name = member.bundle->name(NameIndex{i});
                if (!name || !name->is(NameRecord::published) || name->is(NameRecord::tombstone))
                    continue;
                if (const auto text = member.bundle->string(name->text))
                    published_.push_back(*text);
            }
        std::ranges::sort(published_);
    }

    void check_dependencies(const SetMember& member) {
        for (std::uint32_t i = 0; i < member.bundle->table_count(TableKind::dependencies); ++i) {
            const auto dependency = member.bundle->dependency(i);
            if (!dependency || find(dependency->bundle))
                continue;
            const auto name = member.bundle->string(dependency->name);
            const std::string what = (name && !name->empty() ? quoted(*name) + ", " : "") + std::string("bundle ") +
                                     dependency->bundle.hex();
            if ((dependency->flags & DependencyRecord::is_static) != 0)
                findings_.add(VerifierRule::dependency_missing, location(member, TableKind::dependencies, i),
                              what + ", is not in the set; add it");
            else
                findings_.add(VerifierRule::dependency_absent, location(member, TableKind::dependencies, i),
                              what + ", is not in the set");
        }
    }

    void check_foreign_assets(const SetMember& member) {
        for (std::uint32_t i = 0; i < member.bundle->table_count(TableKind::foreign_assets); ++i) {
            const auto foreign = member.bundle->foreign_asset(i);
            const auto dependency =
                foreign ? member.bundle->dependency(foreign->dependency) : Result<DependencyRecord>(DependencyRecord{});
            if (!foreign || !dependency)
                continue;
            const SetMember* holder = find(dependency->bundle);
            if (!holder)
                continue;  // reported by check_dependencies()
            const auto found = holder->bundle->find_asset(foreign->id);
            if (found && !found->has_value())
                findings_.add(VerifierRule::foreign_asset_missing, location(member, TableKind::foreign_assets, i),
                              "asset " + foreign->id.hex() + " is not in " + holder->label + ", its dependency");
        }
    }

    // What a requirement cannot be read from is a finding about its bundle.
    void check_requirements(const SetMember& member) {
        const auto requirements = requirements_of(*member.bundle);
        if (!requirements)
            return;
        for (const Requirement& requirement : *requirements) {
            std::string closest;  // why a bundle of that name does not do
            const bool is_met = std::ranges::any_of(members_, [&](const SetMember& other) {
                const auto name = other.bundle->find_bundle_text("name");
                if (!name || *name != requirement.name)
                    return false;
                const Status met = verify_meets(requirement, *other.bundle);
                if (!met && closest.empty())
                    closest = met.error().message();
                return static_cast<bool>(met);
            });
            if (!is_met)
                findings_.add(VerifierRule::requirement_unmet, member.label,
                              closest.empty() ? quoted(requirement.text()) + " is met by no bundle of the set; add one"
                                              : closest);
        }
    }

    void check_consumes(const SetMember& member) {
        const std::vector<bool> matched = match_patterns(member);
        std::size_t patterns = 0;
        for (std::uint32_t i = 0; i < member.bundle->table_count(TableKind::consumes) && !stop_.stop_requested(); ++i) {
            const auto consume = member.bundle->consume(i);
            const auto text =
                consume ? member.bundle->string(consume->text) : Result<std::string_view>(std::string_view());
            if (!consume || !text)
                continue;
            const bool is_pattern = (consume->flags & ConsumeRecord::pattern) != 0;
            if (is_pattern && patterns == matched.size())
                return;  // the limit of match_patterns()
            if (is_pattern ? matched[patterns++] : std::ranges::binary_search(published_, *text))
                continue;
            const bool optional = (consume->flags & ConsumeRecord::optional) != 0;
            findings_.add(optional ? VerifierRule::consume_optional_unresolved : VerifierRule::consume_unresolved,
                          location(member, TableKind::consumes, i),
                          quoted(*text) + (is_pattern ? " matches no name that a bundle of the set publishes"
                                                      : " is published by no bundle of the set"));
        }
    }

    // One element per pattern that the bundle consumes: whether the set publishes a name that matches it. All patterns
    // are compared in one pass over the names; none that is beyond the limit, which is a finding about the bundle.
    std::vector<bool> match_patterns(const SetMember& member) const {
        std::vector<std::string> patterns;
        std::size_t pattern_bytes = 0;
        for (std::uint32_t i = 0; i < member.bundle->table_count(TableKind::consumes); ++i) {
            const auto consume = member.bundle->consume(i);
            const auto text =
                consume ? member.bundle->string(consume->text) : Result<std::string_view>(std::string_view());
            if (!consume || !text || (consume->flags & ConsumeRecord::pattern) == 0)
                continue;
            pattern_bytes += text->size();
            if (pattern_bytes > kGlobSetBytesMax)
                break;
            patterns.emplace_back(*text);
        }
        std::vector<bool> matched(patterns.size());
        if (patterns.empty())
            return matched;
        const GlobSet globs(patterns);
        const std::string_view start = common_start(patterns);
        auto at = std::ranges::lower_bound(published_, start);
        for (; at != published_.end() && at->starts_with(start) && !stop_.stop_requested(); ++at)
            globs.find_matches(*at, matched);
        return matched;
    }

    static std::string location(const SetMember& member, TableKind table, std::uint32_t record) {
        return member.label + ": " + record_location(table, record);
    }

    std::vector<SetMember> members_;
    std::vector<std::pair<BundleId, std::size_t>> by_id_;
    std::vector<std::string_view> published_;
    std::stop_token stop_;
    VerifyFindings& findings_;
};

}  // namespace

bool VerifySetReport::good() const noexcept { return errors == 0 && std::ranges::all_of(bundles, &VerifyReport::good); }

Result<VerifySetReport> verify_set(std::span<const VerifyInput> inputs, const VerifyOptions& options) {
    VerifySetReport report;
    VerifyFindings findings(options.findings_max);
    std::vector<SetMember> members;
    for (const VerifyInput& input : inputs) {
        FARDEL_TRY_ASSIGN(VerifyReport one, verify_bundle(input.source, options));
        report.bundles.push_back(std::move(one));
        // verify_bundle() has judged the signatures; here the bundle only has to be readable.
        auto bundle = Bundle::open(input.source, {});
        if (bundle)
            members.push_back({std::move(bundle).value(), printable(input.label), scope_of(report.bundles.back())});
        else
            findings.add(VerifierRule::set_bundle_unusable, printable(input.label),
                         "it cannot be opened, so its published names are not considered: " + bundle.error().message());
    }
    if (!SetCheck(std::move(members), options.stop, findings).check())
        return Error(ErrorCode::cancelled, "the verification was stopped");
    findings.take_into(report);
    return report;
}

}  // namespace fardel
