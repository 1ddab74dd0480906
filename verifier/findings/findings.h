// Findings: collects what the checks find, so many of each rule, and counts the rest. One thread at a time.
#pragma once

#include "rule.h"

#include <fardel/format/manifest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// "names record 7"
std::string record_place(TableKind table, std::uint64_t index);

class Findings {
public:
    explicit Findings(std::uint32_t of_one_rule_max) : max_(of_one_rule_max) {}

    void add(Rule rule, std::string where, std::string text, std::vector<HitAsset> hits = {});
    // Code and text are those of the error underneath.
    void add(Rule rule, std::string where, const Error& error, std::vector<HitAsset> hits = {});
    // The next finding of this rule would only be counted: no need to gather its text.
    bool is_full(Rule rule) const noexcept { return counts_[static_cast<std::size_t>(rule)] >= max_; }
    void count(Rule rule) noexcept { ++counts_[static_cast<std::size_t>(rule)]; }

    std::uint64_t total(Severity severity) const noexcept;
    bool has(Rule rule) const noexcept { return counts_[static_cast<std::size_t>(rule)] != 0; }

    // All of them, in the order they came; for each rule that had more, one last line that says how many.
    std::vector<Finding> take();

private:
    void add(Rule rule, ErrorCode code, std::string where, std::string text, std::vector<HitAsset> hits);

    std::uint64_t max_;
    std::array<std::uint64_t, kRules> counts_{};
    std::vector<Finding> findings_;
};

}  // namespace fardel
