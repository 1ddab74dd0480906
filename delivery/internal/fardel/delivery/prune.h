// Pruning a static tree: condemns the files of bundles that are not kept, and deltas that lead to them, and removes
// those that were condemned long ago. Safe beside readers, publishers and other prunes; docs/publishing.md says how.
// One thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/tree_target.h>
#include <fardel/format/ids.h>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

// A tree is read by clients that started earlier, and by publishers whose uploads take a while.
inline constexpr std::uint64_t kPruneGraceSecondsMin = 24u * 3600;

struct PruneOptions {
    std::vector<BundleId> keep;  // with their static dependencies
    std::uint64_t grace_s = 30u * 24 * 3600;
    bool only_plans = false;               // changes nothing
    std::function<std::uint64_t()> now_s;  // Unix seconds
    std::stop_token stop;
};

enum class PruneStep : unsigned char {
    kept,       // belongs to a bundle that is kept; in the report only if it was condemned
    condemned,  // by this call
    waiting,    // was condemned earlier; the grace time is not over
    removed,    // by this call
};

struct PrunedFile {
    std::string path;
    std::uint64_t size_bytes = 0;
    PruneStep step{};
};

struct PruneReport {
    std::uint64_t kept_bundles = 0;
    std::vector<PrunedFile> files;  // in the order of their paths
};

// Files that are not those of a bundle are left alone. If the list of condemned files is damaged, all files are
// condemned again. Errors: unresolved (the tree does not have a bundle that is to be kept; nothing was changed), busy
// (another prune is removing files), conflict (other programs keep changing the list), corrupt and malformed (a bundle
// of the tree), cancelled, those of the target.
Result<PruneReport> prune_tree(TreeTarget& tree, const PruneOptions& options);

// Makes files of the bundle, and of the bundles in the tree that it needs, wanted again. A publisher does this before
// and after it writes the bundle. Errors: busy (a prune is removing one of them), conflict, those of the target.
Status revive_bundle(TreeTarget& tree, const BundleId& bundle, const std::vector<BundleId>& needed,
                     std::uint64_t now_s);

}  // namespace fardel
