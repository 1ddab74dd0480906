// MountSet: the mounts that a reader sees, immutable and in order of precedence. A change creates a new one.
//
// A look-up asks each mount that is in no run, and of the others those that the runs name. A few mounts are in no run:
// asking them costs less than reading their names. If there are more, the oldest are added to runs, so many at a time
// that no call of mount() takes long. Mounts with a mount point below the root or with very many names are in no run.
#pragma once

#include "bundle_leases.h"
#include "content_number.h"
#include "name_run.h"
#include "shown_assets.h"

#include <fardel/base/path_stamp.h>
#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/glob_set.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/mount.h>
#include <fardel/vfs/pure_policy.h>
#include <fardel/vfs/vfs_path.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

class OpenProject;  // <fardel/sources/project_reader.h>

struct FolderRelation {
    enum Kind : std::uint8_t {
        elsewhere,
        inside,  // rest: the folder relative to the mount point; empty: it is the mount point
        above,   // rest: the next part of the mount point's path below the folder
    };
    Kind kind = elsewhere;
    std::string_view rest;
};

// A mount's bundle, and where it comes from.
struct MountContent {
    ContentNumber number{};
    MountKind kind = MountKind::bundle;
    std::string path;                               // of a folder, archive or project, to read it again; else empty
    std::shared_ptr<const ArchiveReader> archives;  // reads the archive then
    std::shared_ptr<OpenProject> project;           // of a project; one thread at a time
    PathStamp opened;                               // of a bundle with a path: the file, before it was opened
    std::shared_ptr<const Bundle> bundle;
    std::shared_ptr<const BundleLeases> leases;  // of `bundle`, for opened files
    std::shared_ptr<const ScanReport> left_out;  // of a folder, archive or project
    // Bounds of the names that its published ones may be, set by the policy's rule that accepted it. nullptr: none.
    std::shared_ptr<const NameScope> scope;
    // What its requirements mean, in the order in which they are looked through. nullptr: nothing.
    std::shared_ptr<const std::vector<BundleId>> resolved;
    bool limits_classes = false;          // Bundle::limits_classes(): each look-up compares the name that it leads to
    std::shared_ptr<const Error> recall;  // why nothing of it is opened any more; nullptr: it is
    bool in_run = false;                  // its names are in one of the set's runs
    bool unfit = false;                   // they can be in no run

    // Content of that bundle, from nowhere in particular.
    static MountContent of(std::shared_ptr<const Bundle> bundle);
};

struct Mount {
    MountId id{};
    MountContent content;
    int priority = 0;
    CaseRule case_rule = CaseRule::exact;
    std::string mount_point;  // empty: the root
    bool pure_only = false;   // it is in no run, and visible only in a set that locked() returns
    // Globs over paths of the tree: only these paths of the mount are visible, and neither its bundle nor its assets by
    // their ids. nullptr: everything is.
    std::shared_ptr<const GlobSet> paths;
    std::shared_ptr<ShownAssets> shown_assets;                // set if `paths` are
    std::shared_ptr<const VariantPreference> own_preference;  // nullptr: that of the set
    std::shared_ptr<const VariantPreference> preference;      // of both, `own_preference` first; the set makes it

    const Bundle& bundle() const noexcept { return *content.bundle; }
    bool shows(std::string_view name) const;  // whether `paths` allow that path of the tree
    // The path, without the '/' at its front, of a name of the bundle.
    std::string path_of(std::string_view name) const;
    // `name` relative to the mount point; nothing if it is not below it.
    std::optional<std::string_view> inside(std::string_view name) const;
    // How a folder of the tree relates to the mount point.
    FolderRelation relate(std::string_view folder) const;
    bool tainted() const noexcept { return bundle().verdict().tainted; }
    // Error: revoked.
    Status verify_not_recalled() const { return content.recall ? Status(*content.recall) : ok(); }
    MountDescription describe() const;
};

struct MountSetChange {
    std::vector<MountId> remove;
    std::vector<MountPriority> prioritise;  // they become younger than all that stay
    std::vector<Mount> add;                 // and these younger still
    // Other content for a mount that keeps its position.
    struct Replacement {
        MountId mount{};
        MountContent content;
    };
    std::vector<Replacement> replace;
    // Mounts directly below one that stays, with its priority; later ones are above earlier ones.
    MountId above{};
    std::vector<Mount> add_below;
};

Error no_such_mount(MountId mount);

class MountSet : public std::enable_shared_from_this<MountSet> {
public:
    MountSet() = default;

    // Errors: missing (no such mount), conflict (the same bundle twice at one mount point).
    Result<std::shared_ptr<const MountSet>> changed(MountSetChange change) const;
    // The same mounts with another preference for variants.
    std::shared_ptr<const MountSet> preferring(std::shared_ptr<const VariantPreference> preference) const;
    // The same with another preference of one mount, which is in the set; nullptr: that of the set.
    std::shared_ptr<const MountSet> preferring(MountId mount,
                                               std::shared_ptr<const VariantPreference> preference) const;

    // The mounts that are visible outside of pure mode.
    std::shared_ptr<const MountSet> openly() const;
    // The same mounts with other recalls; `recalls` has one item per mount, in the order of mounts().
    std::shared_ptr<const MountSet> recalling(std::span<const std::shared_ptr<const Error>> recalls) const;

    // Highest precedence first.
    std::span<const Mount> mounts() const noexcept { return mounts_; }
    // The mount of that bundle with the highest precedence, or nullptr.
    const Mount* find_bundle(const BundleId& bundle) const noexcept;
    // One mount of each bundle, by bundle id.
    std::span<const std::uint32_t> by_bundle() const noexcept { return by_bundle_; }
    bool tainted() const noexcept { return tainted_; }
    // Only `mounts`, in order of precedence: those that a pure policy leaves visible. The policy names each of them, so
    // the scopes of the trust policy do not apply, except to mounts that are visible in part.
    std::shared_ptr<const MountSet> locked(std::vector<Mount> mounts, std::shared_ptr<const PurePolicy> policy) const;
    // nullptr: not in pure mode.
    const PurePolicy* pure_policy() const noexcept { return pure_policy_.get(); }
    // nullptr: no such mount.
    const Mount* find(MountId mount) const noexcept;
    // Mounts that may add variants to names of others, in order of precedence; indexes of mounts().
    std::span<const std::uint32_t> extenders() const noexcept { return extenders_; }
    // Which of the variants of a mount's names are taken. A copy of a mount that is in no set has that of the set.
    const VariantPreference& preference_of(const Mount& mount) const noexcept {
        return mount.preference ? *mount.preference : *preference_;
    }
    // Whether some name may give another variant than its first, because it is preferred.
    bool prefers() const noexcept { return prefers_; }

private:
    friend class CandidateWalk;
    using Runs = std::vector<std::shared_ptr<const NameRun>>;

    // A run, and for each member its index in mounts_.
    struct IndexedRun {
        std::shared_ptr<const NameRun> run;
        std::vector<std::uint32_t> indexes;
    };

    static std::shared_ptr<MountSet> make(std::vector<Mount> mounts, const Runs& runs,
                                          std::shared_ptr<const VariantPreference> preference);
    Runs runs() const;

    std::vector<Mount> mounts_;
    std::vector<IndexedRun> runs_;
    std::vector<std::uint32_t> direct_;     // mounts in no run, in order
    std::vector<std::uint32_t> by_bundle_;  // indexes of mounts_
    std::vector<std::uint32_t> extenders_;
    std::shared_ptr<const VariantPreference> preference_ = std::make_shared<const VariantPreference>();
    std::shared_ptr<const PurePolicy> pure_policy_;
    bool tainted_ = false;
    bool prefers_ = false;
};

// The mounts that may have a published name, in order of precedence; the others do not have it.
class CandidateWalk {
public:
    // `hash` is that of the name from the root.
    CandidateWalk(const MountSet& set, std::uint64_t hash) noexcept;
    // nullptr at the end.
    const Mount* next() noexcept;

private:
    static constexpr std::size_t kHitsMax = 128;

    const MountSet& set_;
    std::array<std::uint32_t, kHitsMax> hits_;
    std::size_t hit_count_ = 0;
    std::size_t hit_ = 0;
    std::size_t direct_ = 0;
    std::size_t next_ = 0;
    bool all_ = false;  // too many hits: every mount is a candidate
};

}  // namespace fardel
