// Finding: one thing that the verifier has to say about a bundle or a set of bundles, as a value.
//
// Text for people comes from format_finding; a program looks at the fields. Every text here is safe to show: names and
// other bytes of the bundle have passed through printable(). docs/verifier.md says what each rule means and what to do.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/format/result.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

enum class Severity : std::uint8_t {
    error,    // the bundle is not what the format, its hashes or the policy demand
    warning,  // it is, and somebody made a mistake all the same
    note,     // worth knowing
};

std::string_view severity_name(Severity severity) noexcept;

// An asset that a finding is about. `name`: the first of its names in the bundle's order; empty without one.
struct HitAsset {
    AssetId id;
    std::string name;

    friend bool operator==(const HitAsset&, const HitAsset&) = default;
};

inline constexpr std::size_t kHitAssetsMax = 64;  // in one finding; its text tells how many there are

struct Finding {
    Severity severity = Severity::error;
    ErrorCode code = ErrorCode::malformed;
    std::string rule;            // stable, "names-not-sorted": one of verifier_rules()
    std::string where;           // table and record, block, file offset; empty: the whole
    std::string text;            // what was found, what was expected, what to do
    std::vector<HitAsset> hits;  // the assets whose bytes are concerned, if any

    friend bool operator==(const Finding&, const Finding&) = default;
};

// "error: names record 7: … [names-not-sorted]"; one line.
std::string format_finding(const Finding& finding);

// What is fixed about a rule. A finding may carry a more precise code, that of the error underneath.
struct RuleFacts {
    std::string_view id;
    Severity severity = Severity::error;
    ErrorCode code = ErrorCode::malformed;
};

// Every rule there is, in the order of docs/verifier.md.
std::span<const RuleFacts> verifier_rules() noexcept;

}  // namespace fardel
