// VerifyFindings: collects the findings of all checks. It keeps a limited number per rule and counts the rest. One
// thread at a time.
#pragma once

#include "verifier_rule.h"

#include <fardel/format/manifest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

// "names record 7"
std::string record_location(TableKind table, std::uint64_t index);

// "it leads to asset 7; the bundle has 5"
std::string leads_beyond(std::string_view what, std::uint64_t index, std::uint64_t count);

class VerifyFindings {
public:
    explicit VerifyFindings(std::uint32_t of_one_rule_max) : max_(of_one_rule_max) {}

    void add(VerifierRule rule, std::string where, std::string text, std::vector<AffectedAsset> affected = {});
    // Takes code and text from the underlying error.
    void add(VerifierRule rule, std::string where, const Error& error, std::vector<AffectedAsset> affected = {});
    // The same for a finding about a record: `what` is a text or an error.
    template <class What>
    void add(VerifierRule rule, TableKind table, std::uint64_t record, What&& what,
             std::vector<AffectedAsset> affected = {}) {
        add(rule, record_location(table, record), std::forward<What>(what), std::move(affected));
    }
    // Whether the next finding of this rule will only be counted, so that its text need not be built.
    bool is_full(VerifierRule rule) const noexcept { return counts_[static_cast<std::size_t>(rule)] >= max_; }
    void count(VerifierRule rule) noexcept { ++counts_[static_cast<std::size_t>(rule)]; }

    FindingCounts counts() const noexcept;
    bool has(VerifierRule rule) const noexcept { return counts_[static_cast<std::size_t>(rule)] != 0; }

    // All findings in the order of add(); then, for each rule that had more, one finding with the number left out.
    std::vector<VerifyFinding> take();

private:
    std::uint64_t max_;
    std::array<std::uint64_t, kVerifierRules> counts_{};
    std::vector<VerifyFinding> findings_;
};

}  // namespace fardel
