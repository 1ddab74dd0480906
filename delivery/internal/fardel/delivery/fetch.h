// Fetching: brings bundles from static trees on HTTP servers into a store, and of each bundle only what the store
// lacks.
//
// A server can delay or refuse, and no more: every byte is compared with a hash that follows from the bundle id, and a
// bundle becomes visible in the store after the complete verification (verify_bundle). What was received is kept if the
// work is stopped or killed, and not fetched again. docs/delivery.md describes the steps.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/content_selection.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/format/trust_policy.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/range_client.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

struct PlannedFetch {
    BundleId bundle;
    std::string name;  // from the bundle's metadata, safe to print; empty if there is none
    std::string version;
    std::vector<std::string> signers;  // labels of the policy's keys that counted
    std::uint64_t file_bytes = 0;
    std::uint64_t tables_bytes = 0;  // received before the plan: heads, tables and signatures
    std::uint64_t fetch_bytes = 0;   // still to be received, exactly, unless something must be repeated
    std::uint64_t left_bytes = 0;    // of blocks that are neither here nor wanted: more than 0: it will be incomplete
    std::uint64_t requests = 0;
};

struct FetchPlan {
    std::vector<PlannedFetch> bundles;  // that are not in the store; each after those that it needs
    std::uint64_t fetch_bytes = 0;
    std::uint64_t requests = 0;
};

struct FetchProgress {
    std::uint64_t received_bytes = 0;
    std::uint64_t total_bytes = 0;
};

struct FetchOptions {
    // The URLs of static trees with the same bundles. A transfer that fails is tried at the next one.
    std::vector<std::string> trees;
    // A bundle that this policy does not trust is refused before its content is fetched. nullptr: any bundle.
    const TrustPolicy* policy = nullptr;
    TrustTime time;
    // Called with the complete plan before any content is fetched; an error ends the work. Empty: consent is given.
    std::function<Status(const FetchPlan&)> consent;
    std::function<void(const FetchProgress&)> progress;  // on the caller's thread
    std::stop_token stop;
    RangeClientOptions connections;
    // Also bundles that the store has are read and compared; what is damaged is fetched again.
    bool repairs = false;
    // A file of the one bundle that is fetched, which may be damaged: what is right in it is not fetched.
    std::shared_ptr<const ByteSource> damaged_copy;
    // What is wanted of the bundles. What is not stays away; a bundle of which something is not here becomes visible as
    // incomplete, and later fetches add to it.
    ContentSelection selection;
    unsigned attempts_max = 6;                    // of one range
    std::uint64_t tables_bytes_max = 1ull << 30;  // of one bundle, received before the plan is shown
};

struct FetchSummary {
    FetchPlan plan;
    std::uint64_t received_bytes = 0;  // of the bundles' files, including what was of no use
    std::uint64_t requests = 0;
};

// Fetches the bundles and all their static dependencies. Bundles that the store has whole are left out. Errors:
// missing, denied, busy, unreachable (no tree has a bundle or answers), corrupt (all trees send wrong bytes),
// untrusted, revoked, expired (the policy), limit, no_space, cancelled, io, malformed (a tree's URL; a bundle that is
// wrong in itself), missing also if the selection means nothing, and those of `consent`.
Result<FetchSummary> fetch_bundles(const BundleStore& store, std::span<const BundleId> bundles,
                                   const FetchOptions& options);

}  // namespace fardel
