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

class Vfs;

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

// One reference of an asset's link table, and the asset that the Vfs finds for it.
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

// Reads the tables of the bundles in `files`, which are what is mounted in `vfs`, lowest precedence first. What hides
// what, what is missing and where references lead is as `vfs` resolves it: with its priorities, case rules and
// preferred variants. Errors: those of opening bundles and of the Vfs's own questions; conflict (a file is no longer
// the bundle that is mounted).
Result<ReportFacts> gather_facts(const Vfs& vfs, const std::vector<std::string>& files);

// The pure part: numbers of assets, closures and duplicates, from `facts.bundles` and `facts.references`.
void derive_facts(ReportFacts& facts);

}  // namespace fardel
