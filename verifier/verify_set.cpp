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

std::string location(const SetMember& member, TableKind table, std::uint32_t record) {
    return member.label + ": " + record_location(table, record);
}

// ---- Which bundles are in the set -----------------------------------------------------------------------------------

using MembersById = std::vector<std::pair<BundleId, const SetMember*>>;  // ascending

MembersById sort_by_id(std::span<const SetMember> members, VerifyFindings& findings) {
    MembersById by_id;
    for (const SetMember& member : members)
        by_id.emplace_back(member.bundle->id(), &member);
    std::ranges::stable_sort(by_id, {}, &MembersById::value_type::first);
    for (std::size_t i = 1; i < by_id.size(); ++i)
        if (by_id[i].first == by_id[i - 1].first)
            findings.add(VerifierRule::set_bundle_twice, by_id[i].second->label,
                         "it is the same bundle as " + by_id[i - 1].second->label);
    return by_id;
}

const SetMember* find_member(const MembersById& by_id, const BundleId& id) {
    const auto at = std::ranges::lower_bound(by_id, id, {}, &MembersById::value_type::first);
    return at != by_id.end() && at->first == id ? at->second : nullptr;
}

// ---- Published names ------------------------------------------------------------------------------------------------

// Skips damaged records, which are already findings about their bundle.
template <class Visit>
void visit_published(const SetMember& member, const std::stop_token& stop, const Visit& visit) {
    for (std::uint32_t i = 0; i < member.bundle->name_count() && !stop.stop_requested(); ++i) {
        const auto name = member.bundle->name(NameIndex{i});
        if (!name || !name->is(NameRecord::published))
            continue;
        if (const auto text = member.bundle->string(name->text))
            visit(*name, *text);
    }
}

std::vector<std::string_view> gather_published(std::span<const SetMember> members, const std::stop_token& stop) {
    std::vector<std::string_view> published;
    for (const SetMember& member : members)
        visit_published(member, stop, [&](const NameRecord& name, std::string_view text) {
            if (!name.is(NameRecord::tombstone))
                published.push_back(text);
        });
    std::ranges::sort(published);
    return published;
}

using Publisher = std::pair<std::string_view, const SetMember*>;  // a name, and one of those that publish it

void check_scope(std::string_view name, const SetMember& member, std::span<const Publisher> publishers,
                 VerifyFindings& findings) {
    if (!member.scope || member.scope->may_override(name))
        return;
    const auto other =
        std::ranges::find_if(publishers, [&](const Publisher& one) { return member.yields(name, *one.second); });
    if (other != publishers.end())
        findings.add(VerifierRule::name_of_another_rule, member.label,
                     quoted(name) + " is published by " + other->second->label + ", too; the rule " +
                         printable(member.scope->rule.pattern) +
                         " lets it add names and not override. Add override=PATTERN to the rule to allow it");
}

// Names that a rule lets a bundle add only, and that a bundle under another rule publishes, too.
void check_scopes(std::span<const SetMember> members, const std::stop_token& stop, VerifyFindings& findings) {
    if (std::ranges::none_of(members, [](const SetMember& member) { return member.scope.has_value(); }))
        return;
    std::vector<Publisher> names;
    for (const SetMember& member : members)
        visit_published(member, stop, [&](const NameRecord&, std::string_view text) {
            if (!text.empty() && (!member.scope || member.scope->may_publish(text)))
                names.emplace_back(text, &member);
        });
    std::ranges::stable_sort(names, {}, &Publisher::first);
    for (auto first = names.begin(); first != names.end();) {
        const auto last = std::find_if(first, names.end(), [&](const auto& one) { return one.first != first->first; });
        for (auto at = first; at != last; ++at)
            check_scope(at->first, *at->second, {first, last}, findings);
        first = last;
    }
}

// ---- What a member expects of the others ----------------------------------------------------------------------------

void check_dependencies(const SetMember& member, const MembersById& by_id, VerifyFindings& findings) {
    for (std::uint32_t i = 0; i < member.bundle->table_count(TableKind::dependencies); ++i) {
        const auto dependency = member.bundle->dependency(i);
        if (!dependency || find_member(by_id, dependency->bundle))
            continue;
        const auto name = member.bundle->string(dependency->name);
        const std::string what = (name && !name->empty() ? quoted(*name) + ", " : "") + std::string("bundle ") +
                                 dependency->bundle.hex() + ", is not in the set";
        const bool is_static = (dependency->flags & DependencyRecord::is_static) != 0;
        findings.add(is_static ? VerifierRule::dependency_missing : VerifierRule::dependency_absent,
                     location(member, TableKind::dependencies, i), what + (is_static ? "; add it" : ""));
    }
}

void check_foreign_assets(const SetMember& member, const MembersById& by_id, VerifyFindings& findings) {
    for (std::uint32_t i = 0; i < member.bundle->table_count(TableKind::foreign_assets); ++i) {
        const auto foreign = member.bundle->foreign_asset(i);
        const auto dependency =
            foreign ? member.bundle->dependency(foreign->dependency) : Result<DependencyRecord>(DependencyRecord{});
        if (!foreign || !dependency)
            continue;
        const SetMember* holder = find_member(by_id, dependency->bundle);
        if (!holder)
            continue;  // reported by check_dependencies()
        const auto found = holder->bundle->find_asset(foreign->id);
        if (found && !found->has_value())
            findings.add(VerifierRule::foreign_asset_missing, location(member, TableKind::foreign_assets, i),
                         "asset " + foreign->id.hex() + " is not in " + holder->label + ", its dependency");
    }
}

// What a requirement cannot be read from is a finding about its bundle.
void check_requirements(const SetMember& member, const NamedBundles& members, VerifyFindings& findings) {
    const auto requirements = requirements_of(*member.bundle);
    if (!requirements)
        return;
    for (const Requirement& requirement : *requirements)
        if (const Status met = members.verify_meet(requirement); !met)
            findings.add(VerifierRule::requirement_unmet, member.label, met.error().message());
}

struct Consume {
    std::uint32_t record = 0;
    std::string_view text;
    bool optional = false;
    bool is_pattern = false;
    bool met = false;  // the set publishes the name, or one that matches
};

// Returns what the member consumes, up to the first pattern that is beyond the limit, which is a finding about the
// bundle.
std::vector<Consume> read_consumes(const SetMember& member) {
    std::vector<Consume> consumes;
    std::size_t pattern_bytes = 0;
    for (std::uint32_t i = 0; i < member.bundle->table_count(TableKind::consumes); ++i) {
        const auto consume = member.bundle->consume(i);
        const auto text = consume ? member.bundle->string(consume->text) : Result<std::string_view>(std::string_view());
        if (!consume || !text)
            continue;
        const bool is_pattern = (consume->flags & ConsumeRecord::pattern) != 0;
        pattern_bytes += is_pattern ? text->size() : 0;
        if (pattern_bytes > kGlobSetBytesMax)
            break;
        consumes.push_back({i, *text, (consume->flags & ConsumeRecord::optional) != 0, is_pattern});
    }
    return consumes;
}

// Compares all patterns in one pass over the names.
void match_patterns(std::span<Consume> consumes, std::span<const std::string_view> published,
                    const std::stop_token& stop) {
    std::vector<std::string> patterns;
    for (const Consume& one : consumes)
        if (one.is_pattern)
            patterns.emplace_back(one.text);
    if (patterns.empty())
        return;
    std::vector<bool> matched(patterns.size());
    const GlobSet globs(patterns);
    const std::string_view start = common_start(patterns);
    auto at = std::ranges::lower_bound(published, start);
    for (; at != published.end() && at->starts_with(start) && !stop.stop_requested(); ++at)
        globs.find_matches(*at, matched);
    std::size_t pattern = 0;
    for (Consume& one : consumes)
        if (one.is_pattern)
            one.met = matched[pattern++];
}

void check_consumes(const SetMember& member, std::span<const std::string_view> published, const std::stop_token& stop,
                    VerifyFindings& findings) {
    std::vector<Consume> consumes = read_consumes(member);
    match_patterns(consumes, published, stop);
    for (const Consume& one : consumes) {
        if (stop.stop_requested())
            return;
        if (one.met || (!one.is_pattern && std::ranges::binary_search(published, one.text)))
            continue;
        findings.add(one.optional ? VerifierRule::consume_optional_unresolved : VerifierRule::consume_unresolved,
                     location(member, TableKind::consumes, one.record),
                     quoted(one.text) + (one.is_pattern ? " matches no name that a bundle of the set publishes"
                                                        : " is published by no bundle of the set"));
    }
}

void check_set(std::span<const SetMember> members, const std::stop_token& stop, VerifyFindings& findings) {
    const MembersById by_id = sort_by_id(members, findings);
    const std::vector<std::string_view> published = gather_published(members, stop);
    check_scopes(members, stop, findings);
    check_set_names(members, stop, findings);
    NamedBundles named;
    for (const SetMember& member : members)
        named.add(*member.bundle);
    for (const SetMember& member : members) {
        if (stop.stop_requested())
            return;
        check_dependencies(member, by_id, findings);
        check_foreign_assets(member, by_id, findings);
        check_consumes(member, published, stop, findings);
        check_requirements(member, named, findings);
    }
}

}  // namespace

bool VerifySetReport::good() const noexcept {
    return found.errors == 0 && std::ranges::all_of(bundles, &VerifyReport::good);
}

Result<VerifySetReport> verify_set(std::span<const VerifyInput> inputs, const VerifyOptions& options) {
    VerifySetReport report;
    VerifyFindings findings(options.findings_max);
    std::vector<SetMember> members;
    for (const VerifyInput& input : inputs) {
        FARDEL_TRY_ASSIGN(VerifyReport one, verify_bundle(input.source, options));
        // verify_bundle() has judged the signatures; here the bundle only has to be readable.
        auto bundle = Bundle::open(input.source, {});
        const auto& verdict = one.trailer.verdict;
        if (bundle)
            members.push_back({std::move(bundle).value(), printable(input.label),
                               verdict && verdict->rule ? find_name_scope(*verdict->rule) : std::nullopt});
        else
            findings.add(VerifierRule::set_bundle_unusable, printable(input.label),
                         "it cannot be opened, so its published names are not considered: " + bundle.error().message());
        report.bundles.push_back(std::move(one));
    }
    check_set(members, options.stop, findings);
    if (options.stop.stop_requested())
        return Error(ErrorCode::cancelled, "the verification was stopped");
    report.found = findings.counts();
    report.findings = findings.take();
    return report;
}

}  // namespace fardel
