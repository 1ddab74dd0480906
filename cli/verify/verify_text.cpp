#include "verify/verify_outcome.h"

#include "console/figures.h"

#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kHitsShown = 5;  // --json has more

Colour colour_of(FindingSeverity severity) {
    return severity == FindingSeverity::error     ? Colour::red
           : severity == FindingSeverity::warning ? Colour::yellow
                                                  : Colour::faint;
}

std::string format_hits(const std::vector<AffectedAsset>& hits) {
    const auto shown = [](const AffectedAsset& hit) { return hit.name.empty() ? "asset " + hit.id.hex() : hit.name; };
    return format_items(hits, kHitsShown, "      ", shown, "");
}

std::string format_findings(const std::vector<VerifyFinding>& findings, const Console& console) {
    std::string text;
    for (const FindingSeverity severity : {FindingSeverity::error, FindingSeverity::warning, FindingSeverity::note}) {
        for (const VerifyFinding& finding : findings) {
            if (finding.severity != severity)
                continue;
            const std::string line = format_finding(finding);
            const std::string_view word = severity_name(severity);
            text += fmt::format("  {}{}\n{}", console.paint(colour_of(severity), word), line.substr(word.size()),
                                format_hits(finding.affected));
        }
    }
    return text;
}

std::string format_trust(const VerifyReport& report) {
    if (!report.trailer.verdict || !report.trailer.verdict->trusted)
        return {};
    if (report.trailer.verdict->tainted)
        return "  accepted without a trusted signature, because the policy allows it (development)\n";
    const Statement& statement = *report.trailer.verdict->statement;
    std::string text = fmt::format("  signed as {}\n", format_title(printable(statement.name), statement.version));
    for (const TrustedSigner& signer : report.trailer.verdict->signers)
        text += fmt::format("  signed by {} as {}, key {}\n", signer.label, role_name(signer.role), signer.key.hex());
    return text;
}

std::string format_bundle(const std::string& file, const VerifyReport& report, const Console& console) {
    std::string text =
        fmt::format("{}: {}\n", printable(file, 1000),
                    report.good() ? console.paint(Colour::green, "good") : console.paint(Colour::red, "BAD"));
    if (report.bundle.id)
        text += fmt::format("  {}, bundle {}\n", format_title(report.bundle.name, report.bundle.version),
                            report.bundle.id->hex());
    text += fmt::format("  {}, {}; {} of {} verified\n", format_count(report.counts.assets, "asset", "assets"),
                        format_count(report.counts.names, "name", "names"), format_size(report.sizes.raw_bytes_proved),
                        format_size(report.sizes.raw_bytes));
    return text + format_trust(report) + format_findings(report.findings, console);
}

std::string format_claim(const ProvenanceOutcome& provenance) {
    std::string text =
        fmt::format("{}: a provenance of {}, from {} and {}\n", printable(provenance.file, 1000),
                    format_count(provenance.bundles, "bundle", "bundles"),
                    format_count(provenance.read, "file", "files"), format_count(provenance.jobs, "job", "jobs"));
    for (const ProvenanceSigner& signer : provenance.signers)
        text += fmt::format("  signed by {} {}\n", signer.label.empty() ? "the key" : signer.label + ", key",
                            signer.key.hex());
    if (const auto& again = provenance.rebuilt)
        text += fmt::format("  built again from {}: {} of {} ran; {} of {} the same\n", printable(again->project, 1000),
                            format_count(again->jobs_run), format_count(again->jobs, "job", "jobs"),
                            format_count(again->same), format_count(again->compared, "bundle is", "bundles are"));
    return text;
}

std::string format_verdict(const VerifyOutcome& outcome, const Console& console) {
    const FindingCounts totals = totals_of(outcome.set);
    const std::string noun = !outcome.subject.empty()    ? outcome.subject + " is"
                             : outcome.files.size() == 1 ? "the bundle is"
                                                         : "the bundles are";
    std::string text = totals.errors == 0 ? console.paint(Colour::green, fmt::format("verdict: {} good", noun))
                                          : console.paint(Colour::red, fmt::format("verdict: {} BAD", noun));
    text +=
        fmt::format(" ({}, {}, {})\n", format_count(totals.errors, "error", "errors"),
                    format_count(totals.warnings, "warning", "warnings"), format_count(totals.notes, "note", "notes"));
    text += outcome.policy.empty() ? "no signature was required; --trust POLICY requires those of a policy\n"
                                   : fmt::format("signatures were required by {}\n", printable(outcome.policy));
    return text;
}

}  // namespace

void add_finding(VerifySetReport& set, std::string_view rule, std::string where, const Error& error) {
    const auto& rules = verifier_rules();
    const auto facts = std::ranges::find(rules, rule, &VerifierRuleFacts::id);
    assert(facts != rules.end());
    set.findings.push_back({.severity = facts->severity,
                            .code = error.code(),
                            .rule = std::string(rule),
                            .where = std::move(where),
                            .text = error.message(),
                            .affected = {}});
    ++set.found.of(facts->severity);
}

FindingCounts totals_of(const VerifySetReport& set) {
    FindingCounts totals = set.found;
    for (const VerifyReport& report : set.bundles)
        totals += report.found;
    return totals;
}

std::string format_outcome(const VerifyOutcome& outcome, const Console& console) {
    std::string text;
    for (std::size_t i = 0; i < outcome.files.size(); ++i)
        text += format_bundle(outcome.files[i], outcome.set.bundles[i], console);
    if (outcome.provenance)
        text += format_claim(*outcome.provenance);
    if (!outcome.set.findings.empty())
        text += (outcome.whole.empty() ? "together" : printable(outcome.whole, 1000)) + ":\n" +
                format_findings(outcome.set.findings, console);
    return text + format_verdict(outcome, console);
}

}  // namespace fardel
