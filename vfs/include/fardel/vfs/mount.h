// What is mounted into a Vfs, how, and what a Vfs says about its mounts. Plain values.
//
// Folders, archives and plans are mounted as bundles that are made on the spot (unpacked_bundle.h): the same names, the
// same ids, the same checks; signed by nobody, so they need allow_unsigned.
// Precedence: of two mounts the one with the higher priority wins; of equal ones the one mounted later.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/format/result.h>
#include <fardel/format/trust_policy.h>
#include <fardel/sources/source_scan.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fardel {

// Unique within its Vfs and never used again.
enum class MountId : std::uint32_t {};

enum class MountKind : std::uint8_t {
    bundle,
    folder,
    archive,  // a legacy one: zip, pk3, 7z, …
    plan,     // assets in memory, or wherever their blobs have them
};
std::string_view mount_kind_text(MountKind kind) noexcept;

// A path (of a bundle, a folder or a legacy archive: what is there decides), the bytes of a bundle, or a plan.
using MountSubject = std::variant<std::string, std::shared_ptr<const ByteSource>, std::shared_ptr<const BundlePlan>>;

struct MountOptions {
    std::string place;  // a name: the folder where published names appear; empty: the root
    int priority = 0;
    CaseRule case_rule = CaseRule::exact;  // of this bundle's published names and its place
    const TrustPolicy* policy = nullptr;   // who must have signed; used during mount() only
    std::uint64_t now_s = 0;               // Unix seconds, for dates in signatures; 0: they do not matter
    bool allow_unsigned = false;  // development: what the policy does not trust is mounted all the same, tainted
    bool watch = false;           // a folder: notice what changes in it, for Vfs::poll()
    std::string label;            // names the bundle in messages; empty: the path it was mounted from
};

struct MountRequest {
    MountSubject subject;
    MountOptions options;
};

struct MountPriority {
    MountId mount{};
    int priority = 0;
};

// A change of the mounts that is made whole or not at all.
struct MountChange {
    std::vector<MountId> unmount;
    std::vector<MountRequest> mount;  // in this order; later ones win
    std::vector<MountPriority>
        prioritise;  // of those that stay; each counts as mounted now, in this order, before `mount`
};

struct MountDescription {
    MountId id{};
    MountKind kind = MountKind::bundle;
    std::string label;
    std::string place;
    int priority = 0;
    CaseRule case_rule = CaseRule::exact;
    BundleId bundle;
    LayoutId layout;
    bool tainted = false;
    bool hidden = false;               // by a pure policy
    std::vector<std::string> signers;  // labels of the policy's keys that counted
    // Of a folder or archive: what is in it and not in the tree, and why.
    std::shared_ptr<const ScanReport> left_out;
};

// What a path gave before the content of a mount was replaced, and what it gives now; nothing: no asset.
struct AssetChange {
    std::string path;
    std::optional<AssetId> before;
    std::optional<AssetId> after;
    // Why one of them could not be told: a mount that decides about the path is damaged, or cannot be read. With the
    // mount's own place as the path: so is the mount's list of names, and there may be more changes.
    std::optional<Error> error;
};

}  // namespace fardel
