// The PhysicsFS face: registers bundles as an archive format of PhysicsFS, so that a game that uses PhysicsFS reads
// them with its existing calls (docs/physfs.md).
//
// PhysicsFS exists once per process, and so does this registration; PHYSFS_deinit() removes it. Both functions may be
// called between PHYSFS_init() and PHYSFS_deinit(), from any thread. Bundles are untrusted; the policy is trusted.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/format/trust_policy.h>
#include <fardel/vfs/vfs.h>
#include <fardel/vfs/writable_folder.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fardel {

struct PhysfsArchiverOptions {
    std::optional<TrustPolicy> policy;   // who must have signed; without one every bundle is unsigned
    TrustTime time;                      // for dates in signatures and metadata; the default is the system's clock
    bool allow_unsigned = false;         // development: mounts also content that the policy does not trust
    std::size_t cache_bytes = 8u << 20;  // decoded blocks of each mounted archive
    VariantPreference preference;        // which variants are taken; empty: the first of each name
    // As VfsOptions::digest_folder, for folders that a set file names.
    std::string digest_folder;
    // A bundle whose dependencies (MissingDependency) are not in the same mount fails to mount: each PHYSFS_mount() is
    // a tree of its own, so only the bundles of a set file find one another.
    bool require_dependencies = false;
    // Receives each dependency that is not in the same mount; `bundle_file` depends on it. As on_refused.
    std::function<void(std::string_view bundle_file, const MissingDependency& missing)> on_missing_dependency;
    // Receives the reason why PHYSFS_mount() failed; PhysicsFS itself has only a code. Called by the mounting thread,
    // with PhysicsFS locked; must not throw.
    std::function<void(std::string_view archive, const Error& error)> on_refused;
};

// From now on PHYSFS_mount() accepts bundles under any file name, also inside another archive (PHYSFS_mountHandle); the
// published names are the archive's files. It also accepts a set file: the line "fardel-set 1", then the path of one
// bundle per line, relative to the set file, later ones first in the search; one mount then shows all of them. Errors:
// conflict ("fardel" is registered already), io (PhysicsFS is not initialised).
Status register_physfs_archiver(PhysfsArchiverOptions options);

struct PhysfsMount {
    std::string name;          // for PHYSFS_unmount() and PHYSFS_getRealDir(); not a file name
    std::string mount_point;   // as in PHYSFS_mount(); empty: the root
    bool append = true;        // after the existing mounts in the search, not before them
    std::string folder = "/";  // of the Vfs, shown as the archive's root; of "/", only published names are shown
};

// Mounts a whole Vfs, with everything that is mounted in it now and later. It is kept until PhysicsFS unmounts it. Call
// register_physfs_archiver() first. Errors: malformed, limit (folder), conflict (name is in the search path), io
// (PhysicsFS refuses).
Status mount_into_physfs(std::shared_ptr<const Vfs> vfs, const PhysfsMount& mount);

// From now on PHYSFS_openWrite(), PHYSFS_openAppend(), PHYSFS_delete() and PHYSFS_mkdir() change `folder`, with its
// names and its quota. A file has its name when PHYSFS_close() has succeeded, and never as a part; it is written from
// its start to its end (PHYSFS_seek() fails). Folders come with their first file. What was written is read at
// `mount_point`: its first part has one of < > | ? * ", which no published name has, so that neither hides the other,
// in whichever order they are mounted. Pure mode leaves it alone. For PHYSFS_unmount() and PHYSFS_getRealDir() its name
// is folder.path(). PHYSFS_setWriteDir() ends the writing. Errors: malformed (mount_point), conflict (the name is in
// the search path), io (PhysicsFS refuses, for one because a file of the old write folder is open).
Status write_through_physfs(const WritableFolder& folder, std::string_view mount_point = "<saves>");

// Pure mode for PhysicsFS's whole search path, as long as the object lives: what mount_into_physfs() shows of one Vfs,
// under the policy of a server, and nothing else. Zips, folders and bundles that PHYSFS_mount() put beside it are
// unmounted, and mounted again in their positions at the end. One thread; no other may change the search path
// meanwhile. Include <fardel/vfs/pure_check.h> to use it.
class PhysfsPureLock {
public:
    // The others are unmounted first, so that the server's content is never beside them. On an error everything is as
    // before. Errors: missing (the Vfs is not in the search path), unsupported (something that could not be mounted
    // again: it is not there under its name, as what is mounted from memory, or it is another Vfs, or it is between two
    // mounts of the Vfs), busy (a file of it is open), conflict (there is a lock).
    static Result<PhysfsPureLock> enter(std::shared_ptr<Vfs> vfs, PurePolicy policy);
    // leave(), whatever it returns.
    ~PhysfsPureLock();
    PhysfsPureLock(PhysfsPureLock&&) noexcept;
    PhysfsPureLock& operator=(PhysfsPureLock&&) = delete;

    // What is wrong: Vfs::pure_report(), and each archive that has been mounted since. Bundles and other Vfs are
    // refused meanwhile; of zips and folders, PhysicsFS tells no archiver.
    PureReport report() const;
    // Unmounts what has been mounted since. It looks at the search path only, so a game can call it in each frame and
    // before it loads a level. Error: busy (names the first of which a file is open; the others are unmounted).
    Status unmount_newcomers();
    // As Vfs::answer_pure(), with that report.
    Result<PureReply> answer(const PureOffer& offer, std::span<const PureAxis> chosen,
                             std::string_view connection) const;
    // Leaves pure mode and mounts everything again. Error: missing (names what cannot be mounted again, because its
    // file is gone or damaged; all else is mounted).
    Status leave();

private:
    struct State;
    explicit PhysfsPureLock(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;  // nullptr: left
};

}  // namespace fardel
