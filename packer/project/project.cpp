#include <fardel/packer/project.h>

#include "project_files.h"
#include "project_tables.h"

#include <fardel/base/ascii.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>
#include <fardel/sources/name_reading.h>

#include <algorithm>
#include <span>

namespace fardel {
namespace {

// ---- [[rule]] -------------------------------------------------------------------------------------------------------

void read_exclude_rule(const KeyValue& value, ProjectRule& rule) {
    value.read(rule.exclude);
    if (std::holds_alternative<bool>(value.entry.value.value) && !rule.exclude)
        value.mistake("a rule cannot bring back what another one excludes; write exclude = true, or remove it");
}

void read_content_type(const KeyValue& value, ProjectRule& rule) {
    value.read(rule.content_type);
    if (!rule.content_type.empty() && !is_media_type(rule.content_type))
        value.mistake(
            in_short_quotes(rule.content_type) +
            " is not a content type; write content_type = \"image/png\": type/subtype, in lower case, without "
            "parameters");
}

template <class Object>
void read_purpose(const KeyValue& value, Object& object) {
    BundlePurpose purpose = BundlePurpose::balanced;
    value.read_word(purpose, find_purpose, "for = \"load\", \"balanced\" or \"size\"");
    object.purpose = purpose;
}

constexpr Key<ProjectRule> kRuleKeys[] = {
    {"match", read_member<&ProjectRule::match>, "match = \"textures/**\""},
    {"exclude", read_exclude_rule},
    {"publish", read_member<&ProjectRule::publish>},
    {"extends", read_member<&ProjectRule::extends>},
    {"dynamic", read_member<&ProjectRule::dynamic>},
    {"name", read_verified<verify_name, &ProjectRule::name>, "name = \"readme.txt\""},
    {"strip", read_member<&ProjectRule::strip>, "strip = \"@hd\""},
    {"content_type", read_content_type, "content_type = \"image/png\""},
    {"tags", read_member<&ProjectRule::tags>},
    {"for", read_purpose<ProjectRule>},
    {"process", read_rule_processors},
    {"targets", read_item_targets<ProjectRule>},
    {"metadata", read_member<&ProjectRule::metadata>},
};

void finish_rule(ProjectRule& rule, const TomlTable& table, TomlPosition at, Mistakes& mistakes) {
    // With `name`, `match` may be a name that a bundle cannot have.
    const Status good = rule.match.empty() || !rule.name.empty() ? ok() : verify_glob(rule.match);
    if (!good)
        mistakes.add(find_entry(table, "match")->value.at, in_short_quotes(rule.match), good.error());
    const bool acts = rule.publish || rule.extends || rule.dynamic || !rule.name.empty() || !rule.strip.empty() ||
                      !rule.content_type.empty() || !rule.tags.empty() || !rule.metadata.empty() || rule.purpose ||
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
        mistakes.add(
            at, "'name' is for one file, and " + in_short_quotes(rule.match) +
                    " is a pattern; write strip = \"…\", the text to remove from each name. In the name of a file, "
                    "write \\x2a for * and \\x3f for ?");
    for (const PlannedMetadata& item : rule.metadata)
        if ((item.key == "name" || item.key == "version") && !std::holds_alternative<std::string>(item.value))
            mistakes.add(at, "metadata " + in_short_quotes(item.key) + " is a text; write it in quotes");
}

// ---- [[consume]] ----------------------------------------------------------------------------------------------------

void read_consumed_name(const KeyValue& value, ProjectConsume& consume) {
    value.read(consume.text,
               [](std::string_view text) { return is_pattern(text) ? verify_glob(text) : verify_name(text); });
    consume.pattern = is_pattern(consume.text);
}

constexpr Key<ProjectConsume> kConsumeKeys[] = {
    {"name", read_consumed_name, "name = \"textures/base/**\""},
    {"optional", read_member<&ProjectConsume::optional>},
    {"dynamic", read_member<&ProjectConsume::dynamic>},
    {"targets", read_item_targets<ProjectConsume>},
};

void finish_consume(ProjectConsume& consume, TomlPosition at, Mistakes& mistakes) {
    if (consume.text.empty())
        mistakes.add(at, "this [[consume]] has no valid 'name'; write name = \"textures/base/**\"");
}

// ---- [[dependency]] -------------------------------------------------------------------------------------------------

template <auto member>
void read_bundle_name(const KeyValue& value, auto& target) {
    std::string& name = target.*member;
    value.read(name);
    if (name.empty())
        return;
    if (const Status good = verify_name(name); !good)
        value.mistakes.add(value.entry.value.at, "bundle name " + in_short_quotes(name), good.error());
}

template <auto member>
void read_version(const KeyValue& value, auto& target) {
    const auto* const text = value.expect_text(value.entry.value, limits::kVersionBytesMax);
    if (!text)
        return;
    if (auto version = BundleVersion::parse(*text))
        target.*member = *std::move(version);
    else
        value.mistake(version.error().message());
}

void read_bundle_id(const KeyValue& value, ProjectDependency& dependency) {
    const auto* const text = value.expect_text();
    if (!text)
        return;
    if (auto id = BundleId::parse(*text))
        dependency.bundle = *id;
    else
        value.mistake(in_short_quotes(*text) +
                      " is not a bundle id; write the 64 hexadecimal digits that 'fardel id' prints");
}

constexpr Key<ProjectDependency> kDependencyKeys[] = {
    {"file", read_member<&ProjectDependency::file>, "file = \"../base/base.fardel\""},
    {"id", read_bundle_id, "id = \"…\", what 'fardel id' prints"},
    {"name", read_bundle_name<&ProjectDependency::name>, "name = \"mygame\""},
    {"version", read_version<&ProjectDependency::version>, "version = \"1.0\""},
    {"static", read_member<&ProjectDependency::is_static>},
    {"targets", read_item_targets<ProjectDependency>},
};

void finish_dependency(ProjectDependency& dependency, TomlPosition at, Mistakes& mistakes) {
    if (dependency.file.empty() == !dependency.bundle)
        mistakes.add(at, "a [[dependency]] has either 'file' or 'id'; write file = \"../base/base.fardel\"");
}

// ---- The whole file -------------------------------------------------------------------------------------------------

void read_tombstones(const KeyValue& value, Project& project) {
    std::vector<std::string> names;
    value.read(names, verify_name);
    for (const std::string& name : names)
        if (auto parsed = AssetName::parse(name))
            project.tombstones.push_back(*std::move(parsed));
}

void read_project_metadata(const KeyValue& value, Project& project) { read_bundle_metadata(value, project.metadata); }

// The [metadata] have no other way to state a requirement, so each is checked here.
void read_requirements(const KeyValue& value, Project& project) {
    std::vector<std::string> texts;
    value.read(texts, [](std::string_view text) {
        const auto requirement = Requirement::parse(text);
        return requirement ? ok() : Status(requirement.error());
    });
    for (const std::string& text : texts) {
        auto requirement = Requirement::parse(text);
        if (!requirement)
            continue;
        if (std::ranges::find(project.requirements, requirement->name, &Requirement::name) !=
            project.requirements.end())
            value.mistake("the bundle requires " + in_short_quotes(requirement->name) +
                          " twice; write all bounds in one text: \"studio/base >= 1.0, < 2\"");
        else
            project.requirements.push_back(*std::move(requirement));
    }
    if (project.requirements.size() > kRequirementsMax)
        value.mistake("a bundle has at most " + std::to_string(kRequirementsMax) + " requirements");
}

std::optional<JobSandbox> find_sandbox(std::string_view word) {
    if (word == "auto")
        return JobSandbox::where_possible;
    if (word == "required")
        return JobSandbox::required;
    return word == "off" ? std::optional(JobSandbox::off) : std::nullopt;
}

void read_sandbox(const KeyValue& value, Project& project) {
    value.read_word(project.sandbox, find_sandbox, "sandbox = \"auto\", \"required\" or \"off\"");
}

std::optional<bool> find_left_out(std::string_view word) {
    return word == "error" ? std::optional(true) : word == "warn" ? std::optional(false) : std::nullopt;
}

void read_left_out(const KeyValue& value, ProjectPack& pack) {
    value.read_word(pack.left_out_fails, find_left_out, "left_out = \"warn\" or \"error\"");
}

constexpr Key<ProjectPack> kPackKeys[] = {
    {"for", read_purpose<ProjectPack>},
    {"left_out", read_left_out},
    {"follow_links", read_member<&ProjectPack::follow_links>, "follow_links = [\"../shared\"]"},
    {"names", read_verified<verify_name_reading, &ProjectPack::names>, "names = \"cp437\""},
};

void read_pack(const KeyValue& value, Project& project) {
    if (const auto* const table = value.expect<TomlTable>())
        read_table<ProjectPack>(*table, "in [pack]", kPackKeys, project.pack, value.mistakes);
}

void read_project_budgets(const KeyValue& value, Project& project) { read_budgets(value, project.budgets); }

constexpr Key<Project> kLicenceKeys[] = {
    {"allowed", read_member<&Project::allowed_licences>, "allowed = [\"CC0-1.0\", \"CC-BY-4.0\"]"},
};

void read_licences(const KeyValue& value, Project& project) {
    if (const auto* const table = value.expect<TomlTable>())
        read_table<Project>(*table, "in [licences]", kLicenceKeys, project, value.mistakes);
}

// The files are read before the keys (project_files.h).
void read_include(const KeyValue&, Project&) {}

constexpr Key<Project> kProjectKeys[] = {
    {"name", read_bundle_name<&Project::name>, "name = \"mygame\""},
    {"version", read_version<&Project::version>, "version = \"1.0\""},
    {"output", read_member<&Project::output>, "output = \"mygame.fardel\""},
    {"key", read_member<&Project::key>, "key = \"author.key\""},
    {"order", read_member<&Project::order>, "order = \"game.trace\""},
    {"sources", read_member<&Project::sources>, "sources = [\"assets\"]"},
    {"exclude", read_verified<verify_glob, &Project::excludes>, "exclude = [\"**/*.psd\"]"},
    {"allow_secrets", read_member<&Project::allowed_secrets>, "allow_secrets = [\"certs/test.pem\"]"},
    {"tombstones", read_tombstones, "tombstones = [\"old.cfg\"]"},
    {"metadata", read_project_metadata},
    {"requires", read_requirements, "requires = [\"studio/base >= 1.0, < 2\"]"},
    {"pack", read_pack, "[pack] above its keys"},
    {"rule", read_tables<kRuleKeys, finish_rule, &Project::rules>},
    {"consume", read_tables<kConsumeKeys, finish_consume, &Project::consumes>},
    {"own_cache", read_own_cache, "[own_cache] above its keys"},
    {"cache", read_caches},
    {"dependency", read_tables<kDependencyKeys, finish_dependency, &Project::dependencies>},
    {"processor", read_processors, "[processor.small] above the keys of each"},
    {"job", read_jobs},
    {"target", read_targets, "[target.android] above the keys of each"},
    {"link", read_link_table, "[link] above its keys"},
    {"split", read_split, "[split] above its keys"},
    {"scanner", read_scanners},
    {"budget", read_project_budgets},
    {"licences", read_licences, "[licences] above its keys"},
    {"sandbox", read_sandbox, "sandbox = \"required\""},
    {"include", read_include},
};

}  // namespace

void read_bundle_metadata(const KeyValue& value, std::vector<PlannedMetadata>& metadata) {
    value.read(metadata);
    for (const std::string_view key : {"name", "version"})
        if (std::ranges::find(metadata, key, &PlannedMetadata::key) != metadata.end())
            value.mistakes.add(value.entry.at, "the bundle's " + std::string(key) +
                                                   " is not a key of [metadata]; write " + std::string(key) +
                                                   " = \"…\" at the top of the file");
    for (const PlannedMetadata& item : metadata)
        if (item.key.starts_with(kRequirementKeyPrefix))
            value.mistakes.add(value.entry.at,
                               "a requirement is not a key of [metadata]; write requires = [\"studio/base >= 1.0\"] at "
                               "the top of the file");
}

namespace {

Result<Project> read_project_table(const TomlTable& table, std::vector<std::string> files) {
    Project project{.file = files.front()};
    Mistakes mistakes(std::move(files));
    read_table<Project>(table, "at the top of a project", kProjectKeys, project, mistakes);
    check_processor_names(table, project, mistakes);
    check_targets(table, project, mistakes);
    check_split_axes(table, project, mistakes);
    if (!find_entry(table, "name"))
        mistakes.add({}, "the bundle has no name; write name = \"mygame\" at the top of the file");
    const TomlEntry* const sources = find_entry(table, "sources");
    const TomlEntry* const split = find_entry(table, "split");
    if (!sources)
        mistakes.add(
            {}, "there is nothing to pack; write sources = [\"assets\"] at the top of the file, folders or archives");
    else if (project.sources.empty())
        mistakes.add(sources->at, "'sources' is empty; write sources = [\"assets\"]");
    const auto* const split_keys = split ? std::get_if<TomlTable>(&split->value.value) : nullptr;
    const bool splits_references = project.split && split_keys && !find_entry(*split_keys, "axes");
    if ((splits_references || !project.scanners.empty()) && !find_entry(table, "link"))
        mistakes.add(std::ranges::find_if(
                         table, [](const TomlEntry& entry) { return entry.key == "split" || entry.key == "scanner"; })
                         ->at,
                     "[split] and [[scanner]] need [link], and there is none; write [link] and below it "
                     "roots = [\"maps/*.bsp\"]");
    else if (splits_references && project.split->policy == SplitPolicy::per_root && project.references &&
             project.references->roots.empty())
        mistakes.add(split->at, "policy = \"per-root\" has no roots; write roots = [\"maps/*.bsp\"] in [link]");
    if (!project.references &&
        (std::ranges::any_of(project.rules, [](const ProjectRule& one) { return one.dynamic.has_value(); }) ||
         std::ranges::any_of(project.consumes, &ProjectConsume::dynamic)))
        mistakes.add({},
                     "'dynamic' is about references, and nothing resolves them here; write [link] and below it "
                     "roots = [\"maps/*.bsp\"]");
    FARDEL_TRY(mistakes.status());
    return project;
}

}  // namespace

Result<Project> parse_project(std::string_view text, std::string_view file) {
    FARDEL_TRY_ASSIGN(const TomlTable table, parse_toml(text, file));
    if (const TomlEntry* const include = find_entry(table, "include"))
        return Error(ErrorCode::unsupported, format_position(file, include->at) +
                                                 ": 'include' is about files, and this project is only a text");
    return read_project_table(table, {std::string(file)});
}

Result<std::string> read_project_text(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    if (source->size_bytes() > kProjectBytesMax)
        return Error(ErrorCode::limit, printable(path) + ": longer than " + std::to_string(kProjectBytesMax) +
                                           " bytes; is it the right file?");
    std::string text(static_cast<std::size_t>(source->size_bytes()), '\0');
    FARDEL_TRY(source->read_at(0, std::as_writable_bytes(std::span(text))));
    return text;
}

Result<Project> read_project(const std::string& path) {
    std::vector<std::string> files;
    return read_project(path, files);
}

Result<Project> read_project(const std::string& path, std::vector<std::string>& files) {
    FARDEL_TRY_ASSIGN(const ProjectFiles read, read_project_files(path, files));
    FARDEL_TRY_ASSIGN(Project project, read_project_table(read.table, files));
    project.digest = blake3(std::as_bytes(std::span(read.texts)));
    return project;
}

std::string output_of(const Project& project) {
    if (!project.output.empty())
        return project.output;
    return project.name.substr(project.name.rfind('/') + 1) + ".fardel";
}

}  // namespace fardel
