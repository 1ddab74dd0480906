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
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

struct VerifyProgress {
    std::uint64_t stored_bytes_done = 0;  // of the blocks, which take most of the time
    std::uint64_t stored_bytes_total = 0;
};

struct VerifyOptions {
    // Which signatures are required. nullptr: signatures are checked, but none is required or trusted.
    const TrustPolicy* policy = nullptr;
    std::uint64_t now_s = 0;  // Unix seconds, for expiry; 0: nothing expires
    // A layout that the trusted statement does not list is a note instead of an error. For bundles whose blocks were
    // stored again on this machine, by a delta or a repack.
    bool local_layout_allowed = false;
    unsigned jobs = 0;                           // threads for the blocks; 0: one per core
    std::uint32_t findings_max = 100;            // per rule; further ones of that rule are only counted
    std::uint64_t table_bytes_max = 8ull << 30;  // memory for the tables; if they need more, they are not checked
    std::function<void(const VerifyProgress&)> progress;  // called on the caller's thread
    std::stop_token stop;                                 // a stop request gives the error cancelled
};

struct VerifyReport {
    // Nothing if the head, or the layout head, could not be decoded.
    std::optional<BundleId> bundle;
    std::optional<LayoutId> layout;
    std::string name;  // from the bundle's metadata, safe to print; empty if there is none
    std::string version;

    std::uint64_t assets = 0;
    std::uint64_t names = 0;
    std::uint64_t published = 0;  // of `names`
    std::uint64_t variants = 0;
    std::uint64_t references = 0;
    std::uint64_t consumes = 0;
    std::uint64_t dependencies = 0;
    std::uint64_t blocks = 0;
    std::uint64_t envelopes = 0;
    std::uint64_t signatures = 0;

    std::uint64_t file_bytes = 0;
    std::uint64_t manifest_bytes = 0;
    std::uint64_t layout_bytes = 0;
    std::uint64_t raw_bytes = 0;         // of all assets
    std::uint64_t stored_bytes = 0;      // of all blocks
    std::uint64_t raw_bytes_proved = 0;  // of assets whose bytes all match the manifest

    // The verdict of the policy; nothing without a policy, or if the trailer could not be read.
    std::optional<TrustVerdict> verdict;

    // In the order of the file and of the tables, independent of `jobs`. At most findings_max per rule, then one
    // finding "and N more of this rule".
    std::vector<VerifyFinding> findings;
    std::uint64_t errors = 0;  // including those left out of `findings`
    std::uint64_t warnings = 0;
    std::uint64_t notes = 0;

    bool good() const noexcept { return errors == 0; }
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
    std::uint64_t errors = 0;             // of `findings`; each bundle has its own counts
    std::uint64_t warnings = 0;
    std::uint64_t notes = 0;

    // Whether neither the set nor any bundle of it has an error.
    bool good() const noexcept;
};

// Checks each bundle, with the same options; then what they expect of one another: static dependencies must be in the
// set, foreign assets must be in the dependency that they name, and each consumed name or pattern must be published by
// a bundle of the set. Error: cancelled.
Result<VerifySetReport> verify_set(std::span<const VerifyInput> inputs, const VerifyOptions& options);

}  // namespace fardel
