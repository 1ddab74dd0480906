// The PhysicsFS face: teaches the PhysicsFS of this process to mount bundles, so that a game which speaks PhysicsFS
// reads them with the calls that it has (docs/physfs.md).
//
// PhysicsFS is one per process, and so is what is registered here; PHYSFS_deinit() forgets it. Both functions may be
// called between PHYSFS_init() and PHYSFS_deinit(), from any thread. Bundles are untrusted; the policy is not.
#pragma once

#include <fardel/format/result.h>
#include <fardel/format/trust_policy.h>
#include <fardel/vfs/vfs.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

struct PhysfsArchiverOptions {
    std::optional<TrustPolicy> policy;   // who must have signed; without one every bundle is unsigned
    std::uint64_t now_s = 0;             // Unix seconds, for dates in signatures; 0: they do not matter
    bool allow_unsigned = false;         // development: what the policy does not trust is mounted all the same
    std::size_t cache_bytes = 8u << 20;  // decoded blocks of each mounted archive
    // Told why PHYSFS_mount() failed, for which PhysicsFS has a code only. Called by the mounting thread, with
    // PhysicsFS locked; must not throw.
    std::function<void(std::string_view archive, const Error& error)> on_refused;
};

// From here on PHYSFS_mount() takes a bundle, whatever its file is called, also one inside another archive
// (PHYSFS_mountHandle); its published names are the archive's files. It takes a set file too: text of the line
// "fardel-set 1" and one bundle's path a line, relative to the set file, later ones first in the search; one mount then
// shows all of them. Errors: conflict ("fardel" is registered already), io (PhysicsFS is not initialised).
Status register_physfs_archiver(PhysfsArchiverOptions options);

struct PhysfsMount {
    std::string name;          // what PHYSFS_unmount() takes and PHYSFS_getRealDir() gives; of no file
    std::string mount_point;   // as PHYSFS_mount() takes it; empty: the root
    bool append = true;        // behind what is mounted already, not before it
    std::string folder = "/";  // of the Vfs, shown as the archive's root; of "/" without /assets and /bundles
};

// Mounts a whole Vfs, with all that is mounted in it now and later. It lives until PhysicsFS unmounts it. Needs
// register_physfs_archiver() first. Errors: malformed, limit (folder), conflict (name is in the search path), io (what
// PhysicsFS refuses).
Status mount_into_physfs(std::shared_ptr<const Vfs> vfs, const PhysfsMount& mount);

}  // namespace fardel
