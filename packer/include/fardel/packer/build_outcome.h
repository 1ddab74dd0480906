// BuildOutcome: everything about a build that a caller reports. Plain values.
#pragma once

#include <fardel/format/bundle_writer.h>
#include <fardel/format/ids.h>
#include <fardel/packer/resolve.h>
#include <fardel/sources/source_scan.h>
#include <fardel/store/derived_cache.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct BuildProgress {
    std::string_view stage;  // "hashing", "processing", "packing"
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    std::uint64_t raw_bytes = 0;  // for "packing"
};

struct BuiltBundle {
    std::string path;
    std::string name;
    std::string version;
    BundleWriteSummary written;
    std::optional<PublicKey> signed_by;
    double seconds = 0;  // of the first bundle: time since the build began
};

// Counts of the references of a project with [link].
struct ReferenceSummary {
    std::uint64_t references = 0;
    std::uint64_t resolved = 0;   // of those
    std::uint64_t rewritten = 0;  // assets in which spellings were replaced
    std::vector<MissingReference> missing;
    std::vector<BrokenAsset> broken;
    std::vector<std::string> idle_patterns;
};

ReferenceSummary summary_of(const ResolveResult& resolved);
// "maps/a.map:3: texture env/gone", safe to show.
std::string describe(const MissingReference& missing);

// The result of a build. The build database keeps it for later builds that have nothing to do.
struct BuildSummary {
    std::vector<BuiltBundle> bundles;  // each one after those that it needs
    ScanReport scan;                   // entries in the sources that no bundle contains
    std::vector<std::string> idle_rules;
    std::optional<ReferenceSummary> references;
};

struct BuildCounts {
    std::uint64_t sources = 0;
    std::uint64_t sources_read = 0;  // sources that are new or have changed
    std::uint64_t jobs = 0;
    std::uint64_t jobs_run = 0;      // the results of the others came from the cache
    std::uint64_t with_scanner = 0;  // assets that at least one reference scanner reads
    std::uint64_t scanned = 0;       // of those; the references of the others were remembered
};

struct BuildOutcome {
    std::string target;  // path of the bundle; parts of a split one are beside it
    BuildSummary summary;
    bool up_to_date = false;  // nothing was written; `summary` is that of the build that wrote the bundles
    BuildCounts counts;
    std::vector<std::string> logs;       // output of programs, under the names of their jobs
    std::vector<std::string> warnings;   // caches that could not be opened
    std::vector<std::string> different;  // jobs whose bytes differ from an earlier run with the same inputs
    CacheStatistics cache;
    double seconds = 0;
};

}  // namespace fardel
