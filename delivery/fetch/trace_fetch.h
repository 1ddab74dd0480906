// Fetches the traces that lie beside bundles in static trees. A trace is a hint: whatever a server sends, a client ends
// with the same bytes.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/unit_transfer.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/format/trace.h>
#include <fardel/http/range_client.h>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

// Returns the trace from the first of the trees that has a good one; an empty one if none has. At most
// kPublishedTraceBytesMax bytes are received from each. Errors: cancelled, limit.
Result<Trace> fetch_trace(RangeClient& client, const std::vector<std::string>& trees, const BundleId& bundle,
                          const std::stop_token& stop);

// Returns the blocks of the assets that the trace lists, in its order, each once. What the bundle does not have is left
// out. Errors: those of reading its tables.
Result<std::vector<std::uint32_t>> blocks_in_order(const Bundle& bundle, const Trace& trace);

// Joins units, which are by offset, into requests: first those that begin at the offsets of `first`, about kOrderBytes
// at a time in its order, then the others by offset.
inline constexpr std::uint64_t kOrderBytes = 1u << 20;
std::vector<FetchRequest> make_requests_in_order(const std::vector<FetchUnit>& units,
                                                 const std::vector<std::uint64_t>& first);

// The blocks with the content of an asset. Error: malformed (there are no such blocks), those of Bundle.
struct AssetBlocks {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};
Result<AssetBlocks> blocks_of_asset(const Bundle& bundle, AssetIndex index);

}  // namespace fardel
