// What a verification is asked for, VerifyOptions, and what it answers with: VerifyFinding, one defect or remark about
// a bundle or a set of bundles. Values.
//
// format_finding() makes a line for people; programs read the fields. All texts are safe to print: names and other
// bytes of the bundle have passed through printable(). docs/verifier.md explains each rule and what to do about it.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/format/statement.h>
#include <fardel/format/trust_policy.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// ---- Options --------------------------------------------------------------------------------------------------------

struct VerifyProgress {
    std::uint64_t stored_bytes_done = 0;  // of the blocks, which take most of the time
    std::uint64_t stored_bytes_total = 0;
};

// Published names that `files` matches belong where one of `within` matches: a convention of a game. All are globs over
// folded names.
struct NamePlacement {
    std::string files;
    std::vector<std::string> within;
    std::string why;  // safe to print
};

struct VerifyOptions {
    // Which signatures are required. nullptr: signatures are checked, but none is required or trusted.
    const TrustPolicy* policy = nullptr;
    // Licence tokens (LicenseToken), one of which the policy must accept if the bundle requires one. nullptr: none is
    // asked for. Not without a policy.
    const std::vector<Envelope>* licenses = nullptr;
    TrustTime time;  // for dates in signatures and metadata; the default is the system's clock
    // A layout that the trusted statement does not list is a note instead of an error. For bundles whose blocks were
    // stored again on this machine, by a delta or a repack.
    bool local_layout_allowed = false;
    std::vector<NamePlacement> placements;       // conventions that the bundle must follow
    unsigned jobs = 0;                           // threads for the blocks; 0: one per core
    std::uint32_t findings_max = 100;            // per rule; further ones of that rule are only counted
    std::uint64_t table_bytes_max = 8ull << 30;  // memory for the tables; if they need more, they are not checked
    std::function<void(const VerifyProgress&)> progress;  // called on the caller's thread
    std::stop_token stop;                                 // a stop request gives the error cancelled
};

// ---- Findings -------------------------------------------------------------------------------------------------------

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

// How many findings of each severity there are, including those that a list leaves out.
struct FindingCounts {
    std::uint64_t errors = 0;
    std::uint64_t warnings = 0;
    std::uint64_t notes = 0;

    std::uint64_t& of(FindingSeverity severity) noexcept {
        return severity == FindingSeverity::error ? errors : severity == FindingSeverity::warning ? warnings : notes;
    }
    FindingCounts& operator+=(const FindingCounts& more) noexcept {
        errors += more.errors;
        warnings += more.warnings;
        notes += more.notes;
        return *this;
    }
};

// "error: names record 7: … [names-not-sorted]"; one line.
std::string format_finding(const VerifyFinding& finding);

// What was found in the trailer of a bundle.
struct VerifiedTrailer {
    std::uint64_t envelopes = 0;
    std::uint64_t signatures = 0;
    // The verdict of the policy; nothing without a policy, or if the trailer could not be read.
    std::optional<TrustVerdict> verdict;
};

// The constant properties of a rule. A finding that reports an underlying error carries that error's code instead.
struct VerifierRuleFacts {
    std::string_view id;
    FindingSeverity severity = FindingSeverity::error;
    ErrorCode code = ErrorCode::malformed;
};

// All rules, in the order of docs/verifier.md.
std::span<const VerifierRuleFacts> verifier_rules() noexcept;

}  // namespace fardel
