// Checks the trailer: its envelopes, their signatures, what statements claim, and the verdict of a policy.
#pragma once

#include "findings/verify_findings.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/trust_policy.h>
#include <fardel/verifier/finding.h>

#include <cstdint>
#include <optional>

namespace fardel {

// What a statement about the bundle must claim. Values that damage hides are absent.
struct BundleFacts {
    BundleIdentity identity;
    bool is_named = true;  // false: damage hides the name and version of `identity`
    std::uint64_t manifest_bytes = 0;
    std::optional<std::uint64_t> raw_bytes;
    std::optional<std::uint64_t> stored_bytes;
};

// Without facts, because a head is unreadable, only the signatures themselves are checked. Of the options, only
// those about trust are used.
VerifiedTrailer check_trailer(const ByteSource& source, std::uint64_t trailer_offset,
                              const std::optional<BundleFacts>& facts, const VerifyOptions& options,
                              VerifyFindings& findings);

}  // namespace fardel
