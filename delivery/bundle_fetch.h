// BundleFetch: one bundle on its way from servers into a store, step by step.
#pragma once

#include "tables_file.h"
#include "unit_transfer.h"

#include <fardel/delivery/fetch.h>
#include <fardel/format/bundle.h>
#include <fardel/format/head.h>
#include <fardel/store/incoming_bundle.h>

#include <memory>
#include <string>
#include <vector>

namespace fardel {

class BundleFetch {
public:
    // `trees`: complete URLs without '/' at the end.
    static Result<std::unique_ptr<BundleFetch>> open(const BundleStore& store, const BundleId& bundle,
                                                     const std::vector<std::string>& trees, RangeClient& client,
                                                     const FetchOptions& options);

    // Fetches heads, tables and signatures, checks all pages of the tables and asks the policy. If a server sends
    // tables that do not fit, the next one is asked. Call it first.
    Status fetch_tables();
    // Locates blocks that other bundles in the store have, and returns what remains. After fetch_tables().
    Result<PlannedFetch> plan();
    // Returns the static dependencies. After fetch_tables().
    Result<std::vector<BundleId>> dependencies() const;

    // Fetches the rest. After plan(). `progress`: bytes received by this call.
    Status fetch_content(const std::function<void(std::uint64_t received_bytes)>& progress);
    // Verifies the whole bundle and makes it visible in the store. Call it last.
    Status finish();

    TransferCounts counts() const noexcept;

private:
    BundleFetch(const BundleId& bundle, IncomingBundle incoming, RangeClient& client,
                const std::vector<std::string>& trees, const FetchOptions& options);
    Status try_tables();
    Status fetch_heads();
    Status fetch_compressed_tables();
    // Adds the parts of a range that are not held yet.
    void add_units(std::vector<FetchUnit>& units, std::uint64_t offset, std::uint64_t length_bytes) const;
    Status open_bundle();
    Status fill_padding();
    Status fill(std::uint64_t from, std::uint64_t to);

    const BundleId id_;
    IncomingBundle incoming_;
    RangeClient& client_;
    UnitTransfer transfer_;
    std::vector<std::string> tables_urls_;  // where compressed tables may be; empty after they were asked for
    bool has_compressed_tables_ = false;    // bytes of such a file are in the incoming bundle
    TransferCounts tables_counts_;          // of these files
    const std::size_t servers_;
    const FetchOptions& options_;
    BundleHead head_;
    LayoutHead layout_;
    TableSections sections_;
    std::shared_ptr<const Bundle> bundle_;  // reads the tables only
    std::vector<BlockRecord> blocks_;       // by offset; after plan()
    std::vector<FetchRequest> requests_;
};

}  // namespace fardel
