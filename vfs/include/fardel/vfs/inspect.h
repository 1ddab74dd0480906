// What a Vfs reports about itself, for tools, editors and start-up checks: its mounts, why a path leads to its asset,
// which mounts publish the same path, which needs nothing provides, and what bundles state about their assets. The
// types of Vfs::mounts(), explain(), conflicts(), check_links() and metadata().
//
// Plain values. Text that comes from bundles is untrusted; print it with printable().
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>
#include <fardel/format/tag.h>
#include <fardel/vfs/file.h>
#include <fardel/vfs/mount.h>
#include <fardel/vfs/vfs_path.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct ScanReport;  // <fardel/sources/scan_report.h>

// ---- Mounts ---------------------------------------------------------------------------------------------------------

struct MountDescription {
    MountId id{};
    MountKind kind = MountKind::bundle;
    std::string label;
    std::string mount_point;
    int priority = 0;
    CaseRule case_rule = CaseRule::exact;
    BundleId bundle;
    LayoutId layout;
    bool tainted = false;
    bool has_variants = false;         // its bundle has names with variants, or adds some to names of others
    bool hidden = false;               // by a pure policy, or as MountOptions::pure_only says
    std::optional<Error> recall;       // why judge_again() withdrew it; nothing: it did not
    std::vector<std::string> signers;  // labels of the policy's keys that counted
    std::vector<MissingDependency> missing_dependencies;
    // Of a folder or archive: what it contains that is not in the tree, and why.
    std::shared_ptr<const ScanReport> left_out;
};

// ---- What is stated about an asset ----------------------------------------------------------------------------------

struct MetadataEntry {
    std::string key;  // "licence", "metric.triangles": docs/bundle-format.md, "metadata"
    MetadataValue value;
    bool of_bundle = false;  // the asset states nothing under this key, and its bundle does
};

// What a bundle states about an asset, and where it states nothing about the asset, about itself. What describes the
// bundle as a whole (name, version, requirements, metrics) is about no asset.
struct Metadata {
    BundleId bundle;
    std::optional<AssetId> asset;        // nothing: all entries are the bundle's
    std::vector<MetadataEntry> entries;  // in byte order of the keys, each once

    // "license" means `licence`. The result lives as long as the entries; nullptr: nothing is stated.
    const MetadataEntry* find(std::string_view key) const noexcept;
};

// Errors: corrupt, malformed, limit, io.
Result<Metadata> metadata_of(const File& file);

// ---- Why a path leads to its asset ----------------------------------------------------------------------------------

// Why a candidate won or did not.
enum class CandidateOutcome : std::uint8_t {
    wins,
    tombstone,        // it hides the name in the mounts below it, and no mount above it has the name
    lower_priority,   // than the mount that decided
    mounted_earlier,  // than the mount that decided, which has the same priority
    extends_only,     // it adds variants to the name, and none of them is chosen
    gives_variant,    // it adds variants to the name, and one of them is chosen
    not_published,    // the name is visible inside the bundle only
    not_allowed,      // its rule in the trust policy does not let it publish the name
    adds_only,        // its rule lets it add names, and a mount below it, under another rule, has this one
    damaged,          // its tables or its content fail their check: see `error`; for a name, that decides the look-up
    same_content,     // another bundle's copy of the same asset was chosen
    refused,          // it would win, and its content cannot be opened, as after its date (`expires`): see `error`
};
std::string_view candidate_outcome_text(CandidateOutcome outcome) noexcept;

// A mount that has the path's name or asset.
struct PathCandidate {
    MountDescription mount;
    CandidateOutcome outcome = CandidateOutcome::wins;
    std::string name;  // as the bundle spells it; empty for "/assets/<id>"
    std::optional<AssetId> asset;
    std::uint64_t size_bytes = 0;
    std::uint32_t variants = 0;  // of the name in this mount
    std::string variant;         // tags of the one that `asset` is, "lang=fr quality=hd"; empty: it has none
    std::optional<Error> error;
};

// Who decides which asset a reference means.
enum class ReferenceRoute : std::uint8_t {
    none,      // the look-up is about a path
    fixed,     // its link table: one asset, or one name, of its own bundle or of a dependency
    dynamic,   // the published tree, by the name in its link table: a mount above may replace the asset
    unlisted,  // no link table has it: the name in its own bundle, its dependencies, then the published tree
};
std::string_view reference_route_text(ReferenceRoute route) noexcept;

struct Explanation {
    std::string path;  // with its leading '/'; of a reference, the path that it leads to
    ReferenceRoute route = ReferenceRoute::none;
    PathKind kind = PathKind::nowhere;
    std::vector<PathCandidate> candidates;  // in order of precedence
    std::optional<std::size_t> winner;      // the candidate whose asset open() gives; nothing: open() fails
    bool folder = false;                    // list() shows something there
    std::string other_case;                 // if nothing is there: a path of which only the case differs; empty: none
    // If extensions were given: the other paths that were looked up and gave no asset. They were tried before `path`;
    // if no path gave an asset, `path` is the one that was given.
    std::vector<std::string> tried;
};

// ---- Paths that several mounts publish ------------------------------------------------------------------------------

// What one mount has at a path.
struct ConflictSide {
    MountId mount{};
    std::optional<AssetId> asset;  // the one open() would give; nothing: a tombstone, which hides the name
    friend bool operator==(const ConflictSide&, const ConflictSide&) = default;
};

struct PathConflict {
    std::string path;                  // "/maps/dm01.bsp", spelled as in the first mount that has this spelling
    ConflictSide winner;               // the one that find() follows
    std::vector<ConflictSide> hidden;  // in order of precedence; not empty
    // Whether all sides have the same asset, so that it does not matter which wins.
    bool harmless() const noexcept;
};

// ---- Needs that nothing provides ------------------------------------------------------------------------------------

// A name that a mounted bundle consumes and no mount publishes.
struct UnresolvedName {
    MountId mount{};       // the consumer
    std::string name;      // from the root of the published tree; or a glob
    bool pattern = false;  // `name` is a glob that no published name matches
    bool optional = false;
    friend bool operator==(const UnresolvedName&, const UnresolvedName&) = default;
};

// A bundle that a mounted bundle depends on and that is not mounted.
struct UnresolvedBundle {
    MountId mount{};  // the dependant
    BundleId bundle;
    std::string name;  // the dependant's name for it; not proved
    std::string version;
    bool is_static = false;
    friend bool operator==(const UnresolvedBundle&, const UnresolvedBundle&) = default;
};

// In order of precedence of the mounts; of one mount by name, or as declared.
struct UnresolvedNeeds {
    std::vector<UnresolvedName> names;
    std::vector<UnresolvedBundle> bundles;
    // Requirements that no mounted bundle meets; not those of mounts that say what theirs mean
    // (MountOptions::resolved).
    std::vector<MissingDependency> requirements;
    // Whether nothing is unresolved that is required: a name that is not optional, a static dependency, a requirement.
    bool complete() const noexcept;
};

}  // namespace fardel
