// Trace: which assets a game opened first, in which order. The packer stores assets in that order, and clients fetch
// them in it. docs/traces.md is the specification of the text.
//
// A trace is a hint from outside: whoever follows one ends with the same bytes as without it. A value; no I/O.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kTraceBytesMax = 16u << 20;
inline constexpr std::size_t kTracedAssetsMax = 65'536;
inline constexpr std::uint64_t kTracedMillisecondsMax = 1ull << 40;
inline constexpr std::uint64_t kTracedSizeMax = 1ull << 40;

// The first time that an asset was opened.
struct TracedAsset {
    std::uint64_t opened_ms = 0;  // since the trace began
    std::uint64_t size_bytes = 0;
    BundleId bundle;
    AssetId asset;
    std::string name;  // well formed (name.h); empty: not known

    friend bool operator==(const TracedAsset&, const TracedAsset&) = default;
};

// In the order of opened_ms, and of opening; each asset of a bundle once.
using Trace = std::vector<TracedAsset>;

// The trace keeps the rules above and the limits.
std::string format_trace(const Trace& trace);
// Accepts only what format_trace() returns. Errors: malformed (the line), limit (too long, too many assets, too large a
// number).
Result<Trace> parse_trace(std::string_view text);
// Errors: missing, denied, io, those of parse_trace.
Result<Trace> read_trace(const std::string& path);

// Joins traces, such as those of several levels: by opened_ms, and of equal times in the order of `traces`. What
// several have opened counts once, the first time. Keeps the first kTracedAssetsMax.
Trace merge_traces(std::span<const Trace> traces);

}  // namespace fardel
