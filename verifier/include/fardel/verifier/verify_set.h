// The proof of several bundles that are to be mounted together: each by itself, then what they expect of one another.
//
// Static dependencies must be in the set, foreign assets in the dependency that should hold them, and every consumed
// name or pattern must be published by somebody in the set.
#pragma once

#include <fardel/verifier/verify_bundle.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fardel {

struct VerifyInput {
    std::shared_ptr<const ByteSource> source;
    std::string label;  // names the bundle in findings about the set; a path as a rule
};

struct VerifySetReport {
    std::vector<VerifyReport> bundles;  // one an input, in their order
    std::vector<Finding> findings;      // about the set; `where` begins with the bundle's label
    std::uint64_t errors = 0;           // in `findings`; the bundles have their own counts
    std::uint64_t warnings = 0;
    std::uint64_t notes = 0;

    // No error in the set nor in any bundle of it.
    bool good() const noexcept;
};

// The options hold for each bundle. Errors: cancelled.
Result<VerifySetReport> verify_set(std::span<const VerifyInput> inputs, const VerifyOptions& options);

}  // namespace fardel
