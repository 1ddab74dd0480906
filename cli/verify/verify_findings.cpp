#include "verify/verify_outcome.h"

#include <fardel/format/name.h>

namespace fardel {
namespace {

constexpr std::size_t kSuiteNameBytesMax = 1000;

ListedFinding listed(const VerifyFinding& finding, std::vector<std::string> files) {
    ListedFinding listed{.severity = finding.severity,
                         .code = finding.code,
                         .rule = finding.rule,
                         .where = finding.where,
                         .text = finding.text,
                         .files = std::move(files)};
    if (!finding.where.empty())
        listed.places.push_back({.name = finding.where, .kind = "member"});
    for (const AffectedAsset& hit : finding.affected)
        listed.places.push_back({.name = hit.name.empty() ? "/assets/" + hit.id.hex() : hit.name, .kind = "resource"});
    return listed;
}

FindingSuite suite_of(const std::string& name, const std::vector<VerifyFinding>& findings,
                      const std::vector<std::string>& files) {
    FindingSuite suite{.name = printable(name, kSuiteNameBytesMax), .passed = "every byte, table and signature"};
    for (const VerifyFinding& finding : findings)
        suite.findings.push_back(listed(finding, files));
    return suite;
}

}  // namespace

FindingList findings_of(const VerifyOutcome& outcome) {
    FindingList list{.verb = "fardel verify"};
    for (const VerifierRuleFacts& rule : verifier_rules())
        list.rules.push_back({.id = rule.id,
                              .severity = rule.severity,
                              .code = rule.code,
                              .help = "See the rule " + std::string(rule.id) + " in docs/verifier.md."});
    for (std::size_t i = 0; i < outcome.files.size(); ++i) {
        const VerifyReport& report = outcome.set.bundles[i];
        list.artifacts.push_back({{"location", {{"uri", uri_of(outcome.files[i])}}},
                                  {"length", report.sizes.file_bytes},
                                  {"properties", {{"bundle", json_id(report.bundle.id)}}}});
        list.suites.push_back(suite_of(outcome.files[i], report.findings, {outcome.files[i]}));
    }
    if (outcome.files.size() > 1 || !outcome.whole.empty() || !outcome.set.findings.empty())
        list.suites.push_back(outcome.whole.empty() ? suite_of("together", outcome.set.findings, outcome.files)
                                                    : suite_of(outcome.whole, outcome.set.findings, {outcome.whole}));
    return list;
}

}  // namespace fardel
