// Licence tokens: whose count, and for which bundles. docs/trust-policy.md, "Licences".

#include "signed_statements.h"

#include <fardel/format/envelope.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>
#include <fardel/format/trust_policy.h>

#include <algorithm>

namespace fardel {
namespace {

// The more of a token is right, the later its obstacle; the latest of all tokens is reported.
enum class LicenseStep : std::uint8_t { none_fits, not_believed, withdrawn, over };

struct LicenseObstacle {
    LicenseStep step;
    Error error;
};

bool is_signed_by_issuer(const Envelope& envelope, const LicenseToken& token) {
    const auto& signatures = envelope.signatures;
    return signatures.size() == 1 && signatures[0].key == token.issuer && signatures[0].role == SignerRole::author &&
           verify_envelope_signature(envelope, signatures[0]);
}

bool has_label(const TrustRules& rules, const LicenseRule& rule, const PublicKey& key) {
    return std::ranges::any_of(rules.keys, [&](const PolicyKey& known) {
        return known.key == key && std::ranges::find(rule.labels, known.label) != rule.labels.end();
    });
}

}  // namespace

bool LicenseToken::is_about(const BundleId& id, std::string_view name) const {
    return pattern.empty() ? bundle == id : !name.empty() && glob_matches(pattern, name);
}

Result<LicenseToken> license_token_of(const Envelope& envelope) {
    if (envelope.type != EnvelopeType::license_token)
        return Error(ErrorCode::malformed, "not a license token");
    return decode_license_token(envelope.payload);
}

Result<Envelope> parse_license_token(std::span<const std::byte> file) {
    FARDEL_TRY_ASSIGN(Envelope envelope, decode_envelope(file));
    FARDEL_TRY_ASSIGN(const LicenseToken token, license_token_of(envelope));
    if (!is_signed_by_issuer(envelope, token))
        return Error(ErrorCode::untrusted, "license token: key " + key_id(token.issuer) + " has not signed it");
    return envelope;
}

Status TrustPolicy::verify_license(std::span<const Envelope> tokens, const BundleIdentity& bundle,
                                   std::optional<UnixTime> now) const {
    const bool other_decides = other_ && !other_->rules_.licenses.empty();
    if (!other_decides || !rules_.licenses.empty())
        FARDEL_TRY(verify_own_license(tokens, bundle, now));
    return other_decides ? other_->verify_license(tokens, bundle, now) : ok();
}

Status TrustPolicy::verify_own_license(std::span<const Envelope> tokens, const BundleIdentity& bundle,
                                       std::optional<UnixTime> now) const {
    if (tokens.size() > limits::kLicenseTokensMax)
        return Error(ErrorCode::limit, std::to_string(tokens.size()) + " license tokens, at most " +
                                           std::to_string(limits::kLicenseTokensMax) + " allowed");
    // The policy, not the bundle, names the issuers: a shop's keys change more often than published bundles, and a
    // policy can revoke them.
    const auto rule = std::ranges::find_if(
        rules_.licenses, [&](const LicenseRule& one) { return glob_matches(one.pattern, bundle.name); });
    if (bundle.name.empty() || rule == rules_.licenses.end())
        return Error(ErrorCode::untrusted,
                     "it requires a license token, and no \"license\" line of the trust policy says "
                     "whose tokens count for " +
                         (bundle.name.empty() ? "a bundle without a name" : in_quotes(bundle.name)));
    LicenseObstacle obstacle{LicenseStep::none_fits,
                             Error(ErrorCode::missing, "it requires a license token, and none is about it")};
    const auto note = [&](LicenseStep step, ErrorCode code, std::string text) {
        if (step > obstacle.step)
            obstacle = {step, Error(code, std::move(text))};
    };
    for (const Envelope& envelope : tokens) {
        const auto token = license_token_of(envelope);
        if (!token || !token->is_about(bundle.bundle, bundle.name))
            continue;
        const std::string key = shown_key(rules_, token->issuer);
        if (!has_label(rules_, *rule, token->issuer))
            note(LicenseStep::not_believed, ErrorCode::untrusted,
                 "its license token is by " + key + ", whose tokens the trust policy does not accept for it");
        else if (!is_signed_by_issuer(envelope, *token))
            note(LicenseStep::not_believed, ErrorCode::untrusted, "its license token does not fit its signature");
        else if (const auto* revocation = find_revocation(rules_.revoked_keys, token->issuer))
            note(LicenseStep::withdrawn, ErrorCode::revoked,
                 "its license token is by " + key + ", which has been withdrawn" + shown_reason(revocation->reason));
        else if (has_passed(token->expires, now))
            note(LicenseStep::over, ErrorCode::expired,
                 "its license ended on " + shown_date(token->expires) + "; add a token that renews it");
        else
            return ok();
    }
    return std::move(obstacle.error);
}

}  // namespace fardel
