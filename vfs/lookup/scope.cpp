#include "scope.h"

#include "asset_choice.h"
#include "resolve.h"

#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

Error unresolved(const Bundle& bundle, std::string_view spelling, const std::string& reason) {
    return Error(ErrorCode::unresolved, bundle.label() + ": reference \"" + printable(spelling) + "\" " + reason);
}

// The asset of any name of one bundle, published or not; nothing for a tombstone.
Result<std::optional<File>> find_own(const MountSet& set, const Mount& mount, std::string_view name) {
    FARDEL_TRY_ASSIGN(const auto match, find_in_bundle(mount, name, name_hash(name)));
    if (!match)
        return std::optional<File>();
    FARDEL_TRY_ASSIGN(const AssetChoice choice, choose_scoped(set, *match, name));
    return find_chosen_file(choice);
}

// A mount for an open file whose bundle has been unmounted: the names beside the file stay visible to it.
Mount unmounted(const std::shared_ptr<const Bundle>& bundle) { return {.content = MountContent::of(bundle)}; }

// The same for the bundle of an open file, mounted or not.
Result<std::optional<File>> find_beside(const MountSet& set, const File& from, std::string_view name) {
    const Mount* const mount = set.find_bundle(from.bundle_id());
    // The mount itself, and no copy: whether it wins, and so gets variants of others, is known by its address.
    if (mount != nullptr)
        return find_own(set, *mount, name);
    return find_own(set, unmounted(from.bundle()), name);
}

// Whether a name can give another asset than its default.
bool has_choice(const MountSet& set) {
    return !set.extenders().empty() || set.prefers() || set.pure_policy() != nullptr;
}

// The target in the link table: the asset of the dependency that the record names, or if it has a name there, one of
// that name's variants.
Result<File> open_foreign(const MountSet& set, const Bundle& bundle, std::string_view spelling,
                          const ReferenceRecord& link) {
    FARDEL_TRY_ASSIGN(const ForeignAssetRecord record, bundle.foreign_asset(link.target));
    FARDEL_TRY_ASSIGN(const DependencyRecord dependency, bundle.dependency(record.dependency));
    const Mount* mount = set.find_bundle(dependency.bundle);
    if (mount == nullptr)
        return unresolved(bundle, spelling, "leads into bundle " + dependency.bundle.hex() + ", which is not mounted");
    // The name matters only if it can give another asset than its default, which the record has as well: otherwise the
    // look-up is saved (docs/decisions/0028-references-to-names.md).
    if ((link.flags & ReferenceRecord::named) != 0 && has_choice(set)) {
        FARDEL_TRY_ASSIGN(const std::string_view name, bundle.string(link.name));
        FARDEL_TRY(verify_name(name));
        FARDEL_TRY_ASSIGN(auto file, find_own(set, *mount, name));
        if (file)
            return *std::move(file);
    }
    FARDEL_TRY_ASSIGN(const auto index, mount->bundle().find_asset(record.id));
    if (!index)
        return unresolved(
            bundle, spelling,
            "leads to asset " + record.id.hex() + ", which bundle " + dependency.bundle.hex() + " does not have");
    FARDEL_TRY(mount->verify_not_recalled());
    return File::of(mount->content.leases->of_this_thread(), *index);
}

Result<std::optional<File>> find_in_dependencies(const MountSet& set, const Bundle& bundle, std::string_view name) {
    const std::uint64_t count =
        std::min<std::uint64_t>(bundle.table_count(TableKind::dependencies), limits::kDependenciesMax);
    for (std::uint32_t i = 0; i < count; ++i) {
        FARDEL_TRY_ASSIGN(const DependencyRecord dependency, bundle.dependency(i));
        if ((dependency.flags & DependencyRecord::is_static) == 0)
            continue;
        if (const Mount* mount = set.find_bundle(dependency.bundle)) {
            FARDEL_TRY_ASSIGN(auto file, find_own(set, *mount, name));
            if (file)
                return file;
        }
    }
    return std::optional<File>();
}

// What the requirements of the bundle mean, if it is mounted.
Result<std::optional<File>> find_in_resolved(const MountSet& set, const Bundle& bundle, std::string_view name) {
    const Mount* const mount = set.find_bundle(bundle.id());
    if (mount == nullptr || !mount->content.resolved)
        return std::optional<File>();
    // A name of the bundle itself that its author made dynamic: the tree decides between it and what is above it, and
    // what the bundle requires is below.
    FARDEL_TRY_ASSIGN(const auto own, bundle.find_name(name));
    if (own)
        return std::optional<File>();
    for (const BundleId& id : *mount->content.resolved)
        if (const Mount* const needed = set.find_bundle(id)) {
            FARDEL_TRY_ASSIGN(auto file, find_own(set, *needed, name));
            if (file)
                return file;
        }
    return std::optional<File>();
}

// The mount of a bundle that a pure policy shows in part; nullptr: all or nothing of it is shown.
const Mount* find_partial(const MountSet& set, const Bundle& bundle) {
    if (set.pure_policy() == nullptr || set.find_bundle(bundle.id()) != nullptr)
        return nullptr;
    const auto at =
        std::ranges::find_if(set.mounts(), [&](const Mount& mount) { return mount.bundle().id() == bundle.id(); });
    return at == set.mounts().end() ? nullptr : &*at;
}

// Whether the name's path is visible, and what it gives is this mount's.
Result<std::optional<NameMatch>> find_shown(const Mount& mount, std::string_view name) {
    const std::string path = mount.path_of(name);
    FARDEL_TRY_ASSIGN(const auto match, find_in_mount(mount, path, name_hash(path)));
    return match && match->decides() && !match->record.is(NameRecord::tombstone) ? match : std::optional<NameMatch>();
}

// The assets that have a visible path and are not one of several variants. A bundle with very many names shows none.
Result<std::vector<bool>> list_shown(const Mount& mount) {
    constexpr std::uint64_t kNamesMax = 1u << 16;
    const Bundle& bundle = mount.bundle();
    std::vector<bool> shown(bundle.asset_count());
    const std::uint64_t names = bundle.table_count(TableKind::names);
    for (std::uint32_t i = 0; i < names && names <= kNamesMax; ++i) {
        FARDEL_TRY_ASSIGN(const NameRecord record, bundle.name(NameIndex{i}));
        FARDEL_TRY_ASSIGN(const std::string_view text, bundle.string(record.text));
        if (!mount.shows(mount.path_of(text)) || record.is(NameRecord::has_variants))
            continue;
        FARDEL_TRY_ASSIGN(const auto match, find_shown(mount, text));
        if (match && match->record.target < shown.size())
            shown[match->record.target] = true;
    }
    return shown;
}

// Inside a bundle that is visible in part, a reference leads to what is at a visible path of it and nowhere else.
Result<std::optional<File>> follow_shown(const MountSet& set, const Mount& mount, const File& from,
                                         const ReferenceRecord& link) {
    const Bundle& bundle = *from.bundle();
    if ((link.flags & ReferenceRecord::named) != 0) {
        FARDEL_TRY_ASSIGN(const std::string_view name, bundle.string(link.name));
        FARDEL_TRY(verify_name(name));
        FARDEL_TRY_ASSIGN(const auto match, find_shown(mount, name));
        return match ? find_own(set, mount, name) : std::optional<File>();
    }
    {
        // Only the first reference into such a bundle reads its names; the lock is the mount's, not the Vfs's.
        const std::lock_guard lock(mount.shown_assets->lock);
        auto& shown = mount.shown_assets->shown;
        if (!shown) {
            FARDEL_TRY_ASSIGN(shown, list_shown(mount));
        }
        if (link.target >= shown->size() || !(*shown)[link.target])
            return std::optional<File>();
    }
    FARDEL_TRY_ASSIGN(File file, File::of(from.bundle(), AssetIndex{link.target}));
    return std::optional(std::move(file));
}

Result<std::optional<File>> follow(const MountSet& set, const Bundle& bundle, const File& from,
                                   const ReferenceRecord& link, std::string_view spelling) {
    switch (link.kind) {
        case ReferenceKind::internal: {
            if (link.target >= bundle.asset_count())
                return Error(ErrorCode::malformed, bundle.label() + ": a reference leads to no asset");
            if (const Mount* const partial = find_partial(set, bundle))
                return follow_shown(set, *partial, from, link);
            if ((link.flags & ReferenceRecord::named) != 0 && has_choice(set)) {
                FARDEL_TRY_ASSIGN(const std::string_view name, bundle.string(link.name));
                FARDEL_TRY(verify_name(name));
                FARDEL_TRY_ASSIGN(auto file, find_beside(set, from, name));
                if (file)
                    return file;
            }
            FARDEL_TRY_ASSIGN(File file, File::of(from.bundle(), AssetIndex{link.target}));
            return std::optional(std::move(file));
        }
        case ReferenceKind::foreign: {
            FARDEL_TRY_ASSIGN(File file, open_foreign(set, bundle, spelling, link));
            return std::optional(std::move(file));
        }
        case ReferenceKind::dynamic: break;
    }
    FARDEL_TRY_ASSIGN(const std::string_view name, bundle.string(link.target));
    FARDEL_TRY(verify_name(name));
    FARDEL_TRY_ASSIGN(auto in_resolved, find_in_resolved(set, bundle, name));
    if (in_resolved)
        return in_resolved;
    return find_published_file(set, name, name_hash(name));
}

// Whether a pure policy shows nothing of the bundle. A file of it that was opened before keeps its bytes, and its
// references lead nowhere.
bool is_hidden(const MountSet& set, const Bundle& bundle) {
    return set.pure_policy() != nullptr && set.find_bundle(bundle.id()) == nullptr &&
           std::ranges::none_of(set.mounts(), [&](const Mount& mount) { return mount.bundle().id() == bundle.id(); });
}

}  // namespace

// References are sorted by spelling; the search ends even if they are not.
Result<std::optional<ReferenceRecord>> find_link(const File& from, std::string_view spelling) {
    const Bundle& bundle = *from.bundle();
    FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(from.index()));
    std::uint32_t low = 0;
    std::uint32_t high = asset.reference_count;
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        FARDEL_TRY_ASSIGN(const ReferenceRecord record, bundle.reference(asset.reference_first + middle));
        FARDEL_TRY_ASSIGN(const std::string_view text, bundle.string(record.spelling));
        if (text == spelling)
            return std::optional(record);
        if (text < spelling)
            low = middle + 1;
        else
            high = middle;
    }
    return std::optional<ReferenceRecord>();
}

Result<std::optional<File>> find_in_scope(const MountSet& set, const File& from, std::string_view spelling) {
    const Bundle& bundle = *from.bundle();
    if (is_hidden(set, bundle))
        return std::optional<File>();
    FARDEL_TRY_ASSIGN(const auto link, find_link(from, spelling));
    // The link table decides alone: what the packer resolved must not depend on what is mounted above.
    if (link)
        return follow(set, bundle, from, *link, spelling);

    FARDEL_TRY(verify_name(spelling));
    // In pure mode, a bundle that is visible in part has no scope of its own.
    if (set.pure_policy() == nullptr || set.find_bundle(bundle.id()) != nullptr) {
        FARDEL_TRY_ASSIGN(auto in_own, find_beside(set, from, spelling));
        if (in_own)
            return in_own;
    }
    FARDEL_TRY_ASSIGN(auto in_dependency, find_in_dependencies(set, bundle, spelling));
    if (in_dependency)
        return in_dependency;
    FARDEL_TRY_ASSIGN(auto in_resolved, find_in_resolved(set, bundle, spelling));
    if (in_resolved)
        return in_resolved;
    return find_published_file(set, spelling, name_hash(spelling));
}

}  // namespace fardel
