#include <fardel/verifier/finding.h>

#include "rule.h"

#include <algorithm>
#include <array>

namespace fardel {
namespace {

// A rule's id, made of its name at compile time.
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

constexpr std::array<RuleFacts, kRules> kFacts{{
#define FARDEL_RULE(name, severity, code) {k_##name.view(), Severity::severity, ErrorCode::code},
    FARDEL_VERIFIER_RULES(FARDEL_RULE)
#undef FARDEL_RULE
}};

}  // namespace

const RuleFacts& facts_of(Rule rule) noexcept { return kFacts[static_cast<std::size_t>(rule)]; }

std::span<const RuleFacts> verifier_rules() noexcept { return kFacts; }

std::string_view severity_name(Severity severity) noexcept {
    switch (severity) {
        case Severity::error: return "error";
        case Severity::warning: return "warning";
        case Severity::note: return "note";
    }
    return "error";
}

std::string format_finding(const Finding& finding) {
    std::string text(severity_name(finding.severity));
    text += ": ";
    if (!finding.where.empty())
        text += finding.where + ": ";
    return text + finding.text + " [" + finding.rule + "]";
}

}  // namespace fardel
