// verify_bundle: the complete check of one bundle: form, canonical form, every hash, and signatures against a policy.
// verify_set: the check of several bundles that will be mounted together.
//
// Unlike Bundle, which reads what is requested and stops at the first error, the verifier reads every byte and collects
// all findings: a single changed byte anywhere in a signed file gives at least one error. Input is hostile. Memory is
// bounded by the tables (at most what the file contains of them, and at most `table_bytes_max`) plus a few blocks per
// thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/format/trust_policy.h>
#include <fardel/verifier/finding.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

// Which bundle it is.
struct VerifiedBundle {
    // Nothing if the head, or the layout head, could not be decoded.
    std::optional<BundleId> id;
    std::optional<LayoutId> layout;
    std::string name;  // from the bundle's metadata, safe to print; empty if there is none
    std::string version;
};

// The lengths of its tables; 0 if the head that states them could not be decoded.
struct VerifiedCounts {
    std::uint64_t assets = 0;
    std::uint64_t names = 0;
    std::uint64_t published = 0;  // of `names`
    std::uint64_t variants = 0;
    std::uint64_t references = 0;
    std::uint64_t consumes = 0;
    std::uint64_t dependencies = 0;
    std::uint64_t blocks = 0;
};

struct VerifiedSizes {
    std::uint64_t file_bytes = 0;
    std::uint64_t manifest_bytes = 0;
    std::uint64_t layout_bytes = 0;
    std::uint64_t raw_bytes = 0;         // of all assets
    std::uint64_t stored_bytes = 0;      // of all blocks
    std::uint64_t raw_bytes_proved = 0;  // of assets whose bytes all match the manifest
};

struct VerifyReport {
    VerifiedBundle bundle;
    VerifiedCounts counts;
    VerifiedSizes sizes;
    VerifiedTrailer trailer;

    // In the order of the file and of the tables, independent of `jobs`. At most findings_max per rule, then one
    // finding "and N more of this rule".
    std::vector<VerifyFinding> findings;
    FindingCounts found;

    bool good() const noexcept { return found.errors == 0; }
};

// Error: cancelled. All defects of the source, unreadable bytes included, are findings.
Result<VerifyReport> verify_bundle(std::shared_ptr<const ByteSource> source, const VerifyOptions& options);

// ---- Several bundles ------------------------------------------------------------------------------------------------

struct VerifyInput {
    std::shared_ptr<const ByteSource> source;
    std::string label;  // names the bundle in findings about the set; usually a path
};

struct VerifySetReport {
    std::vector<VerifyReport> bundles;    // one per input, in their order
    std::vector<VerifyFinding> findings;  // about the set; `where` begins with a bundle's label
    FindingCounts found;                  // of `findings`; each bundle has its own counts

    // Whether neither the set nor any bundle of it has an error.
    bool good() const noexcept;
};

// Checks each bundle, with the same options; then what they expect of one another: static dependencies must be in the
// set, foreign assets must be in the dependency that they name, and each consumed name or pattern must be published by
// a bundle of the set; names of bundles that hide each other are warnings. Error: cancelled.
Result<VerifySetReport> verify_set(std::span<const VerifyInput> inputs, const VerifyOptions& options);

}  // namespace fardel
