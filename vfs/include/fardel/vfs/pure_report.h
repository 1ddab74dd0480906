// PureReport: everything that a client found wrong with its mounts, each problem by bundle and name, as canonical text.
//
// The client sends it beside its answer, so on the server it is untrusted text. Names and reasons in it are always safe
// to show.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

enum class PureFault : std::uint8_t {
    missing,      // "missing": a bundle of the content set is not mounted
    wrong,        // "wrong": it is damaged, or mounted elsewhere or with another case rule
    unsigned_,    // "unsigned": no key that the client trusts has signed it
    revoked,      // "revoked": the bundle, or the key of a signer, is withdrawn
    not_allowed,  // "not-allowed": a loose file, a signer or a variant that the policy does not allow
    extra,        // "extra": a bundle that the policy does not mention
};
inline constexpr std::size_t kPureFaults = 6;
std::string_view pure_fault_text(PureFault fault) noexcept;

struct PureProblem {
    PureFault fault = PureFault::missing;
    BundleId bundle;   // zero: none, or one that could not be opened
    std::string name;  // the bundle's, or a label, path or variant
    std::string text;  // the reason

    friend bool operator==(const PureProblem&, const PureProblem&) = default;
};
// Makes name and text safe to show.
PureProblem make_pure_problem(PureFault fault, const BundleId& bundle, std::string_view name, std::string_view text);

// The problems of a client, and their canonical text for the server.
class PureReport {
public:
    static constexpr std::size_t kProblemsMax = 10'000;  // with more, the last one says how many
    static constexpr std::size_t kTextBytesMax = 200;    // of each name and reason; printable() adds "…"
    static constexpr std::size_t kBytesMax = 8u << 20;

    PureReport() = default;
    explicit PureReport(std::vector<PureProblem> problems);
    // The text is untrusted. Errors: malformed (not in the form of format()), limit, unsupported.
    static Result<PureReport> parse(std::string_view text);

    std::span<const PureProblem> problems() const noexcept { return problems_; }
    bool empty() const noexcept { return problems_.empty(); }
    std::array<std::uint32_t, kPureFaults> counts() const noexcept;  // by fault
    std::string format() const;
    // BLAKE3-256 of: le64(20), "fardel pure report 1", le64(size of the text), the text.
    Hash digest() const;

private:
    std::vector<PureProblem> problems_;
};

}  // namespace fardel
