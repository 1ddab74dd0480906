// What a trust policy says to a key that is about to sign: whether its signature would count, and for which content.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/content_class.h>
#include <fardel/format/trust_policy.h>

#include <string_view>

namespace fardel {

class Bundle;

// The rule that decides about bundles with this name, if it lists the key in that role. Errors: untrusted (no rule is
// about the name, or it does not list the key), revoked.
Result<AllowRule> find_signing_rule(const TrustPolicy& policy, std::string_view bundle_name, const PublicKey& key,
                                    SignerRole role);

// Judges all names and the first bytes of all assets. Errors: denied; those of reading the bundle.
Status verify_classes(const Bundle& bundle, ContentClass brings);

}  // namespace fardel
