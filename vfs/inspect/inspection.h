// The answers to explain(), conflicts(), check_links(), metadata() and replace(): each a pure function of one or two
// MountSets.
#pragma once

#include "lookup/asset_verdicts.h"
#include "mounts/mount_set.h"

#include <fardel/base/result.h>
#include <fardel/vfs/file.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/mount.h>
#include <fardel/vfs/vfs_path.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// The candidates of a path and the winner, by the same look-ups as find(). The caller sets `path` and `folder`.
Explanation explain_path(const MountSet& set, AssetVerdicts& verdicts, const PathParts& path);

// How a reference in `from` is resolved, and the path that it leads to; with nothing there, the path of the name that
// is missing. Errors: those of find_in_scope; missing (a static target that is not visible).
struct ReferencePath {
    ReferenceRoute route = ReferenceRoute::none;
    std::string path;
};
Result<ReferencePath> find_reference_path(const MountSet& set, const File& from, std::string_view spelling);

// Of the bundle itself. Errors: those of metadata_of(File).
Result<Metadata> metadata_of(const Bundle& bundle);

// Looks each published name of each mount up in all of them. Sorted by path. Errors: limit (more than conflicts_max),
// corrupt, malformed, io.
Result<std::vector<PathConflict>> find_conflicts(const MountSet& set, std::size_t conflicts_max);

// Errors: limit (more than unresolved_max), corrupt, malformed, io.
Result<UnresolvedNeeds> find_unresolved_needs(const MountSet& set, std::size_t unresolved_max);

// What is not here of files in bundles of `set`. Errors: limit (more than assets_max), corrupt, malformed, io.
Result<std::vector<MissingContent>> find_missing_content(const MountSet& set, const std::vector<File>& files,
                                                         ContentReach reach, std::size_t assets_max);
// The asset, taken from the first bundle whose content of it is here, or else from the first bundle that has the asset.
// Reads no content.
Result<std::optional<File>> find_asset_file(const MountSet& set, const AssetId& id);

// The dependencies that are missing in `after` and were not missing in `before`: a bundle that lacked a
// dependency there already is not reported for it again. Damaged tables, which the verifier reports, depend on nothing.
std::vector<MissingDependency> find_newly_missing(const MountSet& before, const MountSet& after);

// How the paths that one mount publishes change when it gets other content, sorted by path. A change that cannot be
// determined has an error. None if a pure policy hides the mount. All other mounts have the same content in both sets.
std::vector<AssetChange> find_asset_changes(const MountSet& before, const MountSet& after, MountId mount);
// The same for a group of mounts, `old_group` in `before` and `new_group` in `after`, whose last mounts are the same
// one. Bundles that both groups have in the same order change nothing.
std::vector<AssetChange> find_asset_changes(const MountSet& before, const MountSet& after,
                                            std::span<const MountId> old_group, std::span<const MountId> new_group);

}  // namespace fardel
