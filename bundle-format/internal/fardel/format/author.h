// Who made a bundle, as a trust policy knows it. Pure.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/format/trust_policy.h>

#include <optional>
#include <string>

namespace fardel {

// The key that has signed the statement which the policy trusts, also where the policy wants other signers than the
// author: a countersignature of a registry is about one author's signature. Nothing: no policy vouches for an author,
// and whoever serves the file could name any.
std::optional<PublicKey> author_of(const TrustVerdict& verdict);

// "alice"; empty: the policy has no label for the key.
std::string label_of(const PublicKey& key, const TrustPolicy& policy);

}  // namespace fardel
