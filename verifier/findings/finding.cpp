#include <fardel/verifier/finding.h>

#include "verifier_rule.h"

#include <algorithm>
#include <array>

namespace fardel {
namespace {

// The id of a rule, derived from its name at compile time.
template <std::size_t N>
struct RuleId {
    constexpr explicit RuleId(const char (&name)[N]) {
        std::copy_n(name, N, text.begin());
        std::replace(text.begin(), text.end(), '_', '-');
    }
    constexpr std::string_view view() const noexcept { return {text.data(), N - 1}; }
    std::array<char, N> text{};
};

#define FARDEL_RULE(name, severity, code) constexpr RuleId k_##name(#name);
FARDEL_VERIFIER_RULES(FARDEL_RULE)
#undef FARDEL_RULE

constexpr std::array<VerifierRuleFacts, kVerifierRules> kFacts{{
#define FARDEL_RULE(name, severity, code) {k_##name.view(), FindingSeverity::severity, ErrorCode::code},
    FARDEL_VERIFIER_RULES(FARDEL_RULE)
#undef FARDEL_RULE
}};

}  // namespace

const VerifierRuleFacts& facts_of(VerifierRule rule) noexcept { return kFacts[static_cast<std::size_t>(rule)]; }

std::span<const VerifierRuleFacts> verifier_rules() noexcept { return kFacts; }

std::string_view severity_name(FindingSeverity severity) noexcept {
    switch (severity) {
        case FindingSeverity::error: return "error";
        case FindingSeverity::warning: return "warning";
        case FindingSeverity::note: return "note";
    }
    return "error";
}

std::string format_finding(const VerifyFinding& finding) {
    std::string text(severity_name(finding.severity));
    text += ": ";
    if (!finding.where.empty())
        text += finding.where + ": ";
    return text + finding.text + " [" + finding.rule + "]";
}

}  // namespace fardel
