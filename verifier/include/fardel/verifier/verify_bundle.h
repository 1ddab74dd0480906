// The full proof of one bundle: form, canonical form, every hash, and its signatures against a policy.
//
// Unlike Bundle, which reads what is asked for and stops at the first error, the verifier reads every byte and collects
// what it finds: one changed byte anywhere in the file gives at least one error. Input is hostile. Memory is bounded by
// the tables (never more than the file holds of them, nor more than `table_bytes_max`) plus a few blocks a thread.
// Knows no engine and no file system.
#pragma once

#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/format/result.h>
#include <fardel/format/trust_policy.h>
#include <fardel/verifier/finding.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

struct VerifyProgress {
    std::uint64_t stored_bytes_done = 0;  // of the blocks: where the time goes
    std::uint64_t stored_bytes_total = 0;
};

struct VerifyOptions {
    // Who must have signed. nullptr: signatures are checked, but nobody is believed and nobody is missed.
    const TrustPolicy* policy = nullptr;
    std::uint64_t now_s = 0;  // Unix seconds, for expiry; 0: nothing expires
    // A layout that the trusted statement does not list is a note instead of an error: for bundles that were stored
    // again here, by a delta or a repack.
    bool local_layout_allowed = false;
    unsigned jobs = 0;                                    // threads for the blocks; 0: one per core
    std::uint32_t findings_max = 100;                     // of one rule; the others of that rule are counted
    std::uint64_t table_bytes_max = 8ull << 30;           // memory for the tables; above it: a limit finding
    std::function<void(const VerifyProgress&)> progress;  // called on the caller's thread
    std::stop_token stop;                                 // asked to stop: cancelled
};

struct VerifyReport {
    // Nothing where the head, or the layout head, could not be understood.
    std::optional<BundleId> bundle;
    std::optional<LayoutId> layout;
    std::string name;  // the bundle's metadata, made safe to show; empty if there is none
    std::string version;

    std::uint64_t assets = 0;
    std::uint64_t names = 0;
    std::uint64_t published = 0;  // of these names
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
    std::uint64_t raw_bytes_proved = 0;  // of assets whose every byte agrees with the manifest

    // What the policy said; nothing without a policy, or where the trailer could not be read.
    std::optional<TrustVerdict> verdict;

    // In the order of the file and of the tables, the same whatever `jobs` is. At most findings_max of a rule, then one
    // "and N more" for it.
    std::vector<Finding> findings;
    std::uint64_t errors = 0;  // those left out are counted too
    std::uint64_t warnings = 0;
    std::uint64_t notes = 0;

    bool good() const noexcept { return errors == 0; }
};

// Errors: cancelled. Whatever is wrong with the source or in it is a finding.
Result<VerifyReport> verify_bundle(std::shared_ptr<const ByteSource> source, const VerifyOptions& options);

}  // namespace fardel
