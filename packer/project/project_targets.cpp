#include "plan_metadata.h"
#include "project_tables.h"

#include <fardel/base/ascii.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kTargetsMax = 256;
constexpr std::size_t kTargetNameBytesMax = 64;
constexpr std::string_view kTargetVariable = "{target}";

// ---- [target.NAME] --------------------------------------------------------------------------------------------------

void read_target_name(const KeyValue& value, ProjectTarget& target) { value.read(target.bundle_name, verify_name); }

void read_target_metadata(const KeyValue& value, ProjectTarget& target) {
    read_bundle_metadata(value, target.metadata);
}

void read_target_budgets(const KeyValue& value, ProjectTarget& target) { read_budgets(value, target.budgets); }

constexpr Key<ProjectTarget> kTargetKeys[] = {
    {"name", read_target_name, "name = \"mygame-android\""},
    {"output", read_member<&ProjectTarget::output>, "output = \"build/android.fardel\""},
    {"metadata", read_target_metadata},
    {"budget", read_target_budgets},
};

bool is_list(const TomlEntry& entry) { return std::holds_alternative<std::vector<TomlValue>>(entry.value.value); }

Status verify_tag_value(std::string_view text) {
    return is_word(text)
               ? ok()
               : Status(Error(ErrorCode::malformed, "the value of a tag has only letters, digits and - _ . +"));
}

void read_axis(const KeyValue& value, ProjectTarget& target) {
    TargetAxis axis{.axis = value.entry.key, .values = {}};
    value.read(axis.values, verify_tag_value);
    if (std::get<std::vector<TomlValue>>(value.entry.value.value).empty())
        value.mistake(in_short_quotes(axis.axis) + " is empty; write " + std::string(value.example));
    target.axes.push_back(std::move(axis));
}

// A key with a list is an axis, whatever its name, and the other keys have no lists. So each axis can be named.
void read_target_table(const TomlTable& table, const std::string& where, ProjectTarget& target, Mistakes& mistakes) {
    TomlTable own;
    for (const TomlEntry& entry : table) {
        const bool is_own =
            std::ranges::find(kTargetKeys, entry.key, &Key<ProjectTarget>::name) != std::end(kTargetKeys);
        const std::string example =
            printable(entry.key, 80) + " = [\"astc\"], the values that players of the target can choose";
        if (is_list(entry))
            read_axis({entry, example, mistakes}, target);
        else if (is_own || !std::holds_alternative<std::string>(entry.value.value) || !is_word(entry.key))
            own.push_back(entry);
        else
            mistakes.add(entry.value.at,
                         in_short_quotes(entry.key) + " is a text; an axis has a list of values: " + entry.key +
                             " = [\"…\"]. The other keys of a target are: name, output, metadata, budget");
    }
    read_table<ProjectTarget>(own, where, kTargetKeys, target, mistakes);
}

void read_target(const TomlEntry& entry, Project& project, Mistakes& mistakes) {
    const auto* const table = KeyValue{entry, "[target.android] above its keys", mistakes}.expect<TomlTable>();
    if (!table)
        return;
    // It becomes a part of paths.
    if (!is_word(entry.key) || entry.key.size() > kTargetNameBytesMax || !verify_name(entry.key))
        mistakes.add(entry.at, in_short_quotes(entry.key) + " is not a name for a target: 1 to " +
                                   std::to_string(kTargetNameBytesMax) +
                                   " letters, digits and - _ . +; write [target.android]");
    ProjectTarget target{.name = entry.key, .at = mistakes.position(entry.at)};
    read_target_table(*table, "in [target." + printable(entry.key, 80) + "]", target, mistakes);
    project.targets.push_back(std::move(target));
}

// ---- Names that must exist ------------------------------------------------------------------------------------------

std::vector<std::string_view> names_of_targets(const Project& project) {
    std::vector<std::string_view> names;
    for (const ProjectTarget& target : project.targets)
        if (is_word(target.name))  // any other name is a mistake, and not safe to show
            names.push_back(target.name);
    return names;
}

std::string no_such_target(std::string_view name, const std::vector<std::string_view>& names) {
    return "there is no target " + in_short_quotes(name) + "; " +
           (names.empty() ? "the project has no [target.NAME]" : suggest_word(name, names, "the targets are: "));
}

// `keys`: of an item that may count for some targets only.
void check_target_names(const TomlTable& keys, const std::vector<std::string_view>& names, Mistakes& mistakes) {
    const TomlEntry* const targets = find_entry(keys, "targets");
    if (targets == nullptr || !is_list(*targets))
        return;
    for (const TomlValue& item : std::get<std::vector<TomlValue>>(targets->value.value))
        if (const auto* const name = std::get_if<std::string>(&item.value);
            name && !name->empty() && std::ranges::find(names, *name) == names.end())
            mistakes.add(item.at, no_such_target(*name, names));
}

void check_all_target_names(const TomlTable& table, const Project& project, Mistakes& mistakes) {
    const auto names = names_of_targets(project);
    for (const std::string_view list : {"rule", "job", "consume", "dependency"})
        if (const TomlEntry* const entry = find_entry(table, list); entry && is_list(*entry))
            for (const TomlValue& item : std::get<std::vector<TomlValue>>(entry->value.value))
                if (const auto* const keys = std::get_if<TomlTable>(&item.value))
                    check_target_names(*keys, names, mistakes);
    const TomlEntry* const processors = find_entry(table, "processor");
    const auto* const named = processors ? std::get_if<TomlTable>(&processors->value.value) : nullptr;
    for (const TomlEntry& processor : named ? *named : TomlTable())
        if (const auto* const keys = std::get_if<TomlTable>(&processor.value.value))
            check_target_names(*keys, names, mistakes);
}

// ---- Axes -----------------------------------------------------------------------------------------------------------

using KnownTags = std::map<std::string, std::vector<std::string>, std::less<>>;  // values by axis

KnownTags tags_of_project(const Project& project) {
    KnownTags known;
    const auto add = [&](const Tags& tags) {
        for (const Tag& tag : tags)
            known[tag.axis].push_back(tag.value);
    };
    for (const ProjectRule& rule : project.rules)
        add(rule.tags);
    for (const Processor& processor : project.processors)
        add(processor.tags);
    return known;
}

std::string no_such_axis(std::string_view axis, const KnownTags& known) {
    std::vector<std::string_view> axes;
    for (const auto& item : known)
        axes.push_back(item.first);
    return "no rule or processor gives files a tag of the axis " + in_short_quotes(axis) + "; " +
           (axes.empty() ? "write tags = { " + printable(axis, 80) + " = \"…\" } in a [[rule]]"
                         : suggest_word(axis, axes, "the axes are: "));
}

// A value that nothing has yet is no mistake, but may be misspelt, so it is reported like a rule that matches nothing.
void check_axes(const TomlTable& table, Project& project, Mistakes& mistakes) {
    const KnownTags known = tags_of_project(project);
    const TomlTable& tables = std::get<TomlTable>(find_entry(table, "target")->value.value);
    for (ProjectTarget& target : project.targets)
        for (const TargetAxis& axis : target.axes) {
            const auto values = known.find(axis.axis);
            const TomlTable& keys = std::get<TomlTable>(find_entry(tables, target.name)->value.value);
            const TomlPosition at = find_entry(keys, axis.axis)->at;
            if (values == known.end()) {
                mistakes.add(at, no_such_axis(axis.axis, known));
                continue;
            }
            for (const std::string& value : axis.values)
                if (std::ranges::find(values->second, value) == values->second.end())
                    target.idle_tags.push_back(mistakes.position(at).text() + ": the tag " + axis.axis + "=" + value +
                                               " of the target " + target.name);
        }
}

// ---- Outputs --------------------------------------------------------------------------------------------------------

std::string with_target(std::string text, const std::string& target) {
    for (std::size_t at = text.find(kTargetVariable); at != std::string::npos;
         at = text.find(kTargetVariable, at + target.size()))
        text.replace(at, kTargetVariable.size(), target);
    return text;
}

std::string output_for(const Project& project, const ProjectTarget& target) {
    const std::string& output = target.output.empty() ? project.output : target.output;
    if (!output.empty())
        return with_target(output, target.name);
    return project.name.substr(project.name.rfind('/') + 1) + "-" + target.name + ".fardel";
}

void check_outputs(const TomlTable& table, const Project& project, Mistakes& mistakes) {
    std::map<std::string, std::string_view> targets;  // by folded output
    for (const ProjectTarget& target : project.targets) {
        const std::string output = output_for(project, target);
        const auto [other, is_new] = targets.emplace(fold_name(output), target.name);
        if (is_new)
            continue;
        const TomlEntry* const at = find_entry(table, "output");
        return mistakes.add(at ? at->value.at : find_entry(table, "target")->at,
                            "the targets " + in_short_quotes(other->second) + " and " + in_short_quotes(target.name) +
                                " would both be written to " + in_short_quotes(output) +
                                "; write output = \"build/{target}/game.fardel\"");
    }
    if (project.targets.empty() && project.output.find(kTargetVariable) != std::string::npos)
        mistakes.add(find_entry(table, "output")->value.at,
                     "'output' has {target}, and the project has no targets; write [target.android] above the keys of "
                     "each, or remove {target}");
}

// ---- What counts for a target ---------------------------------------------------------------------------------------

template <class Item>
void remove_others(std::vector<Item>& items, const std::string& target) {
    std::erase_if(items, [&](const Item& item) {
        return !item.targets.empty() && std::ranges::find(item.targets, target) == item.targets.end();
    });
}

// Also removes what names a processor that the target does not have.
void remove_other_processors(Project& project, const std::string& target) {
    remove_others(project.processors, target);
    const auto is_absent = [&](const std::string& name) {
        return std::ranges::find(project.processors, name, &Processor::name) == project.processors.end();
    };
    for (ProjectRule& rule : project.rules)
        std::erase_if(rule.process, is_absent);
    std::erase_if(project.jobs, [&](const ProjectJob& job) { return is_absent(job.processor); });
}

}  // namespace

void read_targets(const KeyValue& value, Project& project) {
    const auto* const table = value.expect<TomlTable>();
    if (!table)
        return;
    if (table->size() > kTargetsMax)
        return value.mistakes.add(
            value.entry.at,
            "there are " + std::to_string(table->size()) + " targets; at most " + std::to_string(kTargetsMax),
            ErrorCode::limit);
    for (const TomlEntry& item : *table)
        read_target(item, project, value.mistakes);
}

void read_target_names(const KeyValue& value, std::vector<std::string>& names) {
    const KeyValue list{value.entry, "targets = [\"android\"]", value.mistakes};
    const std::size_t before = value.mistakes.count();
    list.read(names);
    if (names.empty() && value.mistakes.count() == before)
        value.mistake("'targets' is empty; write targets = [\"android\"], or remove it: then it counts for all");
}

void check_targets(const TomlTable& table, Project& project, Mistakes& mistakes) {
    check_all_target_names(table, project, mistakes);
    if (!project.targets.empty())
        check_axes(table, project, mistakes);
    check_outputs(table, project, mistakes);
}

void check_split_axes(const TomlTable& table, const Project& project, Mistakes& mistakes) {
    const KnownTags known = tags_of_project(project);
    for (const SplitAxis& one : project.split ? project.split->axes : std::vector<SplitAxis>())
        if (!known.contains(one.axis))
            mistakes.add(find_entry(table, "split")->at, no_such_axis(one.axis, known));
        else if (const auto& values = known.find(one.axis)->second;
                 !one.value.empty() && std::ranges::find(values, one.value) == values.end())
            mistakes.add(find_entry(table, "split")->at, "no rule or processor gives files the tag " + one.axis + "=" +
                                                             one.value + "; write tags = { " + one.axis + " = \"" +
                                                             one.value + "\" } in a [[rule]]");
}

Result<std::vector<std::string>> find_targets(const Project& project, const std::vector<std::string>& names) {
    const auto known = names_of_targets(project);
    for (const std::string& name : names)
        if (std::ranges::find(known, name) == known.end())
            return Error(ErrorCode::malformed, printable(project.file) + ": " + no_such_target(name, known));
    std::vector<std::string> found;
    for (const std::string_view name : known)
        if (names.empty() || std::ranges::find(names, name) != names.end())
            found.emplace_back(name);
    if (found.empty())
        found.emplace_back();
    return found;
}

Result<Project> project_for(Project project, const std::string& target) {
    FARDEL_TRY_ASSIGN(const auto found, find_targets(project, target.empty() ? std::vector<std::string>()
                                                                             : std::vector<std::string>{target}));
    if (found.size() > 1) {
        std::string list;
        for (const std::string& name : found)
            list += (list.empty() ? "" : ", ") + name;
        return Error(ErrorCode::malformed, printable(project.file) + ": the project has several targets (" + list +
                                               "), and this is about one; choose it with --target");
    }
    if (found.front().empty())
        return project;
    const ProjectTarget chosen = *std::ranges::find(project.targets, found.front(), &ProjectTarget::name);
    remove_others(project.rules, chosen.name);
    remove_others(project.jobs, chosen.name);
    remove_others(project.consumes, chosen.name);
    remove_others(project.dependencies, chosen.name);
    remove_other_processors(project, chosen.name);
    project.output = output_for(project, chosen);
    if (!chosen.bundle_name.empty())
        project.name = chosen.bundle_name;
    for (const PlannedMetadata& item : chosen.metadata)
        set_metadata(project.metadata, item);
    if (!chosen.budgets.empty())
        project.budgets = chosen.budgets;
    project.target = chosen;
    return project;
}

bool has_variant(const ProjectTarget& target, const Tags& tags) {
    return std::ranges::all_of(tags, [&](const Tag& tag) {
        const auto axis = std::ranges::find(target.axes, tag.axis, &TargetAxis::axis);
        return axis == target.axes.end() || std::ranges::find(axis->values, tag.value) != axis->values.end();
    });
}

}  // namespace fardel
