#include "verify_findings.h"

namespace fardel {

std::string record_location(TableKind table, std::uint64_t index) {
    return std::string(table_name(table)) + " record " + std::to_string(index);
}

std::string leads_beyond(std::string_view what, std::uint64_t index, std::uint64_t count) {
    return "it leads to " + std::string(what) + " " + std::to_string(index) + "; the bundle has " +
           std::to_string(count);
}

void VerifyFindings::add(VerifierRule rule, std::string where, std::string text, std::vector<AffectedAsset> affected) {
    add(rule, std::move(where), Error(facts_of(rule).code, std::move(text)), std::move(affected));
}

void VerifyFindings::add(VerifierRule rule, std::string where, const Error& error,
                         std::vector<AffectedAsset> affected) {
    const bool full = is_full(rule);
    count(rule);
    if (full)
        return;
    const VerifierRuleFacts& facts = facts_of(rule);
    findings_.push_back(
        {facts.severity, error.code(), std::string(facts.id), std::move(where), error.message(), std::move(affected)});
}

FindingCounts VerifyFindings::counts() const noexcept {
    FindingCounts counts;
    for (std::size_t i = 0; i < kVerifierRules; ++i)
        counts.of(facts_of(static_cast<VerifierRule>(i)).severity) += counts_[i];
    return counts;
}

std::vector<VerifyFinding> VerifyFindings::take() {
    for (std::size_t i = 0; i < kVerifierRules; ++i) {
        if (counts_[i] <= max_)
            continue;
        const VerifierRuleFacts& facts = facts_of(static_cast<VerifierRule>(i));
        findings_.push_back({facts.severity,
                             facts.code,
                             std::string(facts.id),
                             "",
                             "and " + std::to_string(counts_[i] - max_) + " more of this rule",
                             {}});
    }
    return std::move(findings_);
}

}  // namespace fardel
