// The trailer: envelopes that decode, signatures that fit, statements that are true, and what a policy makes of them.
#pragma once

#include "findings/findings.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/verifier/verify_bundle.h>

#include <cstdint>
#include <optional>

namespace fardel {

// What a statement about the bundle must say; nothing where damage hides it.
struct BundleFacts {
    BundleId bundle;
    LayoutId layout;
    std::uint64_t manifest_bytes = 0;
    std::optional<std::uint64_t> raw_bytes;
    std::optional<std::uint64_t> stored_bytes;
};

struct TrailerSummary {
    std::uint64_t envelopes = 0;
    std::uint64_t signatures = 0;
    std::optional<TrustVerdict> verdict;
};

// Without facts (no head to take them from) only the signatures themselves are checked.
TrailerSummary check_trailer(const ByteSource& source, std::uint64_t trailer_offset,
                             const std::optional<BundleFacts>& facts, const VerifyOptions& options, Findings& findings);

}  // namespace fardel
