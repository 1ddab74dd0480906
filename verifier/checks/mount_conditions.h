// What a mount demands of a bundle besides sound bytes and trusted signatures: names that the rule of the policy lets
// it publish, content that has not expired, and a licence token.
#pragma once

#include "findings/verify_findings.h"
#include "tables/bundle_strings.h"
#include "tables/checked_tables.h"

#include <fardel/format/trust_policy.h>
#include <fardel/verifier/finding.h>

#include <optional>
#include <string_view>

namespace fardel {

// What the bundle's own metadata say about it, as it is in the file. The texts live as long as the tables.
struct OwnMetadata {
    std::string_view name;
    std::string_view version;
    std::optional<UnixTime> expires;
    std::optional<std::string_view> license;  // it requires a licence token; empty: without a text for people
};

OwnMetadata find_own_metadata(const CheckedTables& tables, const BundleStrings& texts);

// Checks the published names against the rule of the policy that accepted the bundle.
void check_scope(const CheckedTables& tables, const BundleStrings& texts, const NameScope& scope,
                 VerifyFindings& findings);

// Checks the date after which the policy accepts no content. Without a policy or `now`, nothing has expired.
void check_expiry(const OwnMetadata& own, const TrustPolicy* policy, std::optional<UnixTime> now,
                  VerifyFindings& findings);

// Checks whether one of the tokens permits the use of the bundle.
void check_license(const OwnMetadata& own, const BundleIdentity& bundle, const VerifyOptions& options,
                   std::optional<UnixTime> now, VerifyFindings& findings);

}  // namespace fardel
