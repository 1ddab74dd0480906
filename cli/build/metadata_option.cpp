#include "metadata_option.h"

#include "console/clock.h"

#include <fardel/format/bundle_metadata.h>
#include <fardel/format/printable.h>
#include <fardel/packer/nearest_word.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace fardel {
namespace {

constexpr std::string_view kMetric = "metric.";

template <class Number>
std::optional<Number> find_whole(std::string_view text) {
    Number number{};
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

Error bad_entry(std::string text) { return Error(ErrorCode::malformed, "--metadata: " + std::move(text)); }

// Keys of its own are an author's right, but one that differs from a well-known key by a letter or two is a slip that
// no reader would find.
Status verify_key(std::string_view key) {
    const std::string shown = printable(key);
    if (key.empty() || key.size() > kMetadataKeyBytesMax || key.find('\0') != key.npos)
        return bad_entry(
            fmt::format("write KEY=VALUE, such as licence=CC-BY-4.0; a key has 1 to {} bytes", kMetadataKeyBytesMax));
    if (key == "name" || key == "version")
        return bad_entry(fmt::format("the bundle's {} is given with --{}", key, key));
    if (key.starts_with("requires."))
        return bad_entry("what the bundle requires is given with --require");
    if (std::ranges::find(kMetadataKeys, key) != std::ranges::end(kMetadataKeys) ||
        (key.starts_with(kMetric) && key.size() > kMetric.size()))
        return ok();
    if (const std::size_t dot = key.find('.'); dot != key.npos) {
        constexpr std::string_view kPrefixes[] = {"metric"};
        if (const auto near = find_nearest_word(key.substr(0, dot), kPrefixes))
            return bad_entry(fmt::format("there is no well-known key '{}'; did you mean '{}.{}'?", shown, *near,
                                         printable(key.substr(dot + 1))));
        return ok();
    }
    if (const auto near = find_nearest_word(key, kMetadataKeys))
        return bad_entry(fmt::format("there is no well-known key '{}'; did you mean '{}'?", shown, *near));
    return ok();
}

Result<MetadataValue> parse_value(std::string_view key, std::string_view text) {
    if (text.empty())
        return bad_entry(fmt::format("'{}' has no value; write {}=VALUE", printable(key), printable(key)));
    if (key.starts_with(kMetric)) {
        const auto number = find_whole<double>(text);
        if (!number || !std::isfinite(*number))
            return bad_entry(fmt::format("{} is a metric, and '{}' is not a number", printable(key), printable(text)));
        return MetadataValue(*number);
    }
    if (key == "expires") {
        if (const auto day = parse_day(text))
            return MetadataValue(static_cast<std::int64_t>(day->seconds));
        const auto seconds = find_whole<std::int64_t>(text);
        if (!seconds)
            return bad_entry(fmt::format(
                "expires is a day such as 2027-12-31, or the Unix time in seconds; '{}' is neither", printable(text)));
        return MetadataValue(*seconds);
    }
    if (text == "true" || text == "false")
        return MetadataValue(text == "true");
    return MetadataValue(std::string(text));
}

}  // namespace

void add_metadata_options(CommandLine& line, MetadataOptions& options) {
    line.text("--license", "ID", options.license,
              "The licence that the bundle states, such as CC-BY-4.0; short for --metadata licence=ID");
    line.texts("--metadata", "KEY=VALUE", options.entries,
               "What the bundle states about itself: licence, origin, registry, web-page, expires (a day), "
               "metric.NAME (a number), or a key of your own; may be repeated");
}

Result<std::vector<PlannedMetadata>> parse_metadata(const MetadataOptions& options) {
    std::vector<std::string> entries = options.entries;
    if (!options.license.empty())
        entries.push_back("licence=" + options.license);
    std::vector<PlannedMetadata> metadata;
    for (const std::string_view entry : entries) {
        const std::size_t equals = std::min(entry.find('='), entry.size());
        const std::string_view key = metadata_key(entry.substr(0, equals));
        FARDEL_TRY(verify_key(key));
        FARDEL_TRY_ASSIGN(MetadataValue value, parse_value(key, entry.substr(std::min(equals + 1, entry.size()))));
        if (std::ranges::find(metadata, key, &PlannedMetadata::key) != metadata.end())
            return bad_entry(fmt::format("'{}' is given twice", printable(key)));
        metadata.push_back({.key = std::string(key), .value = std::move(value)});
    }
    return metadata;
}

}  // namespace fardel
