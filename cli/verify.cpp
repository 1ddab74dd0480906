// fardel verify: verifies bundles completely, each one alone and several together.

#include "console/figures.h"
#include "console/json.h"
#include "console/progress_bar.h"
#include "verbs.h"

#include <fardel/base/interrupt.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>
#include <fardel/packer/game_profile.h>
#include <fardel/verifier/verify_bundle.h>

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace fardel {
namespace {

// Every finding, grouped by bundle and then by severity, and a verdict.
struct VerifyOutcome {
    std::vector<std::string> files;  // as given, one per element of set.bundles
    std::string policy;              // its path; empty: no signature was required
    VerifySetReport set;
};

constexpr std::size_t kHitsShown = 5;  // --json has more

// ---- For people -----------------------------------------------------------------------------------------------------

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
    if (!report.verdict || !report.verdict->trusted)
        return {};
    if (report.verdict->tainted)
        return "  accepted without a trusted signature, because the policy allows it (development)\n";
    const Statement& statement = *report.verdict->statement;
    std::string text = fmt::format("  signed as {}\n", format_title(printable(statement.name), statement.version));
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
    const auto hit = [](const AffectedAsset& one) { return Json{{"asset", one.id.hex()}, {"name", one.name}}; };
    return json_list(findings, [&](const VerifyFinding& finding) {
        return Json{{"severity", severity_name(finding.severity)},
                    {"code", error_code_name(finding.code)},
                    {"rule", finding.rule},
                    {"where", finding.where},
                    {"text", finding.text},
                    {"hits", json_list(finding.affected, hit)}};
    });
}

Json json_of_trust(const std::optional<TrustVerdict>& verdict) {
    if (!verdict)
        return nullptr;
    Json signers = json_list(verdict->signers, [](const TrustedSigner& signer) {
        return Json{{"label", signer.label}, {"role", role_name(signer.role)}, {"key", signer.key.hex()}};
    });
    return Json{{"trusted", verdict->trusted},
                {"tainted", verdict->tainted},
                {"name", verdict->statement ? Json(verdict->statement->name) : Json()},
                {"version", verdict->statement ? Json(verdict->statement->version) : Json()},
                {"rule", verdict->rule ? Json(verdict->rule->pattern) : Json()},
                {"layout_signed", verdict->layout_signed},
                {"signers", std::move(signers)}};
}

Json json_of(const std::string& file, const VerifyReport& report) {
    return Json{
        {"file", file},
        {"good", report.good()},
        {"bundle", json_id(report.bundle)},
        {"layout", json_id(report.layout)},
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

// ---- Verifying ------------------------------------------------------------------------------------------------------

struct VerifyCommand {
    std::vector<std::string> files;
    std::string policy;
    std::string profile;
    std::uint64_t jobs = 0;
    bool json = false;
};

Result<VerifySetReport> verify_files(std::span<const VerifyInput> inputs, const VerifyOptions& options) {
    if (inputs.size() > 1)
        return verify_set(inputs, options);
    VerifySetReport report;
    FARDEL_TRY_ASSIGN(VerifyReport alone, verify_bundle(inputs.front().source, options));
    report.bundles.push_back(std::move(alone));
    return report;
}

Result<Exit> verify(const VerifyCommand& command, Console& console) {
    VerifyOptions options;
    std::optional<TrustPolicy> policy;
    if (!command.policy.empty()) {
        FARDEL_TRY_ASSIGN(policy, read_trust_policy(command.policy));
        options.policy = &*policy;
    }
    if (!command.profile.empty()) {
        FARDEL_TRY_ASSIGN(const auto profile, load_game_profile(command.profile));
        for (const Placement& one : profile->placements)
            options.placements.push_back({.files = one.files, .within = one.within, .why = one.why});
    }
    std::vector<VerifyInput> inputs;
    for (const std::string& file : command.files) {
        FARDEL_TRY_ASSIGN(auto source, open_file_source(file));
        inputs.push_back({std::move(source), file});
    }

    const Interrupt interrupt;
    options.jobs = static_cast<unsigned>(command.jobs);
    options.stop = interrupt.token();
    VerifyOutcome outcome{.files = command.files, .policy = command.policy};
    {
        ProgressBar bar(console, "verifying");
        options.progress = [&](const VerifyProgress& progress) {
            bar.show(progress.stored_bytes_done, progress.stored_bytes_total,
                     fmt::format("{} of {}", format_size(progress.stored_bytes_done),
                                 format_size(progress.stored_bytes_total)));
        };
        FARDEL_TRY_ASSIGN(outcome.set, verify_files(inputs, options));
    }
    return print_result(
        console, command.json, [&] { return json_of(outcome); }, [&] { return format_outcome(outcome, console); },
        outcome.set.good() ? Exit::fine : Exit::refusal);
}

}  // namespace

Result<Exit> run_verify(Words words, Console& console) {
    CommandLine line(
        "verify", "FILE... [--trust POLICY] [--profile NAME|FILE] [--jobs N] [--json]",
        "Verifies every byte of bundles and lists everything that is wrong. Several files are also checked "
        "as a set that is mounted together.",
        "  fardel verify mygame.fardel\n"
        "  fardel verify mygame.fardel mod.fardel --trust policy.trust\n");
    VerifyCommand command;
    line.texts("FILE", "FILE", command.files, "The bundles")->required();
    line.text("--trust", "POLICY", command.policy, "The policy whose signatures are required (default: none)");
    line.text("--profile", "NAME|FILE", command.profile,
              "The conventions that names must follow: gltf, quake3, or a file .toml (default: none)");
    line.number("-j,--jobs", command.jobs, 0, 256, "Threads (default: one per core)");
    line.json(command.json);
    return line.run(words, console, [&] { return verify(command, console); });
}

}  // namespace fardel
