#include "project_references.h"

#include "jobs/job_variables.h"
#include "project_processors.h"

#include <fardel/format/name.h>
#include <fardel/packer/pattern_scanner.h>

#include <utility>

namespace fardel {
namespace {

template <std::vector<std::string> ProjectReferences::*member>
void read_globs(const TomlEntry& entry, ProjectReferences& target, Mistakes& mistakes) {
    read_texts(entry, entry.key + " = [\"maps/*.bsp\"]", target.*member, verify_glob, mistakes);
}

void read_rewrite(const TomlEntry& entry, ProjectReferences& target, Mistakes& mistakes) {
    target.rewrite_line = entry.at.line;
    read_texts(entry, entry.key + " = [\"materials/*.mtl\"]", target.rewrite, verify_glob, mistakes);
}

// Reads one of two words; `is_second` is set to whether it is the second one.
void read_either(const TomlEntry& entry, std::string_view first, std::string_view second, bool& is_second,
                 Mistakes& mistakes) {
    const std::string example =
        entry.key + " = \"" + std::string(first) + "\" or " + entry.key + " = \"" + std::string(second) + "\"";
    const auto* const text = expect_text(entry.value, entry.key, example, mistakes);
    if (!text)
        return;
    if (*text != first && *text != second)
        return mistakes.add(entry.value.at, "'" + entry.key + "' is " + in_short_quotes(*text) + "; write " + example);
    is_second = *text == second;
}

void read_rewrite_to(const TomlEntry& entry, ProjectReferences& target, Mistakes& mistakes) {
    bool names = false;
    read_either(entry, "ids", "names", names, mistakes);
    target.rewrite_to = names ? RewriteTo::names : RewriteTo::ids;
}

constexpr Key<ProjectReferences> kReferenceKeys[] = {
    {"roots", read_globs<&ProjectReferences::roots>},
    {"used", read_globs<&ProjectReferences::used>},
    {"consumed", read_globs<&ProjectReferences::consumed>},
    {"references", [](const TomlEntry& entry, ProjectReferences& target,
                      Mistakes& mistakes) { read_truth(entry, target.link_tables, mistakes); }},
    {"rewrite", read_rewrite},
    {"rewrite_to", read_rewrite_to},
    {"missing", [](const TomlEntry& entry, ProjectReferences& target,
                   Mistakes& mistakes) { read_either(entry, "warn", "error", target.missing_fails, mistakes); }},
};

// ---- [split] --------------------------------------------------------------------------------------------------------

constexpr std::string_view kPolicies[] = {"one", "per-root", "by-size"};
constexpr std::string_view kPolicyExample = "policy = \"per-root\"";

void read_policy(const TomlEntry& entry, SplitOptions& split, Mistakes& mistakes) {
    const auto* const text = expect_text(entry.value, entry.key, kPolicyExample, mistakes);
    if (!text)
        return;
    const auto at = std::ranges::find(kPolicies, *text);
    if (at == std::ranges::end(kPolicies))
        mistakes.add(entry.value.at, "there is no policy " + in_short_quotes(*text) +
                                         "; write policy = \"one\", \"per-root\" or \"by-size\"");
    else
        split.policy = static_cast<SplitPolicy>(at - std::ranges::begin(kPolicies));
}

void read_bytes_max(const TomlEntry& entry, SplitOptions& split, Mistakes& mistakes) {
    const auto* const bytes = expect<std::int64_t>(entry.value, entry.key, "bytes_max = 100_000_000", mistakes);
    if (bytes && *bytes <= 0)
        mistakes.add(entry.value.at, "'bytes_max' is not above 0; write bytes_max = 100_000_000");
    else if (bytes)
        split.bytes_max = static_cast<std::uint64_t>(*bytes);
}

constexpr Key<SplitOptions> kSplitKeys[] = {
    {"policy", read_policy},
    {"bytes_max", read_bytes_max},
};

// ---- [[scanner]] ----------------------------------------------------------------------------------------------------

void read_match(const TomlEntry& entry, ProjectScanner& scanner, Mistakes& mistakes) {
    read_text(entry, "match = \"**/*.fx\"", scanner.match, mistakes);
    if (scanner.match.empty())
        return;
    if (const Status good = verify_glob(scanner.match); !good)
        mistakes.add(entry.value.at, in_short_quotes(scanner.match), good.error());
}

void read_pattern(const TomlEntry& entry, ProjectScanner& scanner, Mistakes& mistakes) {
    read_text(entry, "pattern = 'image = \"{reference}\"'", scanner.pattern, mistakes);
    if (scanner.pattern.empty())
        return;
    if (const auto good = PatternScanner::parse(scanner.pattern); !good)
        mistakes.add(entry.value.at, in_short_quotes(scanner.pattern), good.error());
}

void read_scanner_command(const TomlEntry& entry, ProjectScanner& scanner, Mistakes& mistakes) {
    read_processor_command(entry, "command = [\"python3\", \"${code:tools/scan.py}\", \"${in}\"]", scanner.program,
                           mistakes);
}

void read_use(const TomlEntry& entry, ProjectScanner& scanner, Mistakes& mistakes) {
    const auto* const text = expect_text(entry.value, entry.key, "use = \"texture\"", mistakes);
    if (!text)
        return;
    if (const auto use = find_reference_use(*text))
        scanner.use = *use;
    else
        mistakes.add(entry.value.at,
                     "there is no use " + in_short_quotes(*text) +
                         "; write one of file, texture, shader, sound, model, video, map, script, sky_box");
}

void read_form(const TomlEntry& entry, ProjectScanner& scanner, Mistakes& mistakes) {
    const auto* const text = expect_text(entry.value, entry.key, "form = \"relative\"", mistakes);
    if (!text)
        return;
    if (const auto form = find_reference_form(*text))
        scanner.form = *form;
    else
        mistakes.add(entry.value.at, "there is no form " + in_short_quotes(*text) +
                                         "; write one of from_root, below_textures, relative, relative_uri");
}

constexpr Key<ProjectScanner> kScannerKeys[] = {
    {"match", read_match},
    {"pattern", read_pattern},
    {"command", read_scanner_command},
    {"version", [](const TomlEntry& entry, ProjectScanner& scanner,
                   Mistakes& mistakes) { read_text(entry, "version = \"1\"", scanner.program.version, mistakes); }},
    {"code",
     [](const TomlEntry& entry, ProjectScanner& scanner, Mistakes& mistakes) {
         read_texts(
             entry, "code = [\"tools/scan.py\"]", scanner.program.code, [](std::string_view) { return ok(); },
             mistakes);
     }},
    {"inputs",
     [](const TomlEntry& entry, ProjectScanner& scanner, Mistakes& mistakes) {
         read_texts(entry, "inputs = [\"tables/**\"]", scanner.program.inputs, verify_glob, mistakes);
     }},
    {"timeout", [](const TomlEntry& entry, ProjectScanner& scanner,
                   Mistakes& mistakes) { read_processor_timeout(entry, scanner.program, mistakes); }},
    {"use", read_use},
    {"form", read_form},
    {"optional", [](const TomlEntry& entry, ProjectScanner& scanner,
                    Mistakes& mistakes) { read_truth(entry, scanner.optional, mistakes); }},
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
    scanner.line = at.line;
    scanner.program.line = at.line;
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

void read_link_table(const TomlEntry& entry, Project& project, Mistakes& mistakes) {
    const auto* const table = expect<TomlTable>(entry.value, entry.key, "[link] above its keys", mistakes);
    if (!table)
        return;
    project.references.emplace();
    read_table<ProjectReferences>(*table, "in [link]", kReferenceKeys, *project.references, mistakes);
    const auto to = std::ranges::find(*table, std::string_view("rewrite_to"), &TomlEntry::key);
    if (to != table->end() && std::ranges::find(*table, std::string_view("rewrite"), &TomlEntry::key) == table->end())
        mistakes.add(to->at,
                     "'rewrite_to' applies to texts that match 'rewrite'; write rewrite = [\"materials/*.mtl\"]");
}

void read_split(const TomlEntry& entry, Project& project, Mistakes& mistakes) {
    const auto* const table = expect<TomlTable>(entry.value, entry.key, "[split] above its keys", mistakes);
    if (!table)
        return;
    project.split.emplace();
    const std::size_t before = mistakes.count();
    read_table<SplitOptions>(*table, "in [split]", kSplitKeys, *project.split, mistakes);
    if (mistakes.count() != before)
        return;
    if (std::ranges::find(*table, std::string_view("policy"), &TomlEntry::key) == table->end())
        mistakes.add(entry.at, "[split] has no 'policy'; write " + std::string(kPolicyExample));
    if (project.split->policy == SplitPolicy::by_size && project.split->bytes_max == 0)
        mistakes.add(entry.at, "policy = \"by-size\" has no budget; write bytes_max = 100_000_000");
}

void read_scanners(const TomlEntry& entry, Project& project, Mistakes& mistakes) {
    read_tables<ProjectScanner>(entry, kScannerKeys, project.scanners, finish_scanner, mistakes);
}

}  // namespace fardel
