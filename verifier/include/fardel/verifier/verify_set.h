// verify_set: the check of several bundles that will be mounted together: first each bundle, then what they expect of
// one another.
//
// Static dependencies must be in the set, foreign assets must be in the dependency that they name, and each consumed
// name or pattern must be published by a bundle of the set.
#pragma once

#include <fardel/verifier/verify_bundle.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fardel {

struct VerifyInput {
    std::shared_ptr<const ByteSource> source;
    std::string label;  // names the bundle in findings about the set; usually a path
};

struct VerifySetReport {
    std::vector<VerifyReport> bundles;    // one per input, in their order
    std::vector<VerifyFinding> findings;  // about the set; `where` begins with a bundle's label
    std::uint64_t errors = 0;             // of `findings`; each bundle has its own counts
    std::uint64_t warnings = 0;
    std::uint64_t notes = 0;

    // Whether neither the set nor any bundle of it has an error.
    bool good() const noexcept;
};

// The options apply to each bundle. Error: cancelled.
Result<VerifySetReport> verify_set(std::span<const VerifyInput> inputs, const VerifyOptions& options);

}  // namespace fardel
