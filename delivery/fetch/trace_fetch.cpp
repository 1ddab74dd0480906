#include "fetch/trace_fetch.h"

#include "transfer/single_range.h"
#include "transfer/tree_urls.h"

#include <fardel/base/fits.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fardel {

Result<Trace> fetch_trace(RangeClient& client, const std::vector<std::string>& trees, const BundleId& bundle,
                          const std::stop_token& stop) {
    Trace found;
    const AcceptBytes accept = [&](std::span<const std::byte> bytes) {
        auto trace = parse_trace({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        if (trace)
            found = *std::move(trace);
        return trace.has_value();
    };
    // Without one, the same bytes come in another order: a server that is busy is not waited for.
    FARDEL_TRY(fetch_range(client, urls_of(trees, trace_path_of(bundle)),
                           {.url = {}, .offset = 0, .length_bytes = kPublishedTraceBytesMax}, 1, stop, accept));
    std::erase_if(found, [&](const TracedAsset& traced) { return traced.bundle != bundle; });
    return found;
}

std::vector<FetchRequest> make_requests_in_order(const std::vector<FetchUnit>& units,
                                                 const std::vector<std::uint64_t>& first) {
    std::vector<FetchRequest> requests;
    std::vector<bool> is_taken(units.size());
    std::vector<FetchUnit> together;
    std::uint64_t bytes = 0;
    const auto request = [&] {
        std::ranges::sort(together, {}, &FetchUnit::offset);
        std::ranges::move(make_requests(std::exchange(together, {})), std::back_inserter(requests));
        bytes = 0;
    };
    for (const std::uint64_t offset : first) {
        const auto unit = std::ranges::lower_bound(units, offset, {}, &FetchUnit::offset);
        if (unit == units.end() || unit->offset != offset)
            continue;
        const auto number = static_cast<std::size_t>(unit - units.begin());
        if (is_taken[number])
            continue;
        is_taken[number] = true;
        together.push_back(*unit);
        bytes += unit->length_bytes;
        if (bytes >= kOrderBytes)
            request();
    }
    request();
    for (std::size_t i = 0; i < units.size(); ++i)
        if (!is_taken[i])
            together.push_back(units[i]);
    request();
    return requests;
}

Result<AssetBlocks> blocks_of_asset(const Bundle& bundle, AssetIndex index) {
    FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(index));
    if (asset.piece_count() == 0)
        return AssetBlocks{};
    FARDEL_TRY_ASSIGN(const PlacementRecord placement, bundle.placement(index));
    if (!fits(placement.first_block, asset.piece_count(), bundle.table_count(TableKind::blocks)))
        return Error(ErrorCode::malformed,
                     "bundle " + bundle.id().hex() + ": the placement of asset " + asset.id.hex() + " is not valid");
    return AssetBlocks{placement.first_block, static_cast<std::uint32_t>(asset.piece_count())};
}

Result<std::vector<std::uint32_t>> blocks_in_order(const Bundle& bundle, const Trace& trace) {
    std::vector<std::uint32_t> blocks;
    std::vector<bool> listed(static_cast<std::size_t>(bundle.table_count(TableKind::blocks)));
    for (const TracedAsset& traced : trace) {
        FARDEL_TRY_ASSIGN(const auto index, bundle.find_asset(traced.asset));
        if (!index)
            continue;
        FARDEL_TRY_ASSIGN(const AssetBlocks run, blocks_of_asset(bundle, *index));
        for (std::uint32_t block = run.first; block < run.first + run.count; ++block)
            if (!listed[block]) {
                listed[block] = true;
                blocks.push_back(block);
            }
    }
    return blocks;
}

}  // namespace fardel
