#include "mount_conditions.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <span>

namespace fardel {
namespace {

// Adds a finding for each token that is about something else.
void check_other_licenses(std::span<const Envelope> tokens, const BundleIdentity& bundle, VerifyFindings& findings) {
    for (const Envelope& envelope : tokens)
        if (const auto token = license_token_of(envelope); token && !token->is_about(bundle.bundle, bundle.name))
            findings.add(VerifierRule::license_of_another_bundle, "metadata",
                         token->pattern.empty() ? "a license token is about bundle " + token->bundle.hex()
                                                : "a license token is about bundles named " + quoted(token->pattern));
}

}  // namespace

OwnMetadata find_own_metadata(const CheckedTables& tables, const BundleStrings& texts) {
    OwnMetadata own;
    for (std::uint64_t i = tables.count(TableKind::metadata); i-- > 0;) {
        const auto record = tables.find<MetadataRecord>(i);
        if (!record || record->subject != kBundleSubject)
            break;  // the bundle's own metadata come last
        const auto key = texts.find(record->key);
        const auto value = record->kind == MetadataKind::text ? texts.find(record->value) : std::nullopt;
        if (key == "name" && value && own.name.empty())
            own.name = *value;
        if (key == "version" && value && own.version.empty())
            own.version = *value;
        if (key == "expires" && record->kind == MetadataKind::integer && !own.expires)
            own.expires = record->date();
        if (key == "license-token" && (record->kind != MetadataKind::boolean || record->value != 0))
            own.license = value.value_or("");
    }
    return own;
}

void check_scope(const CheckedTables& tables, const BundleStrings& texts, const NameScope& scope,
                 VerifyFindings& findings) {
    for (std::uint64_t i = 0; i < tables.count(TableKind::names); ++i) {
        const auto name = tables.find<NameRecord>(i);
        const auto text = name && name->is(NameRecord::published) ? texts.find(name->text) : std::nullopt;
        if (text && !scope.may_publish(*text))
            findings.add(VerifierRule::name_not_allowed, record_location(TableKind::names, i),
                         quoted(*text) + " is published; " + scope.describe() +
                             ", so it is not visible. Its author can rename it or leave it out; whoever writes the "
                             "policy can add publish=PATTERN to the rule");
    }
}

void check_expiry(const OwnMetadata& own, const TrustPolicy* policy, std::optional<UnixTime> now,
                  VerifyFindings& findings) {
    if (policy != nullptr && !policy->rules().expired_content_allowed && has_passed(own.expires, now))
        findings.add(VerifierRule::trust_refused, "metadata",
                     Error(ErrorCode::expired,
                           "its content has expired, and the policy has no line \"expired-content "
                           "allow\": it cannot be mounted"));
}

void check_license(const OwnMetadata& own, const BundleIdentity& bundle, const VerifyOptions& options,
                   std::optional<UnixTime> now, VerifyFindings& findings) {
    if (!own.license || (options.policy != nullptr && options.policy->rules().unlicensed_allowed))
        return;
    const std::string shown = own.license->empty() ? "" : "; the bundle says: " + printable(*own.license);
    if (options.policy == nullptr || options.licenses == nullptr) {
        findings.add(VerifierRule::license_required, "metadata",
                     "it is mounted only with a license token that a trust policy accepts" + shown);
        return;
    }
    const Status permitted = options.policy->verify_license(*options.licenses, bundle, now);
    if (permitted)
        return;
    const ErrorCode code = permitted.error().code();
    const VerifierRule rule = code == ErrorCode::missing   ? VerifierRule::license_missing
                              : code == ErrorCode::expired ? VerifierRule::license_ended
                                                           : VerifierRule::license_refused;
    findings.add(rule, "metadata", Error(code, permitted.error().message() + shown));
    check_other_licenses(*options.licenses, bundle, findings);
}

}  // namespace fardel
