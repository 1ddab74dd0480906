#include "build_findings.h"

#include "bundles/left_out.h"

#include <fardel/base/folder.h>
#include <fardel/base/path_text.h>
#include <fardel/format/printable.h>

#include <fmt/format.h>

#include <array>

namespace fardel {
namespace {

struct BuildRule {
    std::string_view id;
    FindingSeverity severity;
    ErrorCode code;
    std::string_view help;
};

constexpr std::array<BuildRule, 9> kBuildRules{{
    {"missing-reference", FindingSeverity::error, ErrorCode::unresolved,
     "The running game looks this file up, and nothing has it. See docs/resolving.md."},
    {"missing-soft", FindingSeverity::warning, ErrorCode::unresolved,
     "Nothing has this file, and the game goes on without it. See docs/resolving.md."},
    {"respelled-reference", FindingSeverity::warning, ErrorCode::unresolved,
     "The file is there under another spelling, which only a mount that ignores case finds."},
    {"broken-asset", FindingSeverity::warning, ErrorCode::malformed, "The file, or a part of it, could not be read."},
    {"unused-asset", FindingSeverity::note, ErrorCode::unresolved, "No root leads to this file."},
    {"idle-pattern", FindingSeverity::warning, ErrorCode::unresolved, "The pattern or rule matches nothing."},
    {"left-out", FindingSeverity::error, ErrorCode::unresolved,
     "The file is in the sources and will not be in the bundle. See docs/packing.md."},
    {"expired-asset", FindingSeverity::error, ErrorCode::expired, "No game opens this file any more."},
    {"other-bytes", FindingSeverity::error, ErrorCode::conflict,
     "A job gave other bytes for the same inputs. See docs/builds.md."},
}};

const BuildRule& rule_of(std::string_view id) {
    for (const BuildRule& rule : kBuildRules)
        if (rule.id == id)
            return rule;
    return kBuildRules.front();  // not reached
}

FindingList list_of(std::string verb) {
    FindingList list{.verb = std::move(verb)};
    for (const BuildRule& rule : kBuildRules)
        list.rules.push_back(
            {.id = rule.id, .severity = rule.severity, .code = rule.code, .help = std::string(rule.help)});
    return list;
}

// The file that has the name, in the last of the folders that has it; otherwise the first source, which may be an
// archive.
std::string locate(const std::string& name, const std::vector<std::string>& sources) {
    for (auto source = sources.rbegin(); source != sources.rend(); ++source) {
        const std::string path = joined_path(*source, name);
        if (const auto status = find_file_status(path, {}); status && *status)
            return path;
    }
    return sources.empty() ? name : sources.front();
}

// Adds findings of one kind to a suite.
class FindingAdder {
public:
    FindingAdder(FindingSuite& suite, const std::vector<std::string>& sources) : suite_(suite), sources_(sources) {}

    // `name`: of an asset; `line`: of its text, or 0.
    void add(std::string_view rule, const std::string& name, std::uint32_t line, std::string text) const {
        add_to_file(rule, locate(name, sources_), printable(name), std::move(text));
        suite_.findings.back().line = line;
        suite_.findings.back().places.push_back({.name = printable(name), .kind = "resource"});
    }
    void add_to_file(std::string_view rule, std::string file, std::string where, std::string text) const {
        const BuildRule& facts = rule_of(rule);
        suite_.findings.push_back({.severity = facts.severity,
                                   .code = facts.code,
                                   .rule = std::string(rule),
                                   .where = std::move(where),
                                   .text = std::move(text),
                                   .files = {std::move(file)}});
    }
    void add_to_whole(std::string_view rule, std::string text) const {
        add_to_file(rule, sources_.empty() ? std::string() : sources_.front(), "", std::move(text));
    }

private:
    FindingSuite& suite_;
    const std::vector<std::string>& sources_;
};

// What the audit of an asset and the summary of a build have in common.
template <class References>
void add_references(const References& references, const FindingAdder& findings) {
    const auto add_missing = [&](std::string_view rule, const MissingReference& missing) {
        findings.add(rule, missing.from, missing.reference.line,
                     fmt::format("{}, {}", describe(missing), describe_tried(missing)));
    };
    for (const MissingReference& missing : references.missing)
        add_missing("missing-reference", missing);
    for (const MissingReference& missing : references.soft)
        add_missing("missing-soft", missing);
    for (const RespelledReference& respelled : references.respelled)
        findings.add("respelled-reference", respelled.from, respelled.reference.line, describe(respelled));
    for (const BrokenAsset& broken : references.broken)
        if (broken.kind != BrokenKind::other_format)
            findings.add("broken-asset", broken.name, 0, printable(broken.reason));
    for (const std::string& pattern : references.idle_patterns)
        findings.add_to_whole("idle-pattern", printable(pattern));
}

void add_left_out(const ScanReport& report, const FindingAdder& findings) {
    for (LeftOutFile& file : left_out_files(report))
        if (file.is_lost)
            findings.add_to_file("left-out", file.origin, "", fmt::format("{}: {}", file.kind, printable(file.reason)));
}

FindingSuite suite_of(const BuildOutcome& outcome, const std::vector<std::string>& sources) {
    FindingSuite suite{.name = printable(outcome.target), .passed = "sources, jobs, references"};
    const FindingAdder findings(suite, sources);
    add_left_out(outcome.summary.scan, findings);
    for (const std::string& rule : outcome.summary.idle_rules)
        findings.add_to_whole("idle-pattern", printable(rule));
    for (const std::string& job : outcome.different)
        findings.add_to_whole("other-bytes", printable(job));
    if (outcome.summary.references)
        add_references(*outcome.summary.references, findings);
    return suite;
}

}  // namespace

FindingList findings_of_build(const std::vector<BuildOutcome>& outcomes, const std::vector<std::string>& sources) {
    FindingList list = list_of("fardel build");
    for (const BuildOutcome& outcome : outcomes)
        list.suites.push_back(suite_of(outcome, sources));
    return list;
}

FindingList findings_of_audit(const ReferenceAudit& audit, const ScanReport& left_out,
                              const std::vector<std::pair<std::string, std::string>>& expired,
                              const std::vector<std::string>& sources) {
    FindingList list = list_of("fardel audit");
    FindingSuite& suite =
        list.suites.emplace_back(FindingSuite{.name = "references and files", .passed = "sources and references"});
    const FindingAdder findings(suite, sources);
    add_left_out(left_out, findings);
    for (const auto& [name, date] : expired)
        findings.add("expired-asset", name, 0, "expired " + date);
    add_references(audit, findings);
    for (const UnusedAsset& unused : audit.unused)
        findings.add("unused-asset", unused.name, 0,
                     fmt::format("{} bytes, and no root leads to it", unused.size_bytes));
    return list;
}

}  // namespace fardel
