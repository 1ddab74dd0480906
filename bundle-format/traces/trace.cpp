#include <fardel/format/trace.h>

#include <fardel/base/file.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kTraceFirstLine = "fardel-trace 1";
constexpr std::string_view kTraceBundle = "bundle ";
constexpr std::size_t kTraceIdDigits = 64;

Error bad_trace(std::size_t line, std::string_view what) {
    return Error(ErrorCode::malformed, "trace, line " + std::to_string(line) + ": " + std::string(what));
}

// An asset of a bundle.
struct TraceKey {
    BundleId bundle;
    AssetId asset;
    friend bool operator==(const TraceKey&, const TraceKey&) = default;
};
struct TraceKeyHash {
    std::size_t operator()(const TraceKey& key) const noexcept {
        return std::hash<AssetId>()(key.asset) * 31 + std::hash<BundleId>()(key.bundle);
    }
};
using TraceKeys = std::unordered_set<TraceKey, TraceKeyHash>;

// Takes the decimal number at the start of the line, without a sign or zeros in front, and what stands behind it.
std::optional<std::uint64_t> read_number(std::string_view& line, char behind) {
    if (line.find(behind) == std::string_view::npos)
        return std::nullopt;
    return parse_decimal(read_until(line, behind), UINT64_MAX);
}

// The line of one asset, without its end.
Result<TracedAsset> parse_traced(std::string_view line, std::size_t number) {
    TracedAsset traced;
    const auto opened = read_number(line, ' ');
    const auto size = opened ? read_number(line, ' ') : std::nullopt;
    if (!size)
        return bad_trace(number, "expected milliseconds, bytes, asset id and name");
    if (*opened > kTracedMillisecondsMax || *size > kTracedSizeMax)
        return Error(ErrorCode::limit, "trace, line " + std::to_string(number) + ": the number is too large");
    traced.opened_ms = *opened;
    traced.size_bytes = *size;
    const std::string_view digits = line.substr(0, kTraceIdDigits);
    const auto asset = AssetId::parse(digits);
    // Compared with its own form, so that upper-case digits are no second spelling.
    if (!asset || asset->hex() != digits)
        return bad_trace(number, "no asset id");
    traced.asset = *asset;
    line.remove_prefix(kTraceIdDigits);
    if (line.empty())
        return traced;
    if (!line.starts_with(' ') || !verify_name(line.substr(1)))
        return bad_trace(number, "the name is not well formed");
    traced.name = line.substr(1);
    return traced;
}

}  // namespace

std::string format_trace(const Trace& trace) {
    std::string text(kTraceFirstLine);
    text += '\n';
    const BundleId* bundle = nullptr;
    for (const TracedAsset& traced : trace) {
        if (bundle == nullptr || *bundle != traced.bundle)
            text.append(kTraceBundle).append(traced.bundle.hex()) += '\n';
        bundle = &traced.bundle;
        text += std::to_string(traced.opened_ms) + ' ' + std::to_string(traced.size_bytes) + ' ' + traced.asset.hex();
        if (!traced.name.empty())
            text += ' ' + traced.name;
        text += '\n';
    }
    return text;
}

Result<Trace> parse_trace(std::string_view text) {
    if (text.size() > kTraceBytesMax)
        return Error(ErrorCode::limit, "the trace has " + std::to_string(text.size()) + " bytes, at most " +
                                           std::to_string(kTraceBytesMax) + " are allowed");
    Trace trace;
    TraceKeys seen;
    std::optional<BundleId> bundle;
    bool is_begun = false;  // a bundle line has assets behind it
    std::size_t number = 1;
    for (; number == 1 || !text.empty(); ++number) {
        const auto terminated = read_terminated(text, '\n');
        if (!terminated)
            return bad_trace(number, "is cut off");
        const std::string_view line = *terminated;
        if (number == 1) {
            if (line != kTraceFirstLine)
                return bad_trace(number, "this is not a trace of version 1");
        } else if (line.starts_with(kTraceBundle)) {
            const std::string_view digits = line.substr(kTraceBundle.size());
            const auto id = BundleId::parse(digits);
            // One text for one trace: digits in lower case, and no bundle line without assets behind it.
            if (!id || id->hex() != digits || (bundle && (!is_begun || *bundle == *id)))
                return bad_trace(number, "no bundle id, or the same bundle again");
            bundle = *id;
            is_begun = false;
        } else {
            if (trace.size() == kTracedAssetsMax)
                return Error(ErrorCode::limit,
                             "the trace has more than " + std::to_string(kTracedAssetsMax) + " assets");
            FARDEL_TRY_ASSIGN(TracedAsset traced, parse_traced(line, number));
            if (!bundle)
                return bad_trace(number, "no bundle was named before");
            traced.bundle = *bundle;
            if (!trace.empty() && trace.back().opened_ms > traced.opened_ms)
                return bad_trace(number, "is earlier than the line before");
            if (!seen.insert({traced.bundle, traced.asset}).second)
                return bad_trace(number, "this asset was opened before");
            is_begun = true;
            trace.push_back(std::move(traced));
        }
    }
    if (bundle && !is_begun)
        return bad_trace(number - 1, "the last bundle has no assets");
    return trace;
}

Result<Trace> read_trace(const std::string& path) {
    const std::string subject = printable(path);
    FARDEL_TRY_ASSIGN(const RegularFile file, open_regular_file(path, subject));
    if (file.status.size_bytes > kTraceBytesMax)
        return Error(ErrorCode::limit, subject + ": larger than any trace");
    FARDEL_TRY_ASSIGN(const std::string text, read_text(file.descriptor, kTraceBytesMax, subject));
    // Version control gives it the line ends of Windows there.
    auto trace = parse_trace(with_line_feeds(text));
    if (!trace)
        return std::move(trace).error().with_context(subject);
    return trace;
}

Trace merge_traces(std::span<const Trace> traces) {
    Trace all;
    for (const Trace& trace : traces)
        all.insert(all.end(), trace.begin(), trace.end());
    // By the time since each trace began: what a game opens early in any of them comes early.
    std::ranges::stable_sort(all, {}, &TracedAsset::opened_ms);
    TraceKeys seen;
    std::erase_if(all, [&](const TracedAsset& traced) { return !seen.insert({traced.bundle, traced.asset}).second; });
    if (all.size() > kTracedAssetsMax)
        all.resize(kTracedAssetsMax);
    return all;
}

}  // namespace fardel
