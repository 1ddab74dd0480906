// What several bundles store although one of them could have it for all, and what a project says for that: it leaves
// the names out of its sources and depends on the bundle that has them.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/verifier/bundle_contents.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

struct ReportBundle;
struct ReportFacts;

// One of the bundles that store an asset.
struct StoredCopy {
    std::uint32_t bundle = 0;
    std::uint32_t asset = 0;  // index into its assets
    std::vector<std::string> names;
    bool is_home = false;  // the bundle that should have it: no other that has it is a dependency of this one
    std::string obstacle;  // of the others: why no project can leave it out; empty: it can
};

struct SharedAsset {
    AssetId asset;
    std::uint64_t raw_bytes = 0;
    std::uint64_t extra_raw_bytes = 0;  // of all copies except that of the home
    std::uint64_t extra_stored_bytes = 0;
    std::vector<StoredCopy> copies;  // in the order of the bundles; two or more
};

// What the project of `bundle` says so that it stores nothing that `home` has.
struct SharingFix {
    std::uint32_t bundle = 0;
    std::uint32_t home = 0;
    bool depends = false;            // it has a static dependency on `home` already
    std::vector<std::string> names;  // to leave out, sorted
    std::uint64_t assets = 0;
    std::uint64_t raw_bytes = 0;
    std::uint64_t stored_bytes = 0;
};

struct ReportSharing {
    std::vector<SharedAsset> assets;  // those that cost most stored bytes first
    std::vector<SharingFix> fixes;    // those that save most stored bytes first
    std::uint64_t extra_raw_bytes = 0;
    std::uint64_t extra_stored_bytes = 0;
};

// As many entries as a list of a project may have: names beyond them are for the next build.
inline constexpr std::size_t kSharingNamesMax = 4096;

// Pure.
ReportSharing find_sharing(const std::vector<ReportBundle>& bundles);

// The lines of a project file.
std::string format_fix(const SharingFix& fix, const ReportBundle& home);

}  // namespace fardel
