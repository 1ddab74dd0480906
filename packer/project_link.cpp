#include "project_link.h"

#include <fardel/format/name.h>
#include <fardel/packer/pattern_scanner.h>

#include <utility>

namespace fardel {
namespace {

template <std::vector<std::string> ProjectLink::* member>
void read_globs(const TomlEntry& entry, ProjectLink& link, Mistakes& mistakes) {
    read_texts(entry, entry.key + " = [\"maps/*.bsp\"]", link.*member, verify_glob, mistakes);
}

constexpr Key<ProjectLink> kLinkKeys[] = {
    {"roots", read_globs<&ProjectLink::roots>},
    {"used", read_globs<&ProjectLink::used>},
    {"consumed", read_globs<&ProjectLink::consumed>},
    {"references", [](const TomlEntry& entry, ProjectLink& link, Mistakes& mistakes) { read_truth(entry, link.references, mistakes); }},
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
        mistakes.add(entry.value.at, "there is no policy " + in_short_quotes(*text) + "; write policy = \"one\", \"per-root\" or \"by-size\"");
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

void read_command(const TomlEntry& entry, ProjectScanner& scanner, Mistakes& mistakes) {
    constexpr std::string_view kExample = "command = [\"python3\", \"tools/scan.py\"]";
    for (const TomlValue& item : expect_list(entry, kExample, mistakes))
        if (const auto* const word = expect_text(item, entry.key, kExample, mistakes))
            scanner.command.push_back(*word);
}

void read_use(const TomlEntry& entry, ProjectScanner& scanner, Mistakes& mistakes) {
    const auto* const text = expect_text(entry.value, entry.key, "use = \"texture\"", mistakes);
    if (!text)
        return;
    if (const auto use = find_reference_use(*text))
        scanner.use = *use;
    else
        mistakes.add(entry.value.at, "there is no use " + in_short_quotes(*text) + "; write one of file, texture, shader, sound, model, video, map, script, sky_box");
}

void read_form(const TomlEntry& entry, ProjectScanner& scanner, Mistakes& mistakes) {
    const auto* const text = expect_text(entry.value, entry.key, "form = \"relative\"", mistakes);
    if (!text)
        return;
    if (const auto form = find_reference_form(*text))
        scanner.form = *form;
    else
        mistakes.add(entry.value.at, "there is no form " + in_short_quotes(*text) + "; write one of from_root, below_textures, relative, relative_uri");
}

constexpr Key<ProjectScanner> kScannerKeys[] = {
    {"match", read_match},
    {"pattern", read_pattern},
    {"command", read_command},
    {"use", read_use},
    {"form", read_form},
    {"optional", [](const TomlEntry& entry, ProjectScanner& scanner, Mistakes& mistakes) { read_truth(entry, scanner.optional, mistakes); }},
};

void finish_scanner(ProjectScanner& scanner, TomlPosition at, Mistakes& mistakes) {
    scanner.line = at.line;
    if (scanner.match.empty())
        mistakes.add(at, "this [[scanner]] has no good 'match'; write match = \"**/*.fx\"");
    if (scanner.pattern.empty() == scanner.command.empty())
        mistakes.add(at, "a [[scanner]] has either 'pattern' or 'command'; write pattern = 'image = \"{reference}\"'");
}

}  // namespace

void read_link(const TomlEntry& entry, Project& project, Mistakes& mistakes) {
    const auto* const table = expect<TomlTable>(entry.value, entry.key, "[link] above its keys", mistakes);
    if (!table)
        return;
    project.link.emplace();
    read_table<ProjectLink>(*table, "in [link]", kLinkKeys, *project.link, mistakes);
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
