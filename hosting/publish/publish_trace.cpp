#include <fardel/hosting/publish_trace.h>

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

constexpr int kTraceAttemptsMax = 8;
constexpr std::size_t kTracedLineBytesMax = 2 * 13 + 64 + 3;  // two numbers, an id, two spaces and the end
constexpr std::size_t kTraceFrameBytesMax = 128;              // the first line, and that of the bundle

// Adds an asset unless it was added before.
Status add_traced(Trace& traced, std::unordered_set<AssetId>& added, const Bundle& bundle, AssetIndex index,
                  std::uint64_t opened_ms) {
    FARDEL_TRY_ASSIGN(const AssetRecord record, bundle.asset(index));
    if (record.raw_bytes > kTracedSizeMax || !added.insert(record.id).second)
        return ok();
    traced.push_back({.opened_ms = opened_ms,
                      .size_bytes = record.raw_bytes,
                      .bundle = bundle.id(),
                      .asset = record.id,
                      .name = {}});
    return ok();
}

// Adds all variants of a name.
Status add_named(Trace& traced, std::unordered_set<AssetId>& added, const Bundle& bundle, const TracedAsset& wanted) {
    FARDEL_TRY_ASSIGN(const auto index, bundle.find_name(wanted.name));
    if (!index)
        return ok();
    FARDEL_TRY_ASSIGN(const NameRecord name, bundle.name(*index));
    if (name.is(NameRecord::tombstone))
        return ok();
    if (!name.is(NameRecord::has_variants))
        return add_traced(traced, added, bundle, AssetIndex{name.target}, wanted.opened_ms);
    for (std::uint32_t i = 0; i < name.count; ++i) {
        FARDEL_TRY_ASSIGN(const VariantRecord variant, bundle.variant(name.target + i));
        FARDEL_TRY(add_traced(traced, added, bundle, AssetIndex{variant.asset}, wanted.opened_ms));
    }
    return ok();
}

}  // namespace

Result<Trace> trace_for(const Bundle& bundle, const Trace& trace) {
    Trace traced;
    std::unordered_set<AssetId> added;
    for (const TracedAsset& wanted : trace) {
        FARDEL_TRY_ASSIGN(const auto index, bundle.find_asset(wanted.asset));
        if (index)
            FARDEL_TRY(add_traced(traced, added, bundle, *index, wanted.opened_ms));
        else if (!wanted.name.empty())
            FARDEL_TRY(add_named(traced, added, bundle, wanted));
    }
    constexpr std::size_t kMost = (kPublishedTraceBytesMax - kTraceFrameBytesMax) / kTracedLineBytesMax;
    static_assert(kMost < kTracedAssetsMax);
    traced.resize(std::min(traced.size(), kMost));
    return traced;
}

Result<TracePublication> publish_trace(const Bundle& bundle, const Trace& trace, TreeTarget& tree) {
    FARDEL_TRY_ASSIGN(const Trace traced, trace_for(bundle, trace));
    if (traced.empty())
        return TracePublication{};
    TracePublication publication{.path = trace_path_of(bundle.id()), .assets = traced.size()};
    const std::string text = format_trace(traced);
    for (int attempt = 1;; ++attempt) {
        FARDEL_TRY_ASSIGN(const auto head, tree.find_head(publication.path));
        if (head && std::ranges::equal(head->bytes, std::as_bytes(std::span(text))))
            return publication;
        Status replaced =
            tree.replace_head(publication.path, std::as_bytes(std::span(text)), head ? head->version : "");
        if (replaced)
            return publication;
        if (replaced.error().code() != ErrorCode::conflict || attempt == kTraceAttemptsMax)
            return std::move(replaced).error();
    }
}

}  // namespace fardel
