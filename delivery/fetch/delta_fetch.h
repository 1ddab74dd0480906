// DeltaFetch: finds a delta on the servers that leads from a bundle in the store to one that is being fetched, and
// fetches as much of it as is of use.
//
// Everything here may fail or lie without an effect on the fetch except the bytes that it costs: what a delta does not
// give, or gives wrong, comes as ranges of the bundle file. One thread.
#pragma once

#include "delta/delta_list.h"
#include "delta/delta_record.h"
#include "delta/delta_segment.h"
#include "fetch/block_choice.h"
#include "transfer/unit_transfer.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/incoming_bundle.h>
#include <fardel/store/range_client.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

class DeltaFetch {
public:
    // `trees`: complete URLs without '/' at the end.
    DeltaFetch(RangeClient& client, std::vector<std::string> trees, const BundleId& target, std::stop_token stop)
        : client_(client), trees_(std::move(trees)), target_(target), stop_(std::move(stop)) {}

    // A server claims that this is the front of a delta to the bundle: what fetch_tables() looks for. The bytes outlive
    // this object. Before fetch_tables().
    void offer(std::span<const std::byte> front) { offered_ = front; }

    // Looks for a delta from one of the bundles, first for one with blocks, the smallest one first, and writes the
    // heads and tables that it gives into the incoming bundle, unverified; `tables_bytes_max` bounds them. Returns
    // whether anything was written. Errors: cancelled, those of IncomingBundle.
    Result<bool> fetch_tables(const std::vector<std::shared_ptr<const Bundle>>& olds, IncomingBundle& incoming,
                              std::uint64_t tables_bytes_max);

    // The level at which the delta's raw segments are encoded again; nothing: there is no delta, or none with blocks.
    std::optional<std::uint32_t> level() const noexcept {
        return reader_ && head_.block_segments != 0 ? std::optional(head_.level) : std::nullopt;
    }

    // Chooses the segments that cost less than the blocks that they give, of those that are missing (one entry per
    // block of the bundle). Returns which blocks come from the delta. Does nothing without a delta for this layout.
    // `encodes`: false leaves out blocks that would have to be encoded, because they would come out otherwise.
    Result<BlockChoice> choose(const std::shared_ptr<const Bundle>& target, const std::vector<bool>& missing,
                               bool encodes);

    // Fetches the segments that were chosen and passes on what they give. Whatever does not come is not an error.
    // Errors: cancelled, those of `take`.
    Status fetch_blocks(const std::function<bool(std::uint32_t)>& wanted, const TakeBlock& take,
                        const std::function<void(std::uint64_t received_bytes)>& progress);

    const TransferCounts& counts() const noexcept { return counts_; }

private:
    struct Segment {
        std::size_t index = 0;     // in the directory
        std::uint64_t offset = 0;  // of its frame in the delta
    };
    Result<std::vector<std::byte>> fetch_from(const std::string& url, std::uint64_t offset, std::uint64_t length_bytes,
                                              std::optional<std::uint64_t> file_bytes);
    Status find_list(DeltaKind kind);
    Result<bool> try_offered(const std::vector<std::shared_ptr<const Bundle>>& olds, IncomingBundle& incoming,
                             std::uint64_t tables_bytes_max);
    // Its URL is known.
    Result<bool> fetch_front(const std::shared_ptr<const Bundle>& old, const ListedDelta& listed,
                             IncomingBundle& incoming, std::uint64_t tables_bytes_max);
    Result<bool> use_front(const std::shared_ptr<const Bundle>& old, std::span<const std::byte> bytes,
                           IncomingBundle& incoming, std::uint64_t tables_bytes_max);

    RangeClient& client_;
    const std::vector<std::string> trees_;
    const BundleId target_;
    const std::stop_token stop_;
    std::span<const std::byte> offered_;
    std::string tree_;  // that has the list
    DeltaList list_;
    std::string url_;  // of the delta
    DeltaHead head_;
    DeltaDirectory directory_;
    std::optional<DeltaReader> reader_;  // of the delta that was found
    std::shared_ptr<const Bundle> bundle_;
    std::vector<Segment> chosen_;
    std::vector<bool> given_;  // by the chosen segments, per block
    TransferCounts counts_;
};

}  // namespace fardel
