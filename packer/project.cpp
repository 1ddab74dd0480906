#include <fardel/packer/project.h>

#include "toml_document.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/limits.h>
#include <fardel/packer/nearest_word.h>
#include <fardel/packer/pack.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace fardel {
namespace {

constexpr std::size_t kPathBytesMax = 4096;
constexpr std::size_t kWordBytesMax = 255;   // of a tag, and of a metadata key

std::string in_quotes(std::string_view text) { return "'" + printable(text, 80) + "'"; }

// All mistakes are looked for; the first in the text is told.
class Mistakes {
public:
    explicit Mistakes(std::string_view file) : file_(file) {}

    void add(TomlPosition at, std::string text, ErrorCode code = ErrorCode::malformed) {
        ++count_;
        if (count_ == 1 || at < at_) {
            at_ = at;
            text_ = std::move(text);
            code_ = code;
        }
    }
    void add(TomlPosition at, std::string_view what, const Error& error) { add(at, std::string(what) + ": " + error.message(), error.code()); }

    std::size_t count() const { return count_; }
    Status status() const {
        if (count_ == 0)
            return ok();
        const std::string others = count_ == 1 ? "" : " (and " + std::to_string(count_ - 1) + (count_ == 2 ? " more mistake" : " more mistakes") + " in this file)";
        return Error(code_, format_place(file_, at_) + ": " + text_ + others);
    }

private:
    std::string file_;
    TomlPosition at_;
    std::string text_;
    ErrorCode code_ = ErrorCode::malformed;
    std::size_t count_ = 0;
};

// ---- Values of one kind ---------------------------------------------------------------------------------------------

std::string_view kind_of(const TomlValue& value) {
    constexpr std::string_view kKinds[] = {"a text", "an integer", "a number", "true or false", "a date", "a list", "a table"};
    return kKinds[value.value.index()];
}

// `example` is what to write instead.
template <class T>
const T* expect(const TomlValue& value, std::string_view key, std::string_view example, Mistakes& mistakes) {
    const T* const found = std::get_if<T>(&value.value);
    if (!found)
        mistakes.add(value.at, in_quotes(key) + " is " + std::string(kind_of(value)) + "; write " + std::string(example));
    return found;
}

// Not empty, without NUL.
const std::string* expect_text(const TomlValue& value, std::string_view key, std::string_view example, Mistakes& mistakes, std::size_t bytes_max = kPathBytesMax) {
    const auto* const text = expect<std::string>(value, key, example, mistakes);
    if (!text)
        return nullptr;
    if (text->empty())
        mistakes.add(value.at, in_quotes(key) + " is empty; write " + std::string(example) + ", or leave it out");
    else if (text->size() > bytes_max)
        mistakes.add(value.at, in_quotes(key) + " has " + std::to_string(text->size()) + " bytes; at most " + std::to_string(bytes_max), ErrorCode::limit);
    else if (text->find('\0') != std::string::npos)
        mistakes.add(value.at, in_quotes(key) + " has a NUL character in it; take it out");
    else
        return text;
    return nullptr;
}

void read_text(const TomlEntry& entry, std::string_view example, std::string& target, Mistakes& mistakes) {
    if (const auto* const text = expect_text(entry.value, entry.key, example, mistakes))
        target = *text;
}

template <class Target>   // bool, or optional of it
void read_truth(const TomlEntry& entry, Target& target, Mistakes& mistakes) {
    if (const bool* const truth = expect<bool>(entry.value, entry.key, entry.key + " = true or " + entry.key + " = false", mistakes))
        target = *truth;
}

// Nothing when it is no list, or too long.
std::span<const TomlValue> expect_list(const TomlEntry& entry, std::string_view example, Mistakes& mistakes) {
    const auto* const list = expect<std::vector<TomlValue>>(entry.value, entry.key, example, mistakes);
    if (!list)
        return {};
    if (list->size() <= kProjectItemsMax)
        return *list;
    mistakes.add(entry.at, in_quotes(entry.key) + " has " + std::to_string(list->size()) + " items; at most " + std::to_string(kProjectItemsMax), ErrorCode::limit);
    return {};
}

// Texts of a list, each good by `verify`, which returns a Status.
template <class Verify>
void read_texts(const TomlEntry& entry, std::string_view example, std::vector<std::string>& target, Verify verify, Mistakes& mistakes) {
    for (const TomlValue& item : expect_list(entry, example, mistakes)) {
        const auto* const text = expect_text(item, entry.key, example, mistakes);
        if (!text)
            continue;
        if (const Status good = verify(*text); !good)
            mistakes.add(item.at, in_quotes(*text), good.error());
        else if (std::ranges::find(target, *text) != target.end())
            mistakes.add(item.at, in_quotes(*text) + " is in " + in_quotes(entry.key) + " twice; take one out");
        else
            target.push_back(*text);
    }
}

// ---- Tables: one row a key ------------------------------------------------------------------------------------------

template <class Target>
struct Key {
    std::string_view name;
    void (*read)(const TomlEntry& entry, Target& target, Mistakes& mistakes);
};

// `where` names the table for people.
template <class Target>
void read_table(const TomlTable& table, std::string_view where, std::span<const Key<Target>> keys, Target& target, Mistakes& mistakes) {
    for (const TomlEntry& entry : table) {
        const auto key = std::ranges::find(keys, entry.key, &Key<Target>::name);
        if (key != keys.end()) {
            key->read(entry, target, mistakes);
            continue;
        }
        std::vector<std::string_view> names;
        std::ranges::transform(keys, std::back_inserter(names), &Key<Target>::name);
        std::string known;
        for (const std::string_view name : names)
            known += (known.empty() ? "" : ", ") + std::string(name);
        const auto nearest = find_nearest_word(entry.key, names);
        mistakes.add(entry.at, "there is no key " + in_quotes(entry.key) + " " + std::string(where) + "; " +
                                   (nearest ? "did you mean '" + std::string(*nearest) + "'?" : "the keys are: " + known));
    }
}

// [[rule]] and its like: tables, each one target.
template <class Target>
void read_tables(const TomlEntry& entry, std::span<const Key<Target>> keys, std::vector<Target>& targets, void (*finish)(Target&, TomlPosition, Mistakes&), Mistakes& mistakes) {
    const std::string heading = "[[" + entry.key + "]]";
    for (const TomlValue& item : expect_list(entry, heading + " above each of its tables", mistakes)) {
        const auto* const table = expect<TomlTable>(item, entry.key, heading + " above each of its tables", mistakes);
        if (!table)
            continue;
        Target target;
        const std::size_t before = mistakes.count();
        read_table(*table, "in " + heading, keys, target, mistakes);
        if (mistakes.count() == before)   // else what seems to be missing was only misspelt
            finish(target, item.at, mistakes);
        targets.push_back(std::move(target));
    }
}

// ---- Tags and metadata ----------------------------------------------------------------------------------------------

bool is_tag_word(std::string_view word) {
    return !word.empty() && word.size() <= kWordBytesMax && std::ranges::all_of(word, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || std::string_view("-_.+").find(c) != std::string_view::npos;
    });
}

void read_tags(const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) {
    constexpr std::string_view kExample = "tags = { quality = \"hd\" }";
    const auto* const table = expect<TomlTable>(entry.value, entry.key, kExample, mistakes);
    if (!table)
        return;
    if (table->empty() || table->size() > limits::kTagsPerVariantMax)
        mistakes.add(entry.at, "a variant has 1 to " + std::to_string(limits::kTagsPerVariantMax) + " tags; write " + std::string(kExample));
    for (const TomlEntry& tag : *table) {
        const auto* const value = expect_text(tag.value, tag.key, kExample, mistakes);
        if (!value)
            continue;
        if (!is_tag_word(tag.key) || !is_tag_word(*value))
            mistakes.add(tag.at, "the tag " + in_quotes(tag.key + "=" + *value) + " has more than letters, digits and - _ . + in it; write " + std::string(kExample));
        else
            rule.tags.emplace_back(tag.key, *value);
    }
}

// Keys of a table in a table are joined by dots: metric.triangles.
void read_metadata_table(const TomlTable& table, const std::string& prefix, std::vector<PlannedMetadata>& metadata, Mistakes& mistakes);

std::optional<MetadataValue> read_metadata_value(const TomlEntry& entry, const std::string& key, Mistakes& mistakes) {
    const auto& value = entry.value.value;
    const auto* const integer = std::get_if<std::int64_t>(&value);
    const auto* const number = std::get_if<double>(&value);
    if (key.starts_with("metric.")) {
        if (integer)
            return static_cast<double>(*integer);
        if (number && std::isfinite(*number))
            return *number;
        mistakes.add(entry.value.at, in_quotes(key) + " is " + std::string(kind_of(entry.value)) + "; a metric is a finite number, such as 1.5");
        return std::nullopt;
    }
    if (key == "expires" && !integer) {
        mistakes.add(entry.value.at, "'expires' is " + std::string(kind_of(entry.value)) + "; write the Unix time in seconds, such as 1798761600");
        return std::nullopt;
    }
    if (integer)
        return *integer;
    if (number && std::isfinite(*number))
        return *number;
    if (const auto* const truth = std::get_if<bool>(&value))
        return *truth;
    if (std::holds_alternative<std::string>(value)) {
        const auto* const text = expect_text(entry.value, key, "a text", mistakes, limits::kStringBytesMax);
        return text ? std::optional<MetadataValue>(*text) : std::nullopt;
    }
    mistakes.add(entry.value.at, in_quotes(key) + " is " + (number ? "no finite number" : std::string(kind_of(entry.value))) + "; write a text in quotes, a number, true or false");
    return std::nullopt;
}

void read_metadata_entry(const TomlEntry& entry, const std::string& key, std::vector<PlannedMetadata>& metadata, Mistakes& mistakes) {
    if (entry.key.empty() || key.size() > kWordBytesMax || key.find('\0') != std::string::npos)
        return mistakes.add(entry.at, "a metadata key has 1 to " + std::to_string(kWordBytesMax) + " bytes and no NUL; write licence = \"CC-BY-4.0\"");
    if (const auto* const table = std::get_if<TomlTable>(&entry.value.value))
        return read_metadata_table(*table, key + ".", metadata, mistakes);
    if (std::ranges::find(metadata, key, &PlannedMetadata::key) != metadata.end())
        return mistakes.add(entry.at, in_quotes(key) + " is there twice; take one out");
    if (metadata.size() == limits::kMetadataPerSubjectMax - 2)   // name and version are such entries as well
        return mistakes.add(entry.at, "more metadata than fits: at most " + std::to_string(metadata.size()) + " keys", ErrorCode::limit);
    if (auto value = read_metadata_value(entry, key, mistakes))
        metadata.push_back({.key = key, .value = *std::move(value)});
}

void read_metadata_table(const TomlTable& table, const std::string& prefix, std::vector<PlannedMetadata>& metadata, Mistakes& mistakes) {
    for (const TomlEntry& entry : table)
        read_metadata_entry(entry, prefix + entry.key, metadata, mistakes);
}

template <class Target>
void read_metadata(const TomlEntry& entry, Target& target, Mistakes& mistakes) {
    if (const auto* const table = expect<TomlTable>(entry.value, entry.key, "metadata = { licence = \"CC-BY-4.0\" }", mistakes))
        read_metadata_table(*table, "", target.metadata, mistakes);
}

// ---- [[rule]] -------------------------------------------------------------------------------------------------------

bool is_pattern(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

bool is_media_type(std::string_view text) {
    const auto is_part = [](std::string_view part) {
        return !part.empty() && part.size() <= 127 && part.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789!#$&-^_.+") == std::string_view::npos &&
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
        mistakes.add(entry.value.at, in_quotes(rule.match), good.error());
}

void read_exclude_rule(const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) {
    read_truth(entry, rule.exclude, mistakes);
    if (std::holds_alternative<bool>(entry.value.value) && !rule.exclude)
        mistakes.add(entry.value.at, "what one rule excludes no other brings back; write exclude = true, or leave it out");
}

void read_new_name(const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) {
    read_text(entry, "name = \"readme.txt\"", rule.name, mistakes);
    if (rule.name.empty())
        return;
    if (const Status good = verify_name(rule.name); !good)
        mistakes.add(entry.value.at, in_quotes(rule.name), good.error());
}

void read_content_type(const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) {
    read_text(entry, "content_type = \"image/png\"", rule.content_type, mistakes);
    if (!rule.content_type.empty() && !is_media_type(rule.content_type))
        mistakes.add(entry.value.at, in_quotes(rule.content_type) + " is no content type; write content_type = \"image/png\": type/subtype, in lower case, without parameters");
}

constexpr Key<ProjectRule> kRuleKeys[] = {
    {"match", read_match},
    {"exclude", read_exclude_rule},
    {"publish", [](const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) { read_truth(entry, rule.publish, mistakes); }},
    {"extends", [](const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) { read_truth(entry, rule.extends, mistakes); }},
    {"name", read_new_name},
    {"strip", [](const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) { read_text(entry, "strip = \"@hd\"", rule.strip, mistakes); }},
    {"content_type", read_content_type},
    {"tags", read_tags},
    {"metadata", read_metadata<ProjectRule>},
};

void finish_rule(ProjectRule& rule, TomlPosition at, Mistakes& mistakes) {
    rule.line = at.line;
    const bool acts = rule.publish || rule.extends || !rule.name.empty() || !rule.strip.empty() || !rule.content_type.empty() || !rule.tags.empty() || !rule.metadata.empty();
    if (rule.match.empty())
        mistakes.add(at, "this [[rule]] has no good 'match'; write match = \"textures/**\"");
    if (!acts && !rule.exclude)
        mistakes.add(at, "this [[rule]] does nothing; write what it does, such as publish = false or exclude = true");
    if (acts && rule.exclude)
        mistakes.add(at, "this [[rule]] excludes what it also says other things about; make it two rules, or take one of both out");
    if (!rule.name.empty() && !rule.strip.empty())
        mistakes.add(at, "this [[rule]] has 'name' and 'strip'; write one of them");
    if (!rule.name.empty() && is_pattern(rule.match))
        mistakes.add(at, "'name' is for one file, and " + in_quotes(rule.match) + " is a pattern; write strip = \"…\", what is to be taken out of each name");
    for (const PlannedMetadata& item : rule.metadata)
        if ((item.key == "name" || item.key == "version") && !std::holds_alternative<std::string>(item.value))
            mistakes.add(at, "metadata " + in_quotes(item.key) + " is a text; write it in quotes");
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
             mistakes.add(entry.value.at, in_quotes(consume.text), good.error());
     }},
    {"optional", [](const TomlEntry& entry, PlannedConsume& consume, Mistakes& mistakes) { read_truth(entry, consume.optional, mistakes); }},
};

void finish_consume(PlannedConsume& consume, TomlPosition at, Mistakes& mistakes) {
    if (consume.text.empty())
        mistakes.add(at, "this [[consume]] has no good 'name'; write name = \"textures/base/**\"");
}

// ---- [[dependency]] -------------------------------------------------------------------------------------------------

void read_name(const TomlEntry& entry, std::string& target, Mistakes& mistakes) {
    read_text(entry, "name = \"mygame\"", target, mistakes);
    if (target.empty())
        return;
    if (const Status good = verify_name(target); !good)
        mistakes.add(entry.value.at, "bundle name " + in_quotes(target), good.error());
}

void read_version(const TomlEntry& entry, std::string& target, Mistakes& mistakes) {
    if (const auto* const text = expect_text(entry.value, entry.key, "version = \"1.0\"", mistakes, limits::kVersionBytesMax)) {
        target = *text;
        if (const Status good = verify_version(target); !good)
            mistakes.add(entry.value.at, good.error().message());
    }
}

constexpr Key<ProjectDependency> kDependencyKeys[] = {
    {"file", [](const TomlEntry& entry, ProjectDependency& dependency, Mistakes& mistakes) { read_text(entry, "file = \"../base/base.fardel\"", dependency.file, mistakes); }},
    {"id",
     [](const TomlEntry& entry, ProjectDependency& dependency, Mistakes& mistakes) {
         std::string text;
         read_text(entry, "id = \"…\", what 'fardel id' prints", text, mistakes);
         if (text.empty())
             return;
         if (auto id = BundleId::parse(text))
             dependency.bundle = *id;
         else
             mistakes.add(entry.value.at, in_quotes(text) + " is no bundle id; write the 64 hexadecimal digits that 'fardel id' prints");
     }},
    {"name", [](const TomlEntry& entry, ProjectDependency& dependency, Mistakes& mistakes) { read_name(entry, dependency.name, mistakes); }},
    {"version", [](const TomlEntry& entry, ProjectDependency& dependency, Mistakes& mistakes) { read_version(entry, dependency.version, mistakes); }},
    {"static", [](const TomlEntry& entry, ProjectDependency& dependency, Mistakes& mistakes) { read_truth(entry, dependency.is_static, mistakes); }},
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
    read_metadata(entry, project, mistakes);
    for (const std::string_view key : {"name", "version"})
        if (std::ranges::find(project.metadata, key, &PlannedMetadata::key) != project.metadata.end())
            mistakes.add(entry.at, "the bundle's " + std::string(key) + " is not among its metadata here; write " + std::string(key) + " = \"…\" at the top of the file");
}

constexpr Key<Project> kProjectKeys[] = {
    {"name", [](const TomlEntry& entry, Project& project, Mistakes& mistakes) { read_name(entry, project.name, mistakes); }},
    {"version", [](const TomlEntry& entry, Project& project, Mistakes& mistakes) { read_version(entry, project.version, mistakes); }},
    {"output", [](const TomlEntry& entry, Project& project, Mistakes& mistakes) { read_text(entry, "output = \"mygame.fardel\"", project.output, mistakes); }},
    {"key", [](const TomlEntry& entry, Project& project, Mistakes& mistakes) { read_text(entry, "key = \"author.key\"", project.key, mistakes); }},
    {"sources", [](const TomlEntry& entry, Project& project, Mistakes& mistakes) { read_texts(entry, "sources = [\"assets\"]", project.sources, verify_path, mistakes); }},
    {"exclude", [](const TomlEntry& entry, Project& project, Mistakes& mistakes) { read_texts(entry, "exclude = [\"**/*.psd\"]", project.excludes, verify_glob, mistakes); }},
    {"tombstones", read_tombstones},
    {"metadata", read_project_metadata},
    {"rule", [](const TomlEntry& entry, Project& project, Mistakes& mistakes) { read_tables<ProjectRule>(entry, kRuleKeys, project.rules, finish_rule, mistakes); }},
    {"consume", [](const TomlEntry& entry, Project& project, Mistakes& mistakes) { read_tables<PlannedConsume>(entry, kConsumeKeys, project.consumes, finish_consume, mistakes); }},
    {"dependency", [](const TomlEntry& entry, Project& project, Mistakes& mistakes) { read_tables<ProjectDependency>(entry, kDependencyKeys, project.dependencies, finish_dependency, mistakes); }},
};

}  // namespace

Result<Project> parse_project(std::string_view text, std::string_view file) {
    FARDEL_TRY_ASSIGN(const TomlTable table, parse_toml(text, file));
    Project project{.file = std::string(file)};
    Mistakes mistakes(file);
    read_table<Project>(table, "at the top of a project", kProjectKeys, project, mistakes);
    const auto has = [&](std::string_view key) { return std::ranges::find(table, key, &TomlEntry::key) != table.end(); };
    if (!has("name"))
        mistakes.add({}, "the bundle has no name; write name = \"mygame\" at the top of the file");
    if (!has("sources"))
        mistakes.add({}, "there is nothing to pack; write sources = [\"assets\"] at the top of the file, folders or archives");
    else if (project.sources.empty())
        mistakes.add(std::ranges::find(table, std::string_view("sources"), &TomlEntry::key)->at, "'sources' names nothing to pack; write sources = [\"assets\"]");
    FARDEL_TRY(mistakes.status());
    return project;
}

Result<Project> read_project(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    if (source->size_bytes() > kProjectBytesMax)
        return Error(ErrorCode::limit, printable(path) + ": longer than " + std::to_string(kProjectBytesMax) + " bytes; is it the right file?");
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
