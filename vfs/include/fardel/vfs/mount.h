// The subjects and options of mounts, what they lack, and the effect of a content change on the paths of a Vfs. Plain
// values.
//
// Folders, archives, projects and plans are mounted as bundles that are built in memory (unpacked_bundle.h): the same
// names, the same ids, the same checks. They are unsigned, so they need allow_unsigned. Precedence: of two mounts the
// one with the higher priority wins; of equal ones the one mounted later.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>
#include <fardel/vfs/vfs_path.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fardel {

class ArchiveReader;  // <fardel/sources/archive_reader.h>
class ByteSource;     // <fardel/format/byte_source.h>
class ProjectReader;  // <fardel/sources/project_reader.h>
struct BundlePlan;    // <fardel/format/bundle_plan.h>

// Unique within its Vfs and never used again.
enum class MountId : std::uint32_t {};

enum class MountKind : std::uint8_t {
    bundle,
    folder,
    archive,  // a legacy one: zip, pk3, 7z, …
    plan,     // assets in memory, or wherever their blobs are stored
    project,  // what `fardel build` would bundle
};
std::string_view mount_kind_text(MountKind kind) noexcept;

// A path (a bundle, a folder, a legacy archive or, by its extension, a project file "fardel.toml", whichever is found
// there), the bytes of a bundle, or a plan.
using MountSubject = std::variant<std::string, std::shared_ptr<const ByteSource>, std::shared_ptr<const BundlePlan>>;

struct MountOptions {
    std::string mount_point;  // the folder in which published names appear, without '/' around it; empty: the root
    int priority = 0;
    CaseRule case_rule = CaseRule::exact;  // of this bundle's published names and its mount point
    const TrustPolicy* policy = nullptr;   // who must have signed; used during mount() only
    TrustTime time;                        // for dates in signatures and metadata; the default is the system's clock
    bool allow_unsigned = false;  // development: content that the policy does not trust is mounted too, and tainted
    // Refuses the mount if a dependency of the bundle (MissingDependency) is mounted neither before nor by the same
    // change. Without it, VfsOptions::on_missing_dependency reports what is missing, and MountDescription lists it.
    bool require_dependencies = false;
    // What the bundle's requirements mean (docs/installing.md): its references are looked up in these bundles behind
    // its static dependencies, and before the published names. They count as dependencies that it needs. At most 256.
    std::vector<BundleId> resolved;
    // Vfs::poll() follows what changes in a folder, in the files of a project, or by which the bundle file at a path is
    // replaced; a new bundle file is judged by the same options, of which the policy is copied.
    bool watch = false;
    // A bundle that a server brought: it is visible only in pure mode, and only if the policy's content set has it with
    // this mount point and case rule. Otherwise it is hidden, and no report mentions it.
    bool pure_only = false;
    std::string label;  // names the bundle in messages; empty: the path it was mounted from
    // Reads legacy archives (legacy_archives.h); without it, mounting one is `unsupported`.
    std::shared_ptr<const ArchiveReader> archives;
    // Reads projects (make_project_reader() of <fardel/packer/build.h>); without it, mounting one is `unsupported`.
    std::shared_ptr<const ProjectReader> projects;
    std::string project_target;      // which target of a project is mounted; empty: the only one, or none
    std::vector<Envelope> licenses;  // tokens (LicenseToken), for bundles that require one
    // Which variants of this mount's names are taken: it counts before the preference of the Vfs.
    VariantPreference preference = {};
};

struct MountRequest {
    MountSubject subject;
    MountOptions options;
};

struct MountPriority {
    MountId mount{};
    int priority = 0;
};

// A change of the mounts that takes effect as a whole or not at all.
struct MountChange {
    std::vector<MountId> unmount;
    std::vector<MountRequest> mount;  // in this order; later ones win
    // New priorities of mounts that stay. Each counts as mounted now, in this order, before those of `mount`.
    std::vector<MountPriority> prioritise;
};

// Content of one bundle that is not here: the bundle is incomplete in a store, is read from servers, or is not mounted.
struct MissingContent {
    BundleId bundle;
    std::vector<AssetId> assets;  // ascending
    bool is_mounted = true;       // false: references lead into it
};
enum class ContentReach : bool {
    assets,    // what is at the paths
    closures,  // and everything that it refers to
};

// What a mounted bundle needs and is not mounted, so that references into it lead nowhere: a static dependency, a
// bundle that a requirement means (MountOptions::resolved), or a requirement that no mounted bundle meets.
struct MissingDependency {
    MountId mount{};  // of the bundle that depends on it
    BundleId bundle;  // all zero: see `requirement`
    // "studio/base >= 1.0", and why the mounted bundle of that name does not do; empty: `bundle` is missing.
    std::string requirement;
    std::string reason;
    friend bool operator==(const MissingDependency&, const MissingDependency&) = default;
};

// A mounted bundle that a policy has withdrawn since: its files cannot be opened any more, and those that are open stay
// so.
struct RecalledMount {
    MountId mount{};
    BundleId bundle;
    std::string label;  // of the mount
    Error reason;       // revoked
};

// What a path led to before the content of a mount was replaced, and what it leads to now; nothing: no asset.
struct AssetChange {
    std::string path;
    std::optional<AssetId> before;
    std::optional<AssetId> after;
    // Why one of them is not known: a mount that decides about the path is damaged or cannot be read. If the path is
    // the mount point itself, the mount's list of names is damaged, and there may be more changes.
    std::optional<Error> error;
};

}  // namespace fardel
