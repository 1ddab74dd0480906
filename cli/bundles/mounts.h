// Bundles mounted as a game would mount them, for verbs that look at several together.
#pragma once

#include "console/command_line.h"
#include "console/console.h"

#include <fardel/base/result.h>
#include <fardel/delivery/remote_bundle.h>
#include <fardel/format/statement.h>
#include <fardel/format/trust_policy.h>
#include <fardel/vfs/vfs.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

// The names of mounts in messages.
using MountLabels = std::map<MountId, std::string>;
MountLabels labels_of(const Vfs& vfs);

// How mount_all() mounts.
struct MountingOptions {
    std::string policy_path;                    // empty: anything is mounted; untrusted mounts are tainted
    std::shared_ptr<const TrustPolicy> policy;  // instead of that of the path; nullptr: none
    bool require_dependencies = false;
    bool fold = false;                                   // every mount answers to names in any case
    bool watch = false;                                  // folders and projects, if the system can: MountOptions::watch
    bool watch_bundles = false;                          // with `watch`: bundle files, too
    std::string store;                                   // as open_store() takes it
    std::vector<std::string> libraries;                  // as find_library() takes them
    std::map<BundleId, std::vector<BundleId>> resolved;  // what the requirements of bundles mean (a lock file)
    std::string project_target;                          // of projects: MountOptions::project_target
    std::vector<std::string> licenses;                   // files of licence tokens, besides those of the store
};
// The policy of --trust; nullptr for an empty path. Errors: those of read_trust_policy.
Result<std::shared_ptr<const TrustPolicy>> find_policy(const std::string& path);
// Adds --trust, --require-dependencies, --fold, --target, --license, --store and --library.
void add_mounting_options(CommandLine& line, MountingOptions& options);

// Bundles that are read from servers while they are mounted.
struct RemoteMounting {
    RemoteServers servers;
    std::vector<std::shared_ptr<const RemoteBundle>> bundles;
};

// The options of a Vfs that mounts them: digests of folders are kept in the user's cache.
VfsOptions vfs_options();

// Licence tokens of the options and of the store. Errors: those of BundleStore and read_license_tokens.
Result<std::vector<Envelope>> licenses_of(const MountingOptions& options);

// Licence tokens are those of licenses_of(). `policy`: nullptr: anything is mounted. Errors: those of
// BundleStore and read_license_tokens.
Result<MountOptions> mount_options_of(const MountingOptions& options, const TrustPolicy* policy);

// Mounts the files at the root in one step, in this order; later ones win. With a store or a library, a word that names
// no file but could begin a bundle id is a bundle in it. The static dependencies that the store or the library has are
// mounted before the bundle that needs them; a bundle named by its id is refused without them. With `remote`, which
// needs a store, what neither has whole is read from the servers, and added to `remote`. Errors: those of
// read_trust_policy, BundleStore, BundleLibrary, open_remote_bundles and Vfs::mount.
Status mount_all(Vfs& vfs, const std::vector<std::string>& files, const MountingOptions& options,
                 RemoteMounting* remote = nullptr);

// Says on standard error which mounts have static dependencies that are not mounted: one line per mount.
void say_missing_dependencies(const Vfs& vfs, Console& console);

// Says on standard error which of the mounted bundles are incomplete in the store: one line per bundle.
void say_incomplete_bundles(const Vfs& vfs, const MountingOptions& options, Console& console);

}  // namespace fardel
