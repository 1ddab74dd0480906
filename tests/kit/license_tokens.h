// Licence tokens of a shop's key, and the policy for which they count.
#pragma once

#include "test.h"

#include <fardel/format/envelope.h>
#include <fardel/format/signer.h>
#include <fardel/format/trust_policy.h>

namespace fardel::tests {

class Shop {
public:
    Shop() : signer_(make_key_signer(SecretKey::generate())) {}

    PublicKey key() const { return signer_->public_key(); }
    // A token file for bundles whose names match, from the first second of 1970 on.
    Bytes token(std::string_view pattern, UnixTime expires) const {
        LicenseToken token;
        token.pattern = pattern;
        return sign(std::move(token), expires);
    }
    Bytes token(const BundleId& bundle, UnixTime expires) const {
        LicenseToken token;
        token.bundle = bundle;
        return sign(std::move(token), expires);
    }
    // `policy`, with tokens of this shop for all bundles.
    std::string policy(const TrustPolicy& policy) const {
        TrustRules rules = policy.rules();
        rules.keys.push_back({.label = "shop", .key = key()});
        rules.licenses.push_back({.pattern = "**", .labels = {"shop"}});
        return value_of(TrustPolicy::make(std::move(rules))).format();
    }

private:
    Bytes sign(LicenseToken token, UnixTime expires) const {
        token.expires = expires;
        return value_of(encode_envelope(value_of(sign_license_token(token, *signer_))));
    }
    std::unique_ptr<Signer> signer_;
};

}  // namespace fardel::tests
