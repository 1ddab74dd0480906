#include "findings.h"

#include <utility>

namespace fardel {

std::string record_place(TableKind table, std::uint64_t index) {
    return std::string(table_name(table)) + " record " + std::to_string(index);
}

void Findings::add(Rule rule, std::string where, std::string text, std::vector<HitAsset> hits) {
    add(rule, facts_of(rule).code, std::move(where), std::move(text), std::move(hits));
}

void Findings::add(Rule rule, std::string where, const Error& error, std::vector<HitAsset> hits) {
    add(rule, error.code(), std::move(where), error.message(), std::move(hits));
}

void Findings::add(Rule rule, ErrorCode code, std::string where, std::string text, std::vector<HitAsset> hits) {
    const bool full = is_full(rule);
    count(rule);
    if (full)
        return;
    const RuleFacts& facts = facts_of(rule);
    findings_.push_back(
        {facts.severity, code, std::string(facts.id), std::move(where), std::move(text), std::move(hits)});
}

std::uint64_t Findings::total(Severity severity) const noexcept {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < kRules; ++i)
        if (facts_of(static_cast<Rule>(i)).severity == severity)
            total += counts_[i];
    return total;
}

std::vector<Finding> Findings::take() {
    for (std::size_t i = 0; i < kRules; ++i) {
        if (counts_[i] <= max_)
            continue;
        const RuleFacts& facts = facts_of(static_cast<Rule>(i));
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
