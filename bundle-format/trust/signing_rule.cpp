#include <fardel/format/signing_rule.h>

#include "signed_statements.h"

#include <fardel/format/printable.h>

#include <algorithm>

namespace fardel {

Result<AllowRule> find_signing_rule(const TrustPolicy& policy, std::string_view bundle_name, const PublicKey& key,
                                    SignerRole role) {
    const TrustRules& rules = policy.rules();
    if (const auto* revoked = find_revocation(rules.revoked_keys, key))
        return Error(ErrorCode::revoked, "the key has been withdrawn" + shown_reason(revoked->reason));
    const AllowRule* const rule = policy.find_rule(bundle_name);
    if (rule == nullptr)
        return Error(ErrorCode::untrusted,
                     "no rule of the trust policy is about the name " + in_quotes(bundle_name) + ": add one for it");
    const auto is_key = [&](const std::string& label) {
        const auto known = std::ranges::find(rules.keys, label, &PolicyKey::label);
        return known != rules.keys.end() && known->key == key;
    };
    const auto required = std::ranges::find(rule->roles, role, &RoleThreshold::role);
    if (required == rule->roles.end() || std::ranges::none_of(required->labels, is_key))
        return Error(ErrorCode::untrusted, "the rule " + printable(rule->pattern) + " does not list this key as " +
                                               role_name(role) + ": its signature would not count");
    return *rule;
}

}  // namespace fardel
