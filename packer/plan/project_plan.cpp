#include <fardel/packer/project_plan.h>

#include "plan/resolve_packed.h"
#include "plan_requirements.h"
#include "project/plan_metadata.h"

#include <fardel/format/bundle.h>
#include <fardel/format/content_type.h>
#include <fardel/format/printable.h>
#include <fardel/packer/project_path.h>
#include <fardel/sources/entry_plan.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/sources/secret_files.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace fardel {
namespace {

// The result of all rules for one file.
struct Decision {
    bool publish = true;
    bool extends = false;
    std::string name;
    std::string content_type;  // empty: as detected
    Tags tags;
    std::vector<PlannedMetadata> metadata;
    bool dynamic = false;
    std::optional<BundlePurpose> purpose;
    std::size_t order = 0;  // of the last rule with tags, from 1; 0: no rule
};

// ---- Rules for one file ---------------------------------------------------------------------------------------------

Status strip(const ProjectRule& rule, std::string_view file, std::string& name) {
    const std::size_t at = name.find(rule.strip);
    // Which of several occurrences was meant could only be guessed.
    if (at == std::string::npos || name.find(rule.strip, at + 1) != std::string::npos)
        return Error(ErrorCode::conflict, in_quotes(rule.strip) + " is " +
                                              (at == std::string::npos ? "not" : "more than once") + " in the name " +
                                              in_quotes(name) + " of the file " + in_quotes(file) +
                                              "; make 'match' narrower, or 'strip' longer");
    name.erase(at, rule.strip.size());
    return ok();
}

// `order`: the number of the rule, from 1.
Status apply(const ProjectRule& rule, std::size_t order, std::string_view file, Decision& decision) {
    decision.publish = rule.publish.value_or(decision.publish);
    decision.extends = rule.extends.value_or(decision.extends);
    decision.dynamic = rule.dynamic.value_or(decision.dynamic);
    if (rule.purpose)
        decision.purpose = rule.purpose;
    if (!rule.name.empty())
        decision.name = rule.name;
    if (!rule.strip.empty())
        FARDEL_TRY(strip(rule, file, decision.name));
    if (!rule.content_type.empty())
        decision.content_type = rule.content_type;
    for (const PlannedMetadata& item : rule.metadata)
        set_metadata(decision.metadata, item);
    if (!rule.tags.empty())
        decision.order = order;
    return ok();
}

// `used`: one per rule.
Result<Decision> decide(const Project& project, const ProjectFile& project_file, std::vector<bool>& used) {
    const std::string file = project_file.name.text();
    Decision decision{.name = file};
    decision.tags = tags_by_rules(project.rules, file, project_file.tags);
    for (std::size_t i = 0; i < project.rules.size(); ++i) {
        const ProjectRule& rule = project.rules[i];
        if (rule.exclude || !glob_matches(rule.match, file))
            continue;
        used[i] = true;
        if (Status applied = apply(rule, i + 1, file, decision); !applied)
            return std::move(applied).error().with_context(rule.at.text());
    }
    return decision;
}

// ---- Files that share a name ----------------------------------------------------------------------------------------

struct Member {
    std::uint32_t asset = 0;
    std::string file;  // its name in the sources
    Decision decision;
};

Error contradiction(const Member& a, const Member& b, std::string_view how) {
    return Error(ErrorCode::conflict,
                 "the files " + in_quotes(a.file) + " and " + in_quotes(b.file) + " " + std::string(how));
}

Status verify_pair(const Member& a, const Member& b) {
    if (a.decision.name != b.decision.name)
        return contradiction(a, b,
                             "would get the names " + in_quotes(a.decision.name) + " and " +
                                 in_quotes(b.decision.name) + ", which differ only in case; rename one");
    if (a.decision.publish != b.decision.publish || a.decision.extends != b.decision.extends)
        return contradiction(
            a, b,
            "share the name " + in_quotes(a.decision.name) +
                ", and the rules publish or extend it for one of them only; make the rules match both");
    if (a.decision.dynamic != b.decision.dynamic)
        return contradiction(a, b,
                             "share the name " + in_quotes(a.decision.name) +
                                 ", and the rules make it dynamic for one of them only; make the rules match both");
    return ok();
}

// The first variant is the default: one without tags comes first, then the variants in the order of the rules.
Result<PlannedName> plan_name(std::vector<Member>& members) {
    std::ranges::stable_sort(members, [](const Member& a, const Member& b) {
        return std::pair(!a.decision.tags.empty(), a.decision.order) <
               std::pair(!b.decision.tags.empty(), b.decision.order);
    });
    std::map<Tags, const Member*> by_tags;
    const Member& first = members.front();
    FARDEL_TRY_ASSIGN(AssetName parsed, AssetName::parse(first.decision.name));
    PlannedName name{.name = std::move(parsed), .published = first.decision.publish, .extends = first.decision.extends};
    for (const Member& member : members) {
        FARDEL_TRY(verify_pair(first, member));
        const auto placed = by_tags.emplace(member.decision.tags, &member);
        if (!placed.second)
            return contradiction(*placed.first->second, member,
                                 "share the name " + in_quotes(first.decision.name) +
                                     " and have the same tags; give one other tags in a [[rule]]");
        name.variants.push_back({.tags = member.decision.tags, .asset = member.asset});
    }
    return name;
}

// ---- All names ------------------------------------------------------------------------------------------------------

using Groups = std::map<std::string, std::vector<Member>>;  // by folded name

Status verify_folders(const Groups& groups, const std::string& folded, std::string_view name) {
    for (std::size_t at = folded.find('/'); at != std::string::npos; at = folded.find('/', at + 1))
        if (const auto file = groups.find(folded.substr(0, at)); file != groups.end())
            return Error(ErrorCode::conflict, in_quotes(name) + " would be inside " +
                                                  in_quotes(file->second.front().decision.name) +
                                                  ", which is the name of the file " +
                                                  in_quotes(file->second.front().file) + "; rename one of them");
    return ok();
}

Status add_tombstones(const Project& project, const Groups& groups, BundlePlan& plan) {
    for (const AssetName& name : project.tombstones) {
        const std::string folded = fold_name(name.view());
        if (const auto group = groups.find(folded); group != groups.end())
            return Error(ErrorCode::conflict, printable(project.file) + ": 'tombstones' has " + in_quotes(name.view()) +
                                                  ", and the file " + in_quotes(group->second.front().file) +
                                                  " has that name; remove one of the two");
        const auto below = groups.lower_bound(folded + "/");
        if (below != groups.end() && below->first.starts_with(folded + "/"))
            return Error(ErrorCode::conflict, printable(project.file) + ": 'tombstones' has " + in_quotes(name.view()) +
                                                  ", which is a folder here; tombstones are for files");
        FARDEL_TRY(verify_folders(groups, folded, name.view()));
        plan.names.push_back({.name = name});
    }
    return ok();
}

PlannedAsset plan_asset(ProjectFile& file, const Decision& decision) {
    PlannedAsset asset{
        .source = std::move(file.blob), .key = file.name.shared_text(), .content_type = std::move(file.content_type)};
    if (!decision.content_type.empty())
        asset.content_type = decision.content_type;
    // Large images are streamed, too: pieces of 256 KiB take 2 % less space, and such files are read and replaced as a
    // whole.
    asset.streamed = is_streamed(asset.content_type, file.size_bytes);
    asset.purpose = decision.purpose;
    asset.metadata = decision.metadata;
    if (file.asset)
        asset.known = PlannedAsset::Known{.asset = *file.asset, .size_bytes = file.size_bytes};
    return asset;
}

using JobReferences = std::map<std::uint32_t, std::vector<FoundReference>>;  // by asset

Status apply_rules(const Project& project, std::vector<ProjectFile> files, PackPlan& packed,
                   JobReferences& job_references, std::set<std::string>& dynamic_names, std::vector<bool>& used) {
    BundlePlan& plan = packed.plan;
    Groups groups;
    std::map<std::string, std::string> not_chosen;  // names by their folded form
    for (ProjectFile& file : files) {
        const std::string name = file.name.text();
        FARDEL_TRY_ASSIGN(Decision decision, decide(project, file, used));
        if (project.target && !has_variant(*project.target, decision.tags)) {
            not_chosen.emplace(fold_name(decision.name), decision.name);
            continue;
        }
        if (const Status good = verify_name(decision.name); !good)
            return Error(good.error())
                .with_context("the file " + in_quotes(name) + " would get the name " + in_quotes(decision.name));
        const auto index = static_cast<std::uint32_t>(plan.assets.size());
        plan.assets.push_back(plan_asset(file, decision));
        packed.files.push_back({.size_bytes = file.size_bytes, .listed = file.listed});
        if (!file.references.empty())
            job_references.emplace(index, std::move(file.references));
        std::string folded = fold_name(decision.name);
        groups[std::move(folded)].push_back({.asset = index, .file = name, .decision = std::move(decision)});
    }
    for (const auto& [folded, name] : not_chosen)
        if (!groups.contains(folded))
            packed.names_not_chosen.push_back(printable(name));
    for (auto group = groups.begin(); group != groups.end(); ++group) {
        FARDEL_TRY_ASSIGN(PlannedName name, plan_name(group->second));
        FARDEL_TRY(verify_folders(groups, group->first, name.name.view()));
        if (group->second.front().decision.dynamic)
            dynamic_names.insert(name.name.text());
        plan.names.push_back(std::move(name));
    }
    return add_tombstones(project, groups, plan);
}

// ---- Dependencies ---------------------------------------------------------------------------------------------------

using Bundles = std::vector<std::shared_ptr<const Bundle>>;

Result<PlannedDependency> plan_dependency(const ProjectDependency& dependency, const std::string& folder,
                                          Bundles& opened) {
    PlannedDependency planned{
        .name = dependency.name, .version = dependency.version.text(), .is_static = dependency.is_static};
    if (dependency.bundle) {
        planned.bundle = *dependency.bundle;
        return planned;
    }
    const std::string path = path_in_project(folder, dependency.file);
    FARDEL_TRY_ASSIGN(auto source, open_file_source(path));
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(std::move(source), {.label = printable(path)}));
    planned.bundle = bundle->id();
    if (planned.is_static)
        opened.push_back(bundle);
    FARDEL_TRY_ASSIGN(const auto name, bundle->find_bundle_text("name"));
    FARDEL_TRY_ASSIGN(const auto version, bundle->find_bundle_text("version"));
    if (planned.name.empty())
        planned.name = name.value_or("");
    if (planned.version.empty())
        planned.version = version.value_or("");
    return planned;
}

Status add_dependencies(const Project& project, const std::string& folder, BundlePlan& plan, Bundles& opened) {
    for (const ProjectDependency& dependency : project.dependencies) {
        Result<PlannedDependency> planned = plan_dependency(dependency, folder, opened);
        if (!planned)
            return std::move(planned).error().with_context("dependency").with_context(dependency.at.text());
        const auto earlier = std::ranges::find(plan.dependencies, planned->bundle, &PlannedDependency::bundle);
        if (earlier != plan.dependencies.end())
            return Error(ErrorCode::conflict, dependency.at.text() + ": the bundle " + planned->bundle.hex() +
                                                  " is a dependency already; remove one");
        plan.dependencies.push_back(*std::move(planned));
    }
    return ok();
}

// ---- References -----------------------------------------------------------------------------------------------------

// Adds the bundle's own names that the project consumes dynamically. What is not published cannot be found in the
// published tree, neither the bundle's asset nor one that replaces it.
Status add_dynamic_names(const Project& project, BundlePlan& plan, std::set<std::string>& names) {
    for (const PlannedName& name : plan.names) {
        const auto consumes = [&](const ProjectConsume& one) {
            return one.dynamic && glob_matches(one.text, name.name.view());
        };
        if (!name.variants.empty() && std::ranges::any_of(project.consumes, consumes))
            names.insert(name.name.text());
        if (!name.published && names.contains(name.name.text()))
            return Error(ErrorCode::conflict, printable(project.file) + ": the name " + in_quotes(name.name.view()) +
                                                  " is dynamic and not published, so that nothing would find it; "
                                                  "remove one of the two");
    }
    // A bundle consumes no name of its own.
    std::erase_if(plan.consumes, [&](const PlannedConsume& one) { return !one.pattern && names.contains(one.text); });
    return ok();
}

Status resolve_references(const Project& project, const std::string& folder, Bundles opened,
                          std::set<std::string> dynamic_names, PlanScanOptions scan, PackPlan& packed) {
    FARDEL_TRY(add_dynamic_names(project, packed.plan, dynamic_names));
    ResolveOptions options{.roots = project.references->roots,
                           .used = project.references->used,
                           .consumed = project.references->consumed,
                           .dependencies = std::move(opened),
                           .bases = project.references->bases,
                           .fold_case = project.references->fold_case,
                           .dynamic_names = std::move(dynamic_names)};
    FARDEL_TRY_ASSIGN(options.profile, load_profile(project, folder));
    for (const ProjectConsume& consume : project.consumes)
        options.consumed.push_back(consume.text);
    scan.scanners = project.scanners;
    scan.project_file = project.file;
    FARDEL_TRY(resolve_packed(packed, options, scan, *project.references));
    if (!project.split || project.split->policy == SplitPolicy::one || !project.split->axes.empty())
        return ok();
    auto parts = split_plan(packed.plan, packed.assets, *packed.resolved, *project.split);
    if (!parts)
        return std::move(parts).error().with_context(printable(project.file));
    packed.parts = *std::move(parts);
    return ok();
}

// ---- The bundle -----------------------------------------------------------------------------------------------------

Status verify(const Project& project) {
    if (Status good = verify_name(project.name); !good)
        return std::move(good).error().with_context("bundle name");
    return ok();
}

// The name that a `match` beside a `name` means: "\\xHH" stands for a byte that cannot be written there.
std::string unescaped(std::string_view match) {
    std::string name;
    for (std::size_t i = 0; i < match.size(); ++i) {
        std::uint8_t byte = 0;
        const std::string_view digits = match.substr(std::min(i + 2, match.size()), 2);
        if (match.substr(i).starts_with("\\x") && digits.size() == 2 &&
            std::from_chars(digits.data(), digits.data() + 2, byte, 16).ptr == digits.data() + 2) {
            name += static_cast<char>(byte);
            i += 3;
        } else {
            name += match[i];
        }
    }
    return name;
}

ScanOptions scan_options(const Project& project, const std::string& folder) {
    ScanOptions options{.excludes = usual_excludes(), .names = project.pack.names};
    for (const std::string& root : project.pack.follow_links)
        options.link_roots.push_back(path_in_project(folder, root));
    options.excludes.insert(options.excludes.end(), project.excludes.begin(), project.excludes.end());
    for (const ProjectRule& rule : project.rules) {
        if (rule.exclude)
            options.excludes.push_back(rule.match);
        if (rule.name.empty())
            continue;
        options.renames[rule.match] = rule.name;
        options.renames[unescaped(rule.match)] = rule.name;
    }
    return options;
}

// Whether the scan has renamed a file by this rule.
bool has_renamed(const ProjectRule& rule, const ScanReport& report) {
    return !rule.name.empty() && std::ranges::any_of(report.renamed, [&](const RenamedFile& file) {
        return rule.name == file.name.view() &&
               (rule.match == file.printable_name || printable(unescaped(rule.match)) == file.printable_name);
    });
}

void add_metadata(const Project& project, BundlePlan& plan) {
    plan.metadata.push_back({.key = "name", .value = project.name});
    if (!project.version.empty())
        plan.metadata.push_back({.key = "version", .value = project.version.text()});
    add_requirements(plan, project.requirements);
    plan.metadata.insert(plan.metadata.end(), project.metadata.begin(), project.metadata.end());
}

}  // namespace

void set_tag(Tags& tags, const Tag& tag) {
    const auto at = std::ranges::lower_bound(tags, tag.axis, {}, &Tag::axis);
    if (at != tags.end() && at->axis == tag.axis)
        at->value = tag.value;
    else
        tags.insert(at, tag);
}

Tags tags_by_rules(const std::vector<ProjectRule>& rules, std::string_view name, const Tags& given) {
    Tags tags;
    for (const Tag& tag : given)
        set_tag(tags, tag);
    for (const ProjectRule& rule : rules)
        if (!rule.tags.empty() && !rule.exclude && glob_matches(rule.match, name))
            for (const Tag& tag : rule.tags)
                set_tag(tags, tag);
    return tags;
}

std::vector<std::string> sources_of(const Project& project, const std::string& folder) {
    std::vector<std::string> sources;
    for (const std::string& source : project.sources)
        sources.push_back(path_in_project(folder, source));
    return sources;
}

Result<ScanResult> scan_project(const Project& project, const std::string& folder) {
    FARDEL_TRY_ASSIGN(ScanResult scan, scan_sources(sources_of(project, folder), scan_options(project, folder),
                                                    make_archive_reader().get()));
    FARDEL_TRY(refuse_secrets(scan, project.allowed_secrets));
    return scan;
}

Result<std::shared_ptr<const GameProfile>> load_profile(const Project& project, const std::string& folder) {
    if (!project.references)
        return std::shared_ptr<const GameProfile>();
    const ProjectReferences& references = *project.references;
    if (references.chosen_profile || references.profile.empty())
        return references.chosen_profile;
    auto profile = is_profile_file(references.profile)
                       ? read_game_profile(path_in_project(folder, references.profile), ProfileLinks::refused)
                       : find_game_profile(references.profile);
    if (!profile)
        return std::move(profile).error().with_context(printable(project.file) + ": [link] profile");
    return profile;
}

Result<PackPlan> plan_project_files(const Project& project, const std::string& folder, std::vector<ProjectFile> files,
                                    ScanReport report, PlanScanOptions scan) {
    FARDEL_TRY(verify(project));
    PackPlan packed{.report = std::move(report)};
    std::vector<bool> used(project.rules.size());
    std::set<std::string> dynamic_names;
    FARDEL_TRY(apply_rules(project, std::move(files), packed, scan.job_references, dynamic_names, used));
    Bundles opened;
    FARDEL_TRY(add_dependencies(project, folder, packed.plan, opened));
    packed.plan.consumes.assign(project.consumes.begin(), project.consumes.end());
    add_metadata(project, packed.plan);
    for (std::size_t i = 0; i < used.size(); ++i)
        if (!used[i] && !project.rules[i].exclude && !has_renamed(project.rules[i], packed.report))
            packed.idle_rules.push_back(project.rules[i].at.text() + ": " + printable(project.rules[i].match));
    if (project.target)
        std::ranges::copy(project.target->idle_tags, std::back_inserter(packed.idle_rules));
    if (project.references)
        FARDEL_TRY(
            resolve_references(project, folder, std::move(opened), std::move(dynamic_names), std::move(scan), packed));
    if (project.split && !project.split->axes.empty()) {
        FARDEL_TRY_ASSIGN(packed.parts, split_variants(packed.plan, packed.resolved ? &*packed.resolved : nullptr,
                                                       project.split->axes));
    }
    return packed;
}

}  // namespace fardel
