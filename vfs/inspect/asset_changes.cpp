#include "inspection.h"

#include "lookup/asset_choice.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/vfs/vfs_path.h>

#include <optional>
#include <string>
#include <utility>

namespace fardel {
namespace {

// One bundle's names in order, published or not.
class NameCursor {
public:
    explicit NameCursor(const Bundle& bundle) : bundle_(bundle) {}

    Status load() {
        name_.reset();
        if (index_ >= bundle_.name_count())
            return ok();
        FARDEL_TRY_ASSIGN(record_, bundle_.name(NameIndex{index_}));
        FARDEL_TRY_ASSIGN(name_, bundle_.name_text(NameIndex{index_}));
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
        FARDEL_TRY_ASSIGN(const AssetIndex index, bundle_.default_asset(record_));
        FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle_.asset(index));
        return std::optional(asset.id);
    }

private:
    const Bundle& bundle_;
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
    ChangeFinder(const MountSet& before, const MountSet& after, MountId mount)
        : before_(before),
          after_(after),
          old_(*before.find(mount)->bundle),
          new_(*after.find(mount)->bundle),
          mount_point_(before.find(mount)->mount_point) {}

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
            if (was && was == is)
                return ok();
        }
        FARDEL_TRY(verify_name(inside));
        const std::string name = mount_point_.empty() ? std::string(inside) : mount_point_ + "/" + std::string(inside);
        if (!is_reserved_root_part(std::string_view(name).substr(0, name.find('/'))))
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

}  // namespace

std::vector<AssetChange> find_asset_changes(const MountSet& before, const MountSet& after, MountId mount) {
    if (before.find(mount) == nullptr || after.find(mount) == nullptr)
        return std::vector<AssetChange>();
    return ChangeFinder(before, after, mount).find();
}

}  // namespace fardel
