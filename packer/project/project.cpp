#include <fardel/packer/project.h>

#include "project_caches.h"
#include "project_processors.h"
#include "project_reader.h"
#include "project_references.h"

#include <fardel/base/ascii.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <span>

namespace fardel {
namespace {

// ---- [[rule]] -------------------------------------------------------------------------------------------------------

bool is_media_type(std::string_view text) {
    const auto is_part = [](std::string_view part) {
        return !part.empty() && part.size() <= 127 &&
               part.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789!#$&-^_.+") == std::string_view::npos &&
               part.find_first_of("!#$&-^_.+") != 0;
    };
    const std::size_t slash = text.find('/');
    return slash != std::string_view::npos && is_part(text.substr(0, slash)) && is_part(text.substr(slash + 1));
}

void read_match(const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) {
    read_text(entry, "match = \"textures/**\"", rule.match, mistakes);
    if (rule.match.empty())
        return;
    if (const Status good = verify_glob(rule.match); !good)
        mistakes.add(entry.value.at, in_short_quotes(rule.match), good.error());
}

void read_exclude_rule(const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) {
    read_truth(entry, rule.exclude, mistakes);
    if (std::holds_alternative<bool>(entry.value.value) && !rule.exclude)
        mistakes.add(entry.value.at,
                     "a rule cannot bring back what another one excludes; write exclude = true, or remove it");
}

void read_new_name(const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) {
    read_text(entry, "name = \"readme.txt\"", rule.name, mistakes);
    if (rule.name.empty())
        return;
    if (const Status good = verify_name(rule.name); !good)
        mistakes.add(entry.value.at, in_short_quotes(rule.name), good.error());
}

void read_content_type(const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) {
    read_text(entry, "content_type = \"image/png\"", rule.content_type, mistakes);
    if (!rule.content_type.empty() && !is_media_type(rule.content_type))
        mistakes.add(entry.value.at, in_short_quotes(rule.content_type) +
                                         " is not a content type; write content_type = \"image/png\": type/subtype, in "
                                         "lower case, without parameters");
}

constexpr Key<ProjectRule> kRuleKeys[] = {
    {"match", read_match},
    {"exclude", read_exclude_rule},
    {"publish",
     [](const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) { read_truth(entry, rule.publish, mistakes); }},
    {"extends",
     [](const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) { read_truth(entry, rule.extends, mistakes); }},
    {"name", read_new_name},
    {"strip", [](const TomlEntry& entry, ProjectRule& rule,
                 Mistakes& mistakes) { read_text(entry, "strip = \"@hd\"", rule.strip, mistakes); }},
    {"content_type", read_content_type},
    {"tags",
     [](const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) { read_tags(entry, rule.tags, mistakes); }},
    {"process", read_rule_processors},
    {"metadata", [](const TomlEntry& entry, ProjectRule& rule,
                    Mistakes& mistakes) { read_metadata(entry, rule.metadata, mistakes); }},
};

void finish_rule(ProjectRule& rule, TomlPosition at, Mistakes& mistakes) {
    rule.line = at.line;
    const bool acts = rule.publish || rule.extends || !rule.name.empty() || !rule.strip.empty() ||
                      !rule.content_type.empty() || !rule.tags.empty() || !rule.metadata.empty() ||
                      !rule.process.empty();
    if (rule.match.empty())
        mistakes.add(at, "this [[rule]] has no valid 'match'; write match = \"textures/**\"");
    if (!acts && !rule.exclude)
        mistakes.add(at, "this [[rule]] does nothing; write an effect, such as publish = false or exclude = true");
    if (acts && rule.exclude)
        mistakes.add(
            at, "this [[rule]] excludes files and has other effects too; make it two rules, or remove one of the two");
    if (!rule.name.empty() && !rule.strip.empty())
        mistakes.add(at, "this [[rule]] has 'name' and 'strip'; write one of them");
    if (!rule.name.empty() && is_pattern(rule.match))
        mistakes.add(at, "'name' is for one file, and " + in_short_quotes(rule.match) +
                             " is a pattern; write strip = \"…\", the text to remove from each name");
    for (const PlannedMetadata& item : rule.metadata)
        if ((item.key == "name" || item.key == "version") && !std::holds_alternative<std::string>(item.value))
            mistakes.add(at, "metadata " + in_short_quotes(item.key) + " is a text; write it in quotes");
}

// ---- [[consume]] ----------------------------------------------------------------------------------------------------

constexpr Key<PlannedConsume> kConsumeKeys[] = {
    {"name",
     [](const TomlEntry& entry, PlannedConsume& consume, Mistakes& mistakes) {
         read_text(entry, "name = \"textures/base/**\"", consume.text, mistakes);
         if (consume.text.empty())
             return;
         consume.pattern = is_pattern(consume.text);
         if (const Status good = consume.pattern ? verify_glob(consume.text) : verify_name(consume.text); !good)
             mistakes.add(entry.value.at, in_short_quotes(consume.text), good.error());
     }},
    {"optional", [](const TomlEntry& entry, PlannedConsume& consume,
                    Mistakes& mistakes) { read_truth(entry, consume.optional, mistakes); }},
};

void finish_consume(PlannedConsume& consume, TomlPosition at, Mistakes& mistakes) {
    if (consume.text.empty())
        mistakes.add(at, "this [[consume]] has no valid 'name'; write name = \"textures/base/**\"");
}

// ---- [[dependency]] -------------------------------------------------------------------------------------------------

void read_name(const TomlEntry& entry, std::string& target, Mistakes& mistakes) {
    read_text(entry, "name = \"mygame\"", target, mistakes);
    if (target.empty())
        return;
    if (const Status good = verify_name(target); !good)
        mistakes.add(entry.value.at, "bundle name " + in_short_quotes(target), good.error());
}

void read_version(const TomlEntry& entry, BundleVersion& target, Mistakes& mistakes) {
    if (const auto* const text =
            expect_text(entry.value, entry.key, "version = \"1.0\"", mistakes, limits::kVersionBytesMax)) {
        if (auto version = BundleVersion::parse(*text))
            target = *std::move(version);
        else
            mistakes.add(entry.value.at, version.error().message());
    }
}

constexpr Key<ProjectDependency> kDependencyKeys[] = {
    {"file", [](const TomlEntry& entry, ProjectDependency& dependency,
                Mistakes& mistakes) { read_text(entry, "file = \"../base/base.fardel\"", dependency.file, mistakes); }},
    {"id",
     [](const TomlEntry& entry, ProjectDependency& dependency, Mistakes& mistakes) {
         std::string text;
         read_text(entry, "id = \"…\", what 'fardel id' prints", text, mistakes);
         if (text.empty())
             return;
         if (auto id = BundleId::parse(text))
             dependency.bundle = *id;
         else
             mistakes.add(entry.value.at,
                          in_short_quotes(text) +
                              " is not a bundle id; write the 64 hexadecimal digits that 'fardel id' prints");
     }},
    {"name", [](const TomlEntry& entry, ProjectDependency& dependency,
                Mistakes& mistakes) { read_name(entry, dependency.name, mistakes); }},
    {"version", [](const TomlEntry& entry, ProjectDependency& dependency,
                   Mistakes& mistakes) { read_version(entry, dependency.version, mistakes); }},
    {"static", [](const TomlEntry& entry, ProjectDependency& dependency,
                  Mistakes& mistakes) { read_truth(entry, dependency.is_static, mistakes); }},
};

void finish_dependency(ProjectDependency& dependency, TomlPosition at, Mistakes& mistakes) {
    dependency.line = at.line;
    if (dependency.file.empty() == !dependency.bundle)
        mistakes.add(at, "a [[dependency]] has either 'file' or 'id'; write file = \"../base/base.fardel\"");
}

// ---- The whole file -------------------------------------------------------------------------------------------------

Status verify_path(std::string_view) { return ok(); }

void read_tombstones(const TomlEntry& entry, Project& project, Mistakes& mistakes) {
    std::vector<std::string> names;
    read_texts(entry, "tombstones = [\"old.cfg\"]", names, verify_name, mistakes);
    for (const std::string& name : names)
        if (auto parsed = AssetName::parse(name))
            project.tombstones.push_back(*std::move(parsed));
}

void read_project_metadata(const TomlEntry& entry, Project& project, Mistakes& mistakes) {
    read_metadata(entry, project.metadata, mistakes);
    for (const std::string_view key : {"name", "version"})
        if (std::ranges::find(project.metadata, key, &PlannedMetadata::key) != project.metadata.end())
            mistakes.add(entry.at, "the bundle's " + std::string(key) + " is not a key of [metadata]; write " +
                                       std::string(key) + " = \"…\" at the top of the file");
}

constexpr Key<Project> kProjectKeys[] = {
    {"name",
     [](const TomlEntry& entry, Project& project, Mistakes& mistakes) { read_name(entry, project.name, mistakes); }},
    {"version", [](const TomlEntry& entry, Project& project,
                   Mistakes& mistakes) { read_version(entry, project.version, mistakes); }},
    {"output", [](const TomlEntry& entry, Project& project,
                  Mistakes& mistakes) { read_text(entry, "output = \"mygame.fardel\"", project.output, mistakes); }},
    {"key", [](const TomlEntry& entry, Project& project,
               Mistakes& mistakes) { read_text(entry, "key = \"author.key\"", project.key, mistakes); }},
    {"sources",
     [](const TomlEntry& entry, Project& project, Mistakes& mistakes) {
         read_texts(entry, "sources = [\"assets\"]", project.sources, verify_path, mistakes);
     }},
    {"exclude",
     [](const TomlEntry& entry, Project& project, Mistakes& mistakes) {
         read_texts(entry, "exclude = [\"**/*.psd\"]", project.excludes, verify_glob, mistakes);
     }},
    {"tombstones", read_tombstones},
    {"metadata", read_project_metadata},
    {"rule",
     [](const TomlEntry& entry, Project& project, Mistakes& mistakes) {
         read_tables<ProjectRule>(entry, kRuleKeys, project.rules, finish_rule, mistakes);
     }},
    {"consume",
     [](const TomlEntry& entry, Project& project, Mistakes& mistakes) {
         read_tables<PlannedConsume>(entry, kConsumeKeys, project.consumes, finish_consume, mistakes);
     }},
    {"cache", read_caches},
    {"dependency",
     [](const TomlEntry& entry, Project& project, Mistakes& mistakes) {
         read_tables<ProjectDependency>(entry, kDependencyKeys, project.dependencies, finish_dependency, mistakes);
     }},
    {"processor", read_processors},
    {"job", read_jobs},
    {"link", read_link_table},
    {"split", read_split},
    {"scanner", read_scanners},
};

}  // namespace

Result<Project> parse_project(std::string_view text, std::string_view file) {
    FARDEL_TRY_ASSIGN(const TomlTable table, parse_toml(text, file));
    Project project{.file = std::string(file)};
    Mistakes mistakes(file);
    read_table<Project>(table, "at the top of a project", kProjectKeys, project, mistakes);
    check_processor_names(table, project, mistakes);
    const auto has = [&](std::string_view key) {
        return std::ranges::find(table, key, &TomlEntry::key) != table.end();
    };
    if (!has("name"))
        mistakes.add({}, "the bundle has no name; write name = \"mygame\" at the top of the file");
    if (!has("sources"))
        mistakes.add(
            {}, "there is nothing to pack; write sources = [\"assets\"] at the top of the file, folders or archives");
    else if (project.sources.empty())
        mistakes.add(std::ranges::find(table, std::string_view("sources"), &TomlEntry::key)->at,
                     "'sources' is empty; write sources = [\"assets\"]");
    if ((project.split || !project.scanners.empty()) && !has("link"))
        mistakes.add(std::ranges::find_if(
                         table, [](const TomlEntry& entry) { return entry.key == "split" || entry.key == "scanner"; })
                         ->at,
                     "[split] and [[scanner]] need [link], and there is none; write [link] and below it "
                     "roots = [\"maps/*.bsp\"]");
    else if (project.split && project.split->policy == SplitPolicy::per_root && project.references &&
             project.references->roots.empty())
        mistakes.add(std::ranges::find(table, std::string_view("split"), &TomlEntry::key)->at,
                     "policy = \"per-root\" has no roots; write roots = [\"maps/*.bsp\"] in [link]");
    FARDEL_TRY(mistakes.status());
    return project;
}

Result<Project> read_project(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    if (source->size_bytes() > kProjectBytesMax)
        return Error(ErrorCode::limit, printable(path) + ": longer than " + std::to_string(kProjectBytesMax) +
                                           " bytes; is it the right file?");
    std::string text(static_cast<std::size_t>(source->size_bytes()), '\0');
    FARDEL_TRY(source->read_at(0, std::as_writable_bytes(std::span(text))));
    return parse_project(text, path);
}

std::string output_of(const Project& project) {
    if (!project.output.empty())
        return project.output;
    return project.name.substr(project.name.rfind('/') + 1) + ".fardel";
}

}  // namespace fardel
