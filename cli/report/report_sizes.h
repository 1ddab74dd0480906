// SizedAsset: what an asset of a bundle costs, and who answers for it. `fardel report --json` writes them, and --since
// reads them again: from such a file, which is not trusted, or from older bundles.
#pragma once

#include "console/json.h"
#include "report_facts.h"

#include <fardel/base/result.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct SizedAsset {
    std::string name;    // the first of its names; empty: it has none
    std::string tags;    // of its variant of that name: "lang=fr"
    std::string bundle;  // the bundle's name, or that of its file
    std::string owner;   // metadata "owner" of the asset, or else of the bundle, or else `bundle`
    std::string content_type;
    std::string id;
    std::uint64_t raw_bytes = 0;
    std::uint64_t stored_bytes = 0;
};

// A sum over assets.
struct SizeSum {
    std::uint64_t assets = 0;
    std::uint64_t raw_bytes = 0;
    std::uint64_t stored_bytes = 0;
    void add(const SizedAsset& asset);
    friend bool operator==(const SizeSum&, const SizeSum&) = default;
};

// What sizes are summed up by. The folder is that of the name, "textures/base"; empty for the root and without a name.
enum class SizeGroup { folder, type, owner };
std::string_view group_of(const SizedAsset& asset, SizeGroup group);

// Above this, a number of bytes is not read from a file: other programs read JSON's numbers as doubles.
inline constexpr std::uint64_t kReportSizeMax = std::uint64_t{1} << 53;

// All assets, each once per bundle, by name, tags, bundle and id.
std::vector<SizedAsset> sized_assets(const std::vector<ReportBundle>& bundles);
SizeSum total_of(const std::vector<SizedAsset>& assets);
std::map<std::string, SizeSum> sum_sizes(const std::vector<SizedAsset>& assets, SizeGroup group);

// The name of a bundle in a report: its own, or that of its file.
std::string report_label(const ReportBundle& bundle);

// "raw_bytes" and "stored_bytes" of an asset or a sum, and what is in front of them.
Json json_of(const SizedAsset& asset);
Json json_of(const SizeSum& sum);

// The key "format" of the JSON.
inline constexpr std::string_view kReportFormat = "fardel-report";
inline constexpr std::uint64_t kReportVersion = 1;

// Reads the output of `fardel report --json`. Errors: malformed, unsupported (another version), limit (sizes that
// together are more than kReportSizeMax).
Result<std::vector<SizedAsset>> parse_sizes(std::string_view text);

// The assets of older bundles, or of older output of `fardel report --json`; a file of either. Errors: those of
// open_bundle, read_contents, read_report_file and parse_sizes.
Result<std::vector<SizedAsset>> read_sizes(const std::vector<std::string>& files);

}  // namespace fardel
