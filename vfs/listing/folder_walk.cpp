#include "folder_walk.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/vfs/vfs_path.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace fardel {
namespace {

std::string as_prefix(std::string_view folder) { return folder.empty() ? std::string() : std::string(folder) + '/'; }

std::string_view without_slash(std::string_view key) {
    return key.substr(0, key.size() - (key.ends_with('/') ? 1 : 0));
}

}  // namespace

FolderWalk::FolderWalk(std::shared_ptr<const MountSet> set, std::string_view folder, bool published)
    : set_(std::move(set)), base_(as_prefix(folder)), published_(published) {}

Result<std::optional<FolderWalk>> FolderWalk::open_published(std::shared_ptr<const MountSet> set,
                                                             std::string_view folder) {
    FolderWalk walk(std::move(set), folder, true);
    bool is_mount_point = folder.empty();
    for (const Mount& mount : walk.set_->mounts()) {
        const FolderRelation relation = mount.relate(folder);
        if (relation.kind == FolderRelation::above) {
            walk.add_fixed(std::string(relation.rest) + '/');
        } else if (relation.kind == FolderRelation::inside) {
            is_mount_point |= relation.rest.empty();
            FARDEL_TRY(mount.case_rule == CaseRule::fold ? walk.add_names_folded(mount, relation.rest)
                                                         : walk.add_names(mount, as_prefix(relation.rest)));
        }
    }
    if (folder.empty()) {
        walk.add_fixed("assets/");
        walk.add_fixed("bundles/");
    }
    return std::move(walk).finish(is_mount_point);
}

Result<std::optional<FolderWalk>> FolderWalk::open_bundle(std::shared_ptr<const MountSet> set, const Mount& mount,
                                                          std::string_view folder) {
    FolderWalk walk(std::move(set), folder, false);
    FARDEL_TRY(walk.add_names(mount, walk.base_));
    return std::move(walk).finish(folder.empty());
}

Status FolderWalk::add_names(const Mount& mount, std::string prefix) {
    FARDEL_TRY_ASSIGN(NameWalk names, NameWalk::open(mount.bundle(), std::move(prefix)));
    if (names.at_end())
        return ok();
    sources_.push_back({.mount = &mount, .walk = std::move(names)});
    push(sources_.size() - 1);
    return ok();
}

// Adds the names of every spelling of the folder in the bundle. Linear in the number of children of the folders above.
Status FolderWalk::add_names_folded(const Mount& mount, std::string_view folder) {
    std::vector<std::string> prefixes{std::string()};
    while (!folder.empty()) {
        const std::string_view part = folder.substr(0, folder.find('/'));
        folder.remove_prefix(std::min(folder.size(), part.size() + 1));
        std::vector<std::string> longer;
        for (const std::string& prefix : prefixes) {
            FARDEL_TRY_ASSIGN(NameWalk names, NameWalk::open(mount.bundle(), prefix));
            while (!names.at_end()) {
                if (names.at_folder() && names_fold_equal(without_slash(names.key()), part))
                    longer.push_back(prefix + std::string(names.key()));
                FARDEL_TRY(names.step());
            }
        }
        prefixes = std::move(longer);
    }
    for (std::string& prefix : prefixes)
        FARDEL_TRY(add_names(mount, std::move(prefix)));
    return ok();
}

void FolderWalk::add_fixed(std::string key) {
    sources_.push_back({.fixed_key = std::move(key)});
    push(sources_.size() - 1);
}

// A folder exists if something visible is in it or it is a mount point.
Result<std::optional<FolderWalk>> FolderWalk::finish(bool exists) && {
    // A folder in which everything is hidden does not exist, so opening it looks for a first visible entry.
    FARDEL_TRY_ASSIGN(first_, advance());
    if (!first_ && !exists)
        return std::optional<FolderWalk>();
    return std::optional<FolderWalk>(std::move(*this));
}

Result<std::optional<ListingEntry>> FolderWalk::next() {
    if (first_)
        return std::exchange(first_, std::nullopt);
    return advance();
}

Result<std::optional<ListingEntry>> FolderWalk::advance() {
    while (!heap_.empty()) {
        const std::string key(sources_[heap_.front()].key());
        group_.clear();
        // All mounts that have this entry, before it is decided who is visible: each entry is listed once.
        while (!heap_.empty() && sources_[heap_.front()].key() == key)
            group_.push_back(pop());

        const bool is_folder = key.ends_with('/');
        const std::string path = base_ + std::string(without_slash(key));
        bool visible = false;
        if (published_ && base_.empty() && is_reserved_root_part(path)) {  // tests/ATTACKS.md, A15
            visible = key == "assets/" || key == "bundles/";
        } else {
            FARDEL_TRY_ASSIGN(visible, is_folder ? folder_is_visible(path) : file_is_visible(path));
        }

        for (const std::size_t index : group_) {
            auto& names = sources_[index].walk;
            if (!names)
                continue;
            FARDEL_TRY(names->step());
            if (!names->at_end())
                push(index);
        }
        if (visible) {
            const NodeKind kind = is_folder ? NodeKind::folder : published_ ? NodeKind::link : NodeKind::file;
            return std::optional(ListingEntry{.name = std::string(without_slash(key)), .kind = kind});
        }
    }
    return std::optional<ListingEntry>();
}

void FolderWalk::push(std::size_t source) {
    heap_.push_back(source);
    std::ranges::push_heap(heap_, std::greater(), [&](std::size_t i) { return sources_[i].key(); });
}

std::size_t FolderWalk::pop() {
    std::ranges::pop_heap(heap_, std::greater(), [&](std::size_t i) { return sources_[i].key(); });
    const std::size_t source = heap_.back();
    heap_.pop_back();
    return source;
}

Result<bool> FolderWalk::file_is_visible(std::string_view path) const {
    for (const std::size_t index : group_) {
        const Source& source = sources_[index];
        FARDEL_TRY_ASSIGN(const bool visible, name_is_visible(*source.mount, source.walk->index(), path));
        if (visible)
            return true;
    }
    return false;
}

// A link hides a folder of the same path.
Result<bool> FolderWalk::folder_is_visible(std::string_view path) const {
    if (published_) {
        FARDEL_TRY_ASSIGN(const auto link, find_published(*set_, path, name_hash(path)));
        if (link)
            return false;
    }
    for (const std::size_t index : group_) {
        const Source& source = sources_[index];
        if (!source.walk)
            return true;
        const auto visit = [&](NameIndex name, std::string_view text) {
            return name_is_visible(*source.mount, name, base_ + std::string(text.substr(source.walk->prefix().size())));
        };
        FARDEL_TRY_ASSIGN(const bool visible, source.walk->any_below(visit));
        if (visible)
            return true;
    }
    return false;
}

// In the published tree a name is visible if a look-up of its path finds it.
Result<bool> FolderWalk::name_is_visible(const Mount& mount, NameIndex index, std::string_view path) const {
    FARDEL_TRY_ASSIGN(const NameRecord record, mount.bundle().name(index));
    const NameMatch match{.mount = &mount, .index = index, .record = record};
    if (record.is(NameRecord::tombstone))
        return false;
    if (!published_)
        return true;
    if (!match.decides())
        return false;
    FARDEL_TRY_ASSIGN(const auto winner, find_published(*set_, path, name_hash(path)));
    // Listings ask the look-up itself, so that both can never disagree.
    return winner && winner->same_record(match);
}

}  // namespace fardel
