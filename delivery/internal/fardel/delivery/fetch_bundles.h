// fetch_bundles: what a Fetch does, on the caller's thread. docs/delivery.md describes the steps.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/fetch.h>
#include <fardel/format/byte_source.h>
#include <fardel/http/range_client.h>
#include <fardel/store/bundle_store.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

namespace fardel {

struct FetchOptions {
    FetchWork work;
    // Called with the complete plan before any content is fetched, and again if it becomes more; an error ends the
    // work. Empty: consent is given.
    std::function<Status(const FetchPlan&)> consent;
    std::function<void(const FetchProgress&)> progress;  // on the caller's thread
    // What a server did wrong, before it is tried again or elsewhere; on the caller's thread.
    std::function<void(const Error&)> fault = {};
    std::stop_token stop;
    // Also bundles that the store has are read and compared; what is damaged is fetched again.
    bool repairs = false;
    // A file of the one bundle that is fetched, which may be damaged: what is right in it is not fetched.
    std::shared_ptr<const ByteSource> damaged_copy;
    TransferTimes times;
    unsigned attempts_max = 6;                    // of one range
    std::uint64_t tables_bytes_max = 1ull << 30;  // of all bundles, received before the plan is shown
    // Of everything that servers send, also before the plan and what is of no use; 0: no limit. Error: limit.
    std::uint64_t received_bytes_max = 0;
};

// What the store notes with the bundles.
inline const std::string& source_of(const FetchOptions& options) {
    return options.work.source.empty() ? options.work.servers.urls().front() : options.work.source;
}

// Errors: malformed (there is none, or not a URL of http or https; a host of the rule), missing (libcurl is not
// installed).
Status verify_servers(const ServerList& servers);

// Fetches the bundles and all their static dependencies. Bundles that the store or the library has whole are left out.
// Errors: missing, denied, busy, unreachable (no tree has a bundle or answers), corrupt (all trees send wrong bytes),
// untrusted, revoked, expired (the policy), limit, no_space, cancelled, io, malformed (a tree's URL; a bundle that is
// wrong in itself), and those of `consent`.
Result<FetchSummary> fetch_bundles(const BundleStore& store, const FetchOptions& options);

}  // namespace fardel
