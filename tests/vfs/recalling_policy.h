// A policy that recalls bundles and keys, and otherwise accepts everything.
#pragma once

#include <fardel/format/trust_policy.h>

#include <utility>
#include <vector>

namespace fardel::tests {

inline TrustPolicy recalling(std::vector<Revocation<BundleId>> bundles, std::vector<Revocation<PublicKey>> keys = {}) {
    TrustRules rules;
    rules.revoked_bundles = std::move(bundles);
    rules.revoked_keys = std::move(keys);
    rules.unsigned_allowed = true;
    return TrustPolicy::make(std::move(rules)).value();
}

}  // namespace fardel::tests
