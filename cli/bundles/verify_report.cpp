#include "verify_report.h"

#include "console/figures.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::size_t kHitsShown = 5;  // --json has more

// ---- For people -----------------------------------------------------------------------------------------------------

Colour colour_of(FindingSeverity severity) {
    return severity == FindingSeverity::error     ? Colour::red
           : severity == FindingSeverity::warning ? Colour::yellow
                                                  : Colour::faint;
}

std::string format_hits(const std::vector<AffectedAsset>& hits) {
    std::string text;
    for (const AffectedAsset& hit : std::span(hits).first(std::min(hits.size(), kHitsShown)))
        text += fmt::format("      {}\n", hit.name.empty() ? "asset " + hit.id.hex() : hit.name);
    if (hits.size() > kHitsShown)
        text += fmt::format("      … and {} more\n", hits.size() - kHitsShown);
    return text;
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
    if (!report.verdict || !report.verdict->trusted)
        return {};
    if (report.verdict->tainted)
        return "  accepted without a trusted signature, because the policy allows it (development)\n";
    std::string text;
    for (const TrustedSigner& signer : report.verdict->signers)
        text += fmt::format("  signed by {} as {}, key {}\n", signer.label, role_name(signer.role), signer.key.hex());
    return text;
}

std::string format_bundle(const std::string& file, const VerifyReport& report, const Console& console) {
    std::string text =
        fmt::format("{}: {}\n", printable(file, 1000),
                    report.good() ? console.paint(Colour::green, "good") : console.paint(Colour::red, "BAD"));
    if (report.bundle)
        text += fmt::format("  {}, bundle {}\n", format_title(report.name, report.version), report.bundle->hex());
    text += fmt::format("  {}, {}; {} of {} verified\n", format_count(report.assets, "asset", "assets"),
                        format_count(report.names, "name", "names"), format_size(report.raw_bytes_proved),
                        format_size(report.raw_bytes));
    return text + format_trust(report) + format_findings(report.findings, console);
}

struct Totals {
    std::uint64_t errors = 0;
    std::uint64_t warnings = 0;
    std::uint64_t notes = 0;
};

Totals totals_of(const VerifySetReport& set) {
    Totals totals{set.errors, set.warnings, set.notes};
    for (const VerifyReport& report : set.bundles) {
        totals.errors += report.errors;
        totals.warnings += report.warnings;
        totals.notes += report.notes;
    }
    return totals;
}

std::string format_verdict(const VerifyOutcome& outcome, const Console& console) {
    const Totals totals = totals_of(outcome.set);
    const std::string_view noun = outcome.files.size() == 1 ? "the bundle is" : "the bundles are";
    std::string text = totals.errors == 0 ? console.paint(Colour::green, fmt::format("verdict: {} good", noun))
                                          : console.paint(Colour::red, fmt::format("verdict: {} BAD", noun));
    text +=
        fmt::format(" ({}, {}, {})\n", format_count(totals.errors, "error", "errors"),
                    format_count(totals.warnings, "warning", "warnings"), format_count(totals.notes, "note", "notes"));
    text += outcome.policy.empty() ? "no signature was required; --trust POLICY requires those of a policy\n"
                                   : fmt::format("signatures were required by {}\n", printable(outcome.policy));
    return text;
}

// ---- For programs ---------------------------------------------------------------------------------------------------

Json json_of(const std::vector<VerifyFinding>& findings) {
    Json list = Json::array();
    for (const VerifyFinding& finding : findings) {
        Json hits = Json::array();
        for (const AffectedAsset& hit : finding.affected)
            hits.push_back({{"asset", hit.id.hex()}, {"name", hit.name}});
        list.push_back({{"severity", severity_name(finding.severity)},
                        {"code", error_code_name(finding.code)},
                        {"rule", finding.rule},
                        {"where", finding.where},
                        {"text", finding.text},
                        {"hits", std::move(hits)}});
    }
    return list;
}

Json json_of_trust(const std::optional<TrustVerdict>& verdict) {
    if (!verdict)
        return nullptr;
    Json signers = Json::array();
    for (const TrustedSigner& signer : verdict->signers)
        signers.push_back({{"label", signer.label}, {"role", role_name(signer.role)}, {"key", signer.key.hex()}});
    return Json{{"trusted", verdict->trusted},
                {"tainted", verdict->tainted},
                {"layout_signed", verdict->layout_signed},
                {"signers", std::move(signers)}};
}

template <class Id>
Json json_of_id(const std::optional<Id>& id) {
    return id ? Json(id->hex()) : Json();
}

Json json_of(const std::string& file, const VerifyReport& report) {
    return Json{
        {"file", file},
        {"good", report.good()},
        {"bundle", json_of_id(report.bundle)},
        {"layout", json_of_id(report.layout)},
        {"name", report.name},
        {"version", report.version},
        {"assets", report.assets},
        {"names", report.names},
        {"blocks", report.blocks},
        {"signatures", report.signatures},
        {"file_bytes", report.file_bytes},
        {"raw_bytes", report.raw_bytes},
        {"stored_bytes", report.stored_bytes},
        {"raw_bytes_proved", report.raw_bytes_proved},
        {"trust", json_of_trust(report.verdict)},
        {"errors", report.errors},
        {"warnings", report.warnings},
        {"notes", report.notes},
        {"findings", json_of(report.findings)},
    };
}

}  // namespace

std::string format_outcome(const VerifyOutcome& outcome, const Console& console) {
    std::string text;
    for (std::size_t i = 0; i < outcome.files.size(); ++i)
        text += format_bundle(outcome.files[i], outcome.set.bundles[i], console);
    if (!outcome.set.findings.empty())
        text += "together:\n" + format_findings(outcome.set.findings, console);
    return text + format_verdict(outcome, console);
}

Json json_of(const VerifyOutcome& outcome) {
    const Totals totals = totals_of(outcome.set);
    Json bundles = Json::array();
    for (std::size_t i = 0; i < outcome.files.size(); ++i)
        bundles.push_back(json_of(outcome.files[i], outcome.set.bundles[i]));
    return Json{
        {"good", totals.errors == 0},
        {"policy", outcome.policy.empty() ? Json() : Json(outcome.policy)},
        {"errors", totals.errors},
        {"warnings", totals.warnings},
        {"notes", totals.notes},
        {"bundles", std::move(bundles)},
        {"set_findings", json_of(outcome.set.findings)},
    };
}

}  // namespace fardel
