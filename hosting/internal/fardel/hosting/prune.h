// Pruning a static tree: condemns the files of bundles that are not kept, deltas that lead to them, and releases of
// channels that no head names; and removes those that were condemned long ago. What the newest release of a channel in
// the tree names is kept, with what it needs. Safe beside readers, publishers and other prunes; docs/publishing.md says
// how. One thread.
#pragma once

#include <fardel/base/clock.h>
#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/hosting/tree_target.h>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

// A tree is read by clients that started earlier, and by publishers whose uploads take a while.
inline constexpr std::uint64_t kPruneGraceSecondsMin = 24u * 3600;

struct PruneOptions {
    std::vector<BundleId> keep;               // with their static dependencies, beside what channels name
    std::uint64_t grace_s = 30u * 24 * 3600;  // at least kPruneGraceSecondsMin
    bool only_plans = false;                  // changes nothing
    Clock now;
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

struct PrunedChannel {
    std::string name;
    std::uint64_t release_version = 0;  // whose bundles are kept
};

struct PruneReport {
    std::uint64_t kept_bundles = 0;
    std::vector<PrunedChannel> channels;
    std::vector<PrunedFile> files;  // in the order of their paths
};

// Other files, such as the roots of channels, are left alone. If the list of condemned files is damaged, all files are
// condemned again. Errors, after which nothing was changed: unresolved (the tree does not have a bundle or release that
// is to be kept), malformed, corrupt, conflict, limit (a bundle, head or release in it is wrong), limit (the grace time
// is too short), missing (it has no channel, and `keep` is empty). Others: busy (another prune is removing files),
// conflict (other programs keep changing the list), cancelled, those of the target.
Result<PruneReport> prune_tree(TreeTarget& tree, const PruneOptions& options);

// Makes files of the bundle, and of the bundles in the tree that it needs, wanted again. A publisher does this before
// and after it writes the bundle. `now`: as in PublishWork. Errors: busy (a prune is removing one of them), conflict,
// those of the target.
Status revive_bundle(TreeTarget& tree, const BundleId& bundle, const std::vector<BundleId>& needed,
                     std::optional<UnixTime> now);
// The same for the release of a channel and its bundles, before and after a head names it.
Status revive_release(TreeTarget& tree, const std::string& path, const std::vector<BundleId>& bundles,
                      std::optional<UnixTime> now);

}  // namespace fardel
