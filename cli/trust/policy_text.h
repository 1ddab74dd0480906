// PolicyText: the text of a trust policy that a verb changes. Its comments, empty lines and order stay as their owner
// wrote them.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/trust_policy.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

class PolicyText {
public:
    PolicyText();  // an empty policy, which trusts nobody
    // Errors: those of read_trust_policy.
    static Result<PolicyText> read(const std::string& path);

    const TrustPolicy& policy() const { return policy_; }
    std::string text() const;

    // Reads public key files and lets the rule require so many of them in a role; none: the rule stays as it is. Keys
    // that the rule has already count once, and the higher threshold counts. A key that the policy does not know gets
    // a label after its file. Errors: those of read_public_key_file; malformed, limit.
    Status add_role(AllowRule& rule, SignerRole role, std::uint32_t threshold, const std::vector<std::string>& paths);
    // In front of all other rules, or behind them; in place of one with the same pattern. Errors: malformed, limit.
    Status add_rule(const AllowRule& rule, bool in_front);
    // Error: missing (no rule has this pattern).
    Status remove_rules(std::string_view pattern);
    // Removes a key, also from the rules that name it. Errors: missing (no such label), conflict (a rule could not be
    // met without it; it is in the message).
    Status remove_key(std::string_view label);
    // Puts a line at the end. Errors: malformed, limit.
    Status append(std::string line);

private:
    PolicyText(std::vector<std::string> lines, TrustPolicy policy)
        : lines_(std::move(lines)), policy_(std::move(policy)) {}
    // Does nothing if the policy knows the key.
    Status add_key(const PolicyKey& key);
    // Keeps the lines if they are a policy.
    Status replace(std::vector<std::string> lines);

    std::vector<std::string> lines_;  // without line feeds
    TrustPolicy policy_;
};

}  // namespace fardel
