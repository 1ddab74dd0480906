#include "jobs/job_variables.h"
#include "project_tables.h"
#include "scan/pattern_scanner.h"

#include <fardel/base/ascii.h>
#include <fardel/format/name.h>
#include <fardel/packer/game_profile.h>

namespace fardel {
namespace {

void read_rewrite(const KeyValue& value, ProjectReferences& target) {
    target.rewrite_at = value.mistakes.position(value.entry.at);
    value.read(target.rewrite, verify_glob);
}

// Reads one of two words; `is_second` is set to whether it is the second one.
void read_either(const KeyValue& value, std::string_view first, std::string_view second, bool& is_second) {
    const std::string& key = value.entry.key;
    const std::string example =
        key + " = \"" + std::string(first) + "\" or " + key + " = \"" + std::string(second) + "\"";
    const auto* const text = KeyValue{value.entry, example, value.mistakes}.expect_text();
    if (!text)
        return;
    if (*text != first && *text != second)
        return value.mistake("'" + key + "' is " + in_short_quotes(*text) + "; write " + example);
    is_second = *text == second;
}

void read_rewrite_to(const KeyValue& value, ProjectReferences& target) {
    bool names = false;
    read_either(value, "ids", "names", names);
    target.rewrite_to = names ? RewriteTo::names : RewriteTo::ids;
}

void read_missing(const KeyValue& value, ProjectReferences& target) {
    read_either(value, "warn", "error", target.missing_fails);
}

// A file's path has the form of a name, so it cannot leave the project.
Status verify_profile(std::string_view name) {
    if (is_profile_file(name))
        return verify_name(name);
    auto found = find_game_profile(name);
    return found ? ok() : Status(std::move(found).error());
}

constexpr Key<ProjectReferences> kReferenceKeys[] = {
    {"profile", read_verified<verify_profile, &ProjectReferences::profile>,
     "profile = \"quake3\" or profile = \"profiles/mygame.toml\""},
    {"roots", read_verified<verify_glob, &ProjectReferences::roots>, "roots = [\"maps/*.bsp\"]"},
    {"used", read_verified<verify_glob, &ProjectReferences::used>, "used = [\"maps/*.bsp\"]"},
    {"consumed", read_verified<verify_glob, &ProjectReferences::consumed>, "consumed = [\"maps/*.bsp\"]"},
    {"references", read_member<&ProjectReferences::link_tables>},
    {"rewrite", read_rewrite, "rewrite = [\"materials/*.mtl\"]"},
    {"rewrite_to", read_rewrite_to},
    {"missing", read_missing},
};

// ---- [split] --------------------------------------------------------------------------------------------------------

constexpr std::string_view kPolicies[] = {"one", "per-root", "by-size"};
constexpr std::string_view kPolicyExample = "policy = \"per-root\"";

std::optional<SplitPolicy> find_policy(std::string_view word) {
    const auto at = std::ranges::find(kPolicies, word);
    return at == std::ranges::end(kPolicies)
               ? std::nullopt
               : std::optional(static_cast<SplitPolicy>(at - std::ranges::begin(kPolicies)));
}

void read_policy(const KeyValue& value, SplitOptions& split) {
    value.read_word(split.policy, find_policy, "policy = \"one\", \"per-root\" or \"by-size\"");
}

void read_bytes_max(const KeyValue& value, SplitOptions& split) {
    const auto* const bytes = value.expect<std::int64_t>();
    if (bytes && *bytes <= 0)
        value.mistake("'bytes_max' is not above 0; write bytes_max = 100_000_000");
    else if (bytes)
        split.bytes_max = static_cast<std::uint64_t>(*bytes);
}

Status verify_split_axis(std::string_view text) {
    const std::size_t equals = text.find('=');
    const bool is_good =
        is_word(text.substr(0, equals)) && (equals == std::string_view::npos || is_word(text.substr(equals + 1)));
    return is_good ? ok()
                   : Status(Error(ErrorCode::malformed,
                                  "an axis, and its value behind '=', have only letters, digits and - _ . +"));
}

void read_split_axes(const KeyValue& value, SplitOptions& options) {
    std::vector<std::string> axes;
    value.read(axes, verify_split_axis);
    const auto* const list = std::get_if<std::vector<TomlValue>>(&value.entry.value.value);
    if (list && list->empty())
        value.mistake("'axes' is empty; write " + std::string(value.example));
    for (const std::string& text : axes) {
        const std::size_t equals = std::min(text.find('='), text.size());
        SplitAxis axis{.axis = text.substr(0, equals), .value = text.substr(std::min(equals + 1, text.size()))};
        const bool is_double = std::ranges::any_of(options.axes, [&](const SplitAxis& other) {
            return other.axis == axis.axis && (other.value.empty() || axis.value.empty() || other.value == axis.value);
        });
        if (is_double)
            value.mistake("'axes' has " + in_quotes(axis.axis) + " twice; write it alone, or with its values");
        options.axes.push_back(std::move(axis));
    }
}

constexpr Key<SplitOptions> kSplitKeys[] = {
    {"policy", read_policy, kPolicyExample},
    {"bytes_max", read_bytes_max, "bytes_max = 100_000_000"},
    {"axes", read_split_axes, "axes = [\"lang\"]"},
};

// ---- [[scanner]] ----------------------------------------------------------------------------------------------------

Status verify_pattern(std::string_view pattern) {
    const auto parsed = PatternScanner::parse(pattern);
    return parsed ? ok() : Status(parsed.error());
}

void read_scanner_command(const KeyValue& value, ProjectScanner& scanner) {
    read_processor_command(value, scanner.program);
}

void read_scanner_timeout(const KeyValue& value, ProjectScanner& scanner) {
    read_processor_timeout(value, scanner.program);
}

void read_use(const KeyValue& value, ProjectScanner& scanner) {
    value.read_word(scanner.use, find_reference_use,
                    "one of file, texture, shader, sound, model, video, map, script, sky_box");
}

void read_form(const KeyValue& value, ProjectScanner& scanner) {
    value.read_word(scanner.form, find_reference_form,
                    "one of from_root, below_textures, relative, relative_uri, speaker, player");
}

constexpr Key<ProjectScanner> kScannerKeys[] = {
    {"match", read_verified<verify_glob, &ProjectScanner::match>, "match = \"**/*.fx\""},
    {"pattern", read_verified<verify_pattern, &ProjectScanner::pattern>, "pattern = 'image = \"{reference}\"'"},
    {"command", read_scanner_command, "command = [\"python3\", \"${code:tools/scan.py}\", \"${in}\"]"},
    {"version", read_member<&ProjectScanner::program, &Processor::version>, "version = \"1\""},
    {"code", read_member<&ProjectScanner::program, &Processor::code>, "code = [\"tools/scan.py\"]"},
    {"inputs", read_verified<verify_glob, &ProjectScanner::program, &Processor::inputs>, "inputs = [\"tables/**\"]"},
    {"timeout", read_scanner_timeout, "timeout = 60, in seconds"},
    {"use", read_use, "use = \"texture\""},
    {"form", read_form, "form = \"relative\""},
    {"optional", read_member<&ProjectScanner::optional>},
};

void check_scanner_command(const ProjectScanner& scanner, TomlPosition at, Mistakes& mistakes) {
    const std::vector<std::string>& command = scanner.program.command;
    if (command.front().find("${") != std::string::npos)
        mistakes.add(at,
                     "the program's name cannot contain variables; write command = [\"python3\", "
                     "\"${code:tools/scan.py}\", \"${in}\"]");
    for (std::size_t i = 1; i < command.size(); ++i) {
        for (const std::string_view variable : {"out", "depfile", "project", "variant", "name", "parameter"})
            if (has_variable(command[i], variable))
                return mistakes.add(at, "a scanner's command has no ${" + std::string(variable) +
                                            "}, only ${in}, ${in:all} and ${code:PATH}; it prints what it finds");
        if (const Status good = verify_variables(scanner.program, command[i]); !good)
            return mistakes.add(at, good.error().message());
    }
}

void finish_scanner(ProjectScanner& scanner, TomlPosition at, Mistakes& mistakes) {
    scanner.program.at = scanner.at;
    scanner.program.name = "scanner";
    if (scanner.match.empty())
        mistakes.add(at, "this [[scanner]] has no valid 'match'; write match = \"**/*.fx\"");
    if (scanner.pattern.empty() == scanner.program.command.empty())
        return mistakes.add(
            at, "a [[scanner]] has either 'pattern' or 'command'; write pattern = 'image = \"{reference}\"'");
    if (!scanner.program.command.empty())
        return check_scanner_command(scanner, at, mistakes);
    if (!scanner.program.version.empty() || !scanner.program.code.empty() || !scanner.program.inputs.empty() ||
        scanner.program.timeout != Processor().timeout)
        mistakes.add(
            at, "'version', 'code', 'inputs' and 'timeout' are for a scanner with 'command'; this one has 'pattern'");
}

}  // namespace

void read_link_table(const KeyValue& value, Project& project) {
    const auto* const table = value.expect<TomlTable>();
    if (!table)
        return;
    project.references.emplace();
    read_table<ProjectReferences>(*table, "in [link]", kReferenceKeys, *project.references, value.mistakes);
    const auto* const to = find_entry(*table, "rewrite_to");
    if (to && !find_entry(*table, "rewrite"))
        value.mistakes.add(to->at,
                           "'rewrite_to' applies to texts that match 'rewrite'; write rewrite = [\"materials/*.mtl\"]");
}

void read_split(const KeyValue& value, Project& project) {
    const auto* const table = value.expect<TomlTable>();
    if (!table)
        return;
    project.split.emplace();
    const std::size_t before = value.mistakes.count();
    read_table<SplitOptions>(*table, "in [split]", kSplitKeys, *project.split, value.mistakes);
    if (value.mistakes.count() != before)
        return;
    const bool has_policy = find_entry(*table, "policy") != nullptr;
    if (!project.split->axes.empty() && (has_policy || find_entry(*table, "bytes_max")))
        return value.mistakes.add(
            value.entry.at,
            "[split] has 'axes', and 'policy' or 'bytes_max' beside it; a project is split in one "
            "of both ways, so remove one");
    if (project.split->axes.empty() && !has_policy)
        value.mistakes.add(value.entry.at,
                           "[split] has no 'policy'; write " + std::string(kPolicyExample) + ", or axes = [\"lang\"]");
    if (project.split->policy == SplitPolicy::by_size && project.split->bytes_max == 0)
        value.mistakes.add(value.entry.at, "policy = \"by-size\" has no budget; write bytes_max = 100_000_000");
}

void read_scanners(const KeyValue& value, Project& project) {
    read_tables<kScannerKeys, finish_scanner, &Project::scanners>(value, project);
}

}  // namespace fardel
