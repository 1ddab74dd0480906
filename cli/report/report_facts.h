// ReportFacts: everything that `fardel report` shows about bundles that are mounted together, as plain values.
// report_page.h turns them into a page.
//
// The assets of all bundles are numbered consecutively; such a number is called a node. Nodes start with the assets of
// the first bundle, followed by those of the second.
#pragma once

#include "bundles/left_out.h"
#include "report_sharing.h"

#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>
#include <fardel/verifier/bundle_contents.h>
#include <fardel/vfs/inspect.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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

// One reference of an asset's link table, and the asset that the Vfs finds for it.
struct ReportReference {
    std::uint32_t from = 0;           // node
    std::optional<std::uint32_t> to;  // node; nothing if the reference is unresolved
    std::string spelling;
    std::string wanted;  // the name or asset id of the target in the link table
    bool optional = false;
    bool dynamic = false;
};

// An asset to which no other refers, and the sums over its closure: all assets that it refers to, also indirectly.
struct ReportRoot {
    std::uint32_t node = 0;
    std::uint64_t assets = 0;  // distinct, including the root
    std::uint64_t raw_bytes = 0;
    std::uint64_t stored_bytes = 0;
    std::uint64_t missing = 0;  // unresolved references that are not optional
};

// An asset with several names, in one bundle or in several.
struct ReportDuplicate {
    AssetId asset;
    std::uint64_t raw_bytes = 0;
    std::vector<std::pair<std::uint32_t, std::string>> names;  // bundle, name
    std::uint64_t copies = 0;                                  // number of bundles that store it
};

struct ReportFacts {
    std::vector<ReportBundle> bundles;                // lowest precedence first
    std::map<MountId, std::uint32_t> bundle_numbers;  // indexes into `bundles`
    std::vector<PathConflict> conflicts;              // by path
    UnresolvedNeeds needs;
    std::vector<ReportReference> references;  // by node
    std::vector<ReportRoot> roots;            // largest closures first
    std::uint64_t roots_left_out = 0;         // those beyond kReportRootsMax
    std::vector<ReportDuplicate> duplicates;  // those that save most bytes first
    ReportSharing sharing;
    std::vector<std::string> unlinked;  // sentences about bundles of whose references nothing is known
    std::vector<LeftOutFile> left_out;  // of a project's sources

    std::uint32_t node_count() const noexcept;
    std::uint32_t bundle_of(std::uint32_t node) const noexcept;
    const ContentAsset& asset(std::uint32_t node) const noexcept;
};

inline constexpr std::size_t kReportRootsMax = 500;

// Reads the tables of one bundle. Errors: those of open_bundle and read_contents.
Result<ReportBundle> read_report_bundle(const std::string& file);

// Reads the tables of the bundles in `files`, which must be the bundles mounted in `vfs`, lowest precedence first.
// Conflicts, gaps and the targets of references are as `vfs` resolves them: with its priorities, case rules and
// preferred variants. Errors: those of opening bundles and of the Vfs; conflict (a file no longer contains the mounted
// bundle).
Result<ReportFacts> gather_facts(const Vfs& vfs, const std::vector<std::string>& files);

// By node: the first of its names; nullptr: it has none. The names are those of `facts`.
std::vector<const std::string*> node_names(const ReportFacts& facts);

// The pure part: numbers of assets, closures, duplicates and what could be shared, from `facts.bundles` and
// `facts.references`.
void derive_facts(ReportFacts& facts);

}  // namespace fardel
