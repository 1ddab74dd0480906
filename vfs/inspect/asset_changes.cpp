#include "inspection.h"

#include "lookup/asset_choice.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace fardel {
namespace {

// One bundle's names in order, published or not. Of nullptr: none.
class NameCursor {
public:
    explicit NameCursor(const Bundle* bundle) : bundle_(bundle) {}

    Status load() {
        name_.reset();
        if (bundle_ == nullptr || index_ >= bundle_->name_count())
            return ok();
        FARDEL_TRY_ASSIGN(record_, bundle_->name(NameIndex{index_}));
        FARDEL_TRY_ASSIGN(name_, bundle_->name_text(NameIndex{index_}));
        return ok();
    }
    Status step() {
        ++index_;
        return load();
    }
    const std::optional<std::string_view>& name() const noexcept { return name_; }

    // Nothing if the record alone does not decide: variants, and names of other bundles that this one extends.
    Result<std::optional<AssetId>> plain_asset() const {
        if (!record_.is(NameRecord::published) || record_.is(NameRecord::tombstone) ||
            record_.is(NameRecord::has_variants))
            return std::optional<AssetId>();
        FARDEL_TRY_ASSIGN(const AssetIndex index, bundle_->default_asset(record_));
        FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle_->asset(index));
        return std::optional(asset.id);
    }

private:
    const Bundle* bundle_;
    std::uint32_t index_ = 0;
    std::optional<std::string_view> name_;
    NameRecord record_;
};

Result<std::optional<AssetId>> asset_at(const MountSet& set, std::string_view name) {
    FARDEL_TRY_ASSIGN(const auto file, find_published_file(set, name, name_hash(name)));
    return file ? std::optional(file->asset_id()) : std::nullopt;
}

class ChangeFinder {
public:
    // A bundle that is nullptr has no names: the mount is new, or it is gone.
    ChangeFinder(const MountSet& before, const MountSet& after, const Bundle* old_bundle, const Bundle* new_bundle,
                 const std::string& mount_point)
        : before_(before), after_(after), old_(old_bundle), new_(new_bundle), mount_point_(mount_point) {}

    std::vector<AssetChange> find() {
        if (Status walked = walk(); !walked)
            add_change(mount_point_).error = std::move(walked).error();
        return std::move(changes_);
    }

private:
    Status walk() {
        FARDEL_TRY(old_.load());
        FARDEL_TRY(new_.load());
        while (old_.name() || new_.name()) {
            const bool in_old = old_.name() && (!new_.name() || *old_.name() <= *new_.name());
            const bool in_new = new_.name() && (!old_.name() || *new_.name() <= *old_.name());
            FARDEL_TRY(compare(*(in_old ? old_ : new_).name(), in_old && in_new));
            if (in_old)
                FARDEL_TRY(old_.step());
            if (in_new)
                FARDEL_TRY(new_.step());
        }
        return ok();
    }

    Status compare(std::string_view inside, bool in_both) {
        if (in_both) {
            FARDEL_TRY_ASSIGN(const auto was, old_.plain_asset());
            FARDEL_TRY_ASSIGN(const auto is, new_.plain_asset());
            // Equal in the bundle is equal in the tree, whatever other mounts have: no look-up is needed.
            if (was && was == is)
                return ok();
        }
        FARDEL_TRY(verify_name(inside));
        const std::string name = mount_point_.empty() ? std::string(inside) : mount_point_ + "/" + std::string(inside);
        compare_paths(name);
        return ok();
    }

    AssetChange& add_change(const std::string& name) { return changes_.emplace_back(AssetChange{.path = "/" + name}); }

    void compare_paths(const std::string& name) {
        auto was = asset_at(before_, name);
        auto is = asset_at(after_, name);
        if (was && is && *was == *is)
            return;
        AssetChange& change = add_change(name);
        if (was)
            change.before = *was;
        else
            change.error = std::move(was).error();
        if (is)
            change.after = *is;
        else
            change.error = std::move(is).error();
    }

    const MountSet& before_;
    const MountSet& after_;
    NameCursor old_;
    NameCursor new_;
    const std::string& mount_point_;
    std::vector<AssetChange> changes_;
};

using GroupMounts = std::vector<const Mount*>;

// Without those that a pure policy hides.
GroupMounts mounts_of(const MountSet& set, std::span<const MountId> group) {
    GroupMounts out;
    for (const MountId id : group)
        if (const Mount* mount = set.find(id))
            out.push_back(mount);
    return out;
}

bool is_same(const Mount* a, const Mount* b) {
    return a->bundle().id() == b->bundle().id() && a->mount_point == b->mount_point && a->case_rule == b->case_rule;
}

bool contains(const GroupMounts& group, const Mount* wanted) {
    return std::ranges::any_of(group, [&](const Mount* mount) { return is_same(mount, wanted); });
}

// Removes the mounts that both have, unless their order differs.
void remove_common(GroupMounts& old_group, GroupMounts& new_group) {
    GroupMounts old_common;
    GroupMounts new_common;
    std::ranges::copy_if(old_group, std::back_inserter(old_common),
                         [&](const Mount* mount) { return contains(new_group, mount); });
    std::ranges::copy_if(new_group, std::back_inserter(new_common),
                         [&](const Mount* mount) { return contains(old_group, mount); });
    // In another order, names may change hands between mounts that both groups have.
    if (!std::ranges::equal(old_common, new_common, is_same))
        return;
    const auto remove = [&](GroupMounts& group) {
        std::erase_if(group, [&](const Mount* mount) { return contains(old_common, mount); });
    };
    remove(old_group);
    remove(new_group);
}

}  // namespace

std::vector<AssetChange> find_asset_changes(const MountSet& before, const MountSet& after, MountId mount) {
    const Mount* const was = before.find(mount);
    const Mount* const is = after.find(mount);
    if (was == nullptr || is == nullptr)
        return std::vector<AssetChange>();
    return ChangeFinder(before, after, &was->bundle(), &is->bundle(), was->mount_point).find();
}

std::vector<AssetChange> find_asset_changes(const MountSet& before, const MountSet& after,
                                            std::span<const MountId> old_group, std::span<const MountId> new_group) {
    GroupMounts gone = mounts_of(before, old_group.first(old_group.size() - 1));
    GroupMounts come = mounts_of(after, new_group.first(new_group.size() - 1));
    remove_common(gone, come);
    std::vector<AssetChange> changes = find_asset_changes(before, after, old_group.back());
    const auto add = [&](const Bundle* old_bundle, const Bundle* new_bundle, const std::string& mount_point) {
        auto more = ChangeFinder(before, after, old_bundle, new_bundle, mount_point).find();
        std::ranges::move(more, std::back_inserter(changes));
    };
    for (const Mount* mount : gone)
        add(&mount->bundle(), nullptr, mount->mount_point);
    for (const Mount* mount : come)
        add(nullptr, &mount->bundle(), mount->mount_point);
    std::ranges::stable_sort(changes, {}, &AssetChange::path);
    const auto same_path = [](const AssetChange& a, const AssetChange& b) { return a.path == b.path; };
    changes.erase(std::unique(changes.begin(), changes.end(), same_path), changes.end());
    return changes;
}

}  // namespace fardel
