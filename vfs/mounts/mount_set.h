// MountSet: the mounts that a reader sees, immutable and in order of precedence. A change makes a new one.
//
// A look-up asks each mount that is not in a run, and of the others those that the runs tell. A few mounts are in no
// run: asking them costs less than reading their names. When there are more, the oldest go into runs, so many at a time
// that no mount takes long; mounts with a place or with very many names stay out.
#pragma once

#include "bundle_leases.h"
#include "content_number.h"
#include "name_run.h"

#include <fardel/format/bundle.h>
#include <fardel/format/result.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/mount.h>
#include <fardel/vfs/pure_policy.h>
#include <fardel/vfs/variants.h>

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

struct FolderRelation {
    enum Kind : std::uint8_t {
        elsewhere,
        inside,  // rest: what is left of the folder below the place; empty: it is the place
        above,   // rest: the next part on the way to the place
    };
    Kind kind = elsewhere;
    std::string_view rest;
};

// What is mounted: a bundle, and where it comes from.
struct MountContent {
    ContentNumber number{};
    MountKind kind = MountKind::bundle;
    std::string path;  // of a folder or archive: what to scan again
    std::shared_ptr<const Bundle> bundle;
    std::shared_ptr<const BundleLeases> leases;  // of `bundle`, for opened files
    std::shared_ptr<const ScanReport> left_out;  // of a folder or archive
};

struct Mount : MountContent {
    MountId id{};
    int priority = 0;
    CaseRule case_rule = CaseRule::exact;
    std::string mount_point;  // empty: the root
    // Globs over paths of the tree: of this mount nothing else is visible, and no bundle or asset by its id. nullptr:
    // all.
    std::shared_ptr<const std::vector<std::string>> paths;
    bool in_run = false;  // its names are in one of the set's runs
    bool unfit = false;   // they can be in none

    bool shows(std::string_view name) const;  // whether `paths` let that path of the tree through
    // What is left of `name` below the place; nothing when it is elsewhere.
    std::optional<std::string_view> inside(std::string_view name) const;
    // Where a folder of the tree stands to the place.
    FolderRelation relate(std::string_view folder) const;
    bool tainted() const noexcept { return bundle->verdict().tainted; }
    MountDescription describe() const;
};

struct MountSetChange {
    std::vector<MountId> remove;
    std::vector<MountPriority> prioritise;  // they become younger than all that stay
    std::vector<Mount> add;                 // and these younger still
    // Other content for a mount that stays where it is.
    struct Replacement {
        MountId mount{};
        MountContent content;
    };
    std::vector<Replacement> replace;
};

Error no_such_mount(MountId mount);

class MountSet : public std::enable_shared_from_this<MountSet> {
public:
    MountSet() = default;

    // Errors: missing (no such mount), conflict (the same bundle twice at one place).
    Result<std::shared_ptr<const MountSet>> changed(MountSetChange change) const;
    // The same mounts, other variants.
    std::shared_ptr<const MountSet> preferring(std::shared_ptr<const VariantPreference> preference) const;

    // Highest precedence first.
    std::span<const Mount> mounts() const noexcept { return mounts_; }
    // The mount of that bundle with the highest precedence, or nullptr.
    const Mount* find_bundle(const BundleId& bundle) const noexcept;
    // One mount of each bundle, by bundle id.
    std::span<const std::uint32_t> by_bundle() const noexcept { return by_bundle_; }
    bool tainted() const noexcept { return tainted_; }
    // Those of `mounts`, highest precedence first, and no others: what a pure policy leaves.
    std::shared_ptr<const MountSet> locked(std::vector<Mount> mounts, std::shared_ptr<const PurePolicy> policy) const;
    // nullptr: not in pure mode.
    const PurePolicy* pure_policy() const noexcept { return pure_policy_.get(); }
    // nullptr: no such mount.
    const Mount* find(MountId mount) const noexcept;
    // Those that may add variants to names of others, highest precedence first; indexes of mounts().
    std::span<const std::uint32_t> extenders() const noexcept { return extenders_; }
    const VariantPreference& preference() const noexcept { return *preference_; }

private:
    friend class CandidateWalk;
    using Runs = std::vector<std::shared_ptr<const NameRun>>;

    // A run, and where its members are in mounts_.
    struct PlacedRun {
        std::shared_ptr<const NameRun> run;
        std::vector<std::uint32_t> places;
    };

    static std::shared_ptr<MountSet> make(std::vector<Mount> mounts, const Runs& runs,
                                          std::shared_ptr<const VariantPreference> preference);
    Runs runs() const;

    std::vector<Mount> mounts_;
    std::vector<PlacedRun> runs_;
    std::vector<std::uint32_t> direct_;     // mounts in no run, in order
    std::vector<std::uint32_t> by_bundle_;  // indexes of mounts_
    std::vector<std::uint32_t> extenders_;
    std::shared_ptr<const VariantPreference> preference_ = std::make_shared<const VariantPreference>();
    std::shared_ptr<const PurePolicy> pure_policy_;
    bool tainted_ = false;
};

// The mounts that may have a published name, highest precedence first; the others do not.
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
