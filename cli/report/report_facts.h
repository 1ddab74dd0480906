// ReportFacts: what `fardel report` knows about bundles that are mounted together, as plain values. report_page.h makes
// a page of them.
//
// Assets of all bundles are numbered through: a node is asset 0 … of the first bundle, then those of the second.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/verifier/bundle_contents.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

struct ReportBundle {
    std::string file;
    std::string name;
    std::string version;
    BundleId id;
    LayoutId layout;
    std::uint64_t file_bytes = 0;
    std::uint64_t signatures = 0;
    std::uint32_t first_node = 0;  // number of its first asset
    BundleContents contents;
};

// One bundle's side of a name that several have.
struct ReportSide {
    std::uint32_t bundle = 0;
    std::optional<AssetId> asset;  // nothing: a tombstone
};

struct ReportConflict {
    std::string path;  // without the leading '/'
    bool harmless = false;
    ReportSide winner;
    std::vector<ReportSide> hidden;
};

// A name or pattern that nobody publishes, or a bundle that is not there.
struct ReportGap {
    std::uint32_t bundle = 0;  // who wants it
    std::string name;
    bool pattern = false;
    bool optional = false;
};
struct ReportAbsentBundle {
    std::uint32_t bundle = 0;
    BundleId wanted;
    std::string name;
    std::string version;
    bool is_static = false;
};

// What an asset's link table says, followed to where it leads among these bundles.
struct ReportReference {
    std::uint32_t from = 0;           // node
    std::optional<std::uint32_t> to;  // node; nothing: it leads nowhere
    std::string spelling;
    std::string wanted;  // the name or asset id that it asks for
    bool optional = false;
    bool dynamic = false;
};

// The assets that one asset pulls in: one to which nothing refers.
struct ReportRoot {
    std::uint32_t node = 0;
    std::uint64_t assets = 0;  // distinct, itself among them
    std::uint64_t raw_bytes = 0;
    std::uint64_t stored_bytes = 0;
    std::uint64_t missing = 0;  // references that lead nowhere and are not optional
};

// Several names for one asset of one bundle, or equal assets of several bundles.
struct ReportDuplicate {
    AssetId asset;
    std::uint64_t raw_bytes = 0;
    std::vector<std::pair<std::uint32_t, std::string>> names;  // bundle, name
    std::uint64_t copies = 0;                                  // bundles that store it
};

struct ReportFacts {
    std::vector<ReportBundle> bundles;      // in the order of mounting: later ones win
    std::vector<ReportConflict> conflicts;  // by path
    std::vector<ReportGap> gaps;
    std::vector<ReportAbsentBundle> absent_bundles;
    std::vector<ReportReference> references;  // by node
    std::vector<ReportRoot> roots;            // largest closures first
    std::uint64_t roots_left_out = 0;         // above kReportRootsMax
    std::vector<ReportDuplicate> duplicates;  // by bytes that the names share, most first

    std::uint32_t node_count() const noexcept;
    std::uint32_t bundle_of(std::uint32_t node) const noexcept;
    const ContentAsset& asset(std::uint32_t node) const noexcept;
};

inline constexpr std::size_t kReportRootsMax = 500;

// Mounts them as a game would, and reads their tables. `policy_path`: mount only what this policy trusts; empty:
// anything. Errors: those of opening and mounting bundles.
Result<ReportFacts> gather_facts(const std::vector<std::string>& files, const std::string& policy_path);

// The pure part: references followed, closures, duplicates; from `facts.bundles`.
void derive_facts(ReportFacts& facts);

}  // namespace fardel
