// How the files of a player become the mounts that a server's policy wants (docs/pure-mode.md).
#pragma once

#include <fardel/base/result.h>
#include <fardel/vfs/mount.h>
#include <fardel/vfs/pure_policy.h>

#include <optional>
#include <string>

namespace fardel {

class Vfs;

// Errors: those of the file, limit, and of PurePolicy::parse.
Result<PurePolicy> read_pure_policy(const std::string& path);

// What is wrong with a bundle that cannot be opened or mounted.
PureFault pure_fault_of(ErrorCode code);

// Sets the mount point and case rule that the content set has for the bundle. Other bundles keep theirs.
void place_for_pure(const PurePolicy& policy, const BundleId& bundle, MountOptions& options);

// Mounts a bundle, or loose files: a folder or an archive, which needs no signature because the policy decides whether
// it tolerates them. `options` are those of a bundle at the root. Returns the problem of a file that cannot be mounted;
// it names the file without its path, which the server must not learn.
std::optional<PureProblem> mount_pure_file(Vfs& vfs, const PurePolicy& policy, const std::string& file,
                                           MountOptions options);

}  // namespace fardel
