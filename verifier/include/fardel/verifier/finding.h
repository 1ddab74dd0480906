// VerifyFinding: one defect or remark about a bundle or a set of bundles, as a value.
//
// format_finding() makes a line for people; programs read the fields. All texts are safe to print: names and other
// bytes of the bundle have passed through printable(). docs/verifier.md explains each rule and what to do about it.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

enum class FindingSeverity : std::uint8_t {
    error,    // the bundle violates the format, its hashes or the policy
    warning,  // the bundle is valid, but contains a probable mistake
    note,     // information
};

std::string_view severity_name(FindingSeverity severity) noexcept;

// An asset whose bytes a finding concerns. `name` is the first of its names in the bundle's order, or empty.
struct AffectedAsset {
    AssetId id;
    std::string name;

    friend bool operator==(const AffectedAsset&, const AffectedAsset&) = default;
};

inline constexpr std::size_t kAffectedAssetsMax = 64;  // in one finding; its text contains the full count

struct VerifyFinding {
    FindingSeverity severity = FindingSeverity::error;
    ErrorCode code = ErrorCode::malformed;
    std::string rule;                     // the stable id of a rule, such as "names-not-sorted"
    std::string where;                    // table and record, block or file offset; empty: the whole bundle
    std::string text;                     // what was found, what was expected, what to do
    std::vector<AffectedAsset> affected;  // assets whose bytes the finding concerns, at most kAffectedAssetsMax

    friend bool operator==(const VerifyFinding&, const VerifyFinding&) = default;
};

// "error: names record 7: … [names-not-sorted]"; one line.
std::string format_finding(const VerifyFinding& finding);

// The constant properties of a rule. A finding that reports an underlying error carries that error's code instead.
struct VerifierRuleFacts {
    std::string_view id;
    FindingSeverity severity = FindingSeverity::error;
    ErrorCode code = ErrorCode::malformed;
};

// All rules, in the order of docs/verifier.md.
std::span<const VerifierRuleFacts> verifier_rules() noexcept;

}  // namespace fardel
