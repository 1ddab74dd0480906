#include "folder_walk.h"

#include <fardel/format/id_path.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

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

Result<std::optional<FolderWalk>> FolderWalk::open_tree(std::shared_ptr<const MountSet> set, std::string_view folder,
                                                        TreeView view) {
    FolderWalk walk(std::move(set), folder, true);
    bool exists = folder.empty();
    for (const Mount& mount : walk.set_->mounts()) {
        const FolderRelation relation = mount.relate(folder);
        if (relation.kind == FolderRelation::above) {
            walk.add_fixed(std::string(relation.rest) + '/');
        } else if (relation.kind == FolderRelation::inside) {
            exists |= relation.rest.empty();
            FARDEL_TRY(mount.case_rule == CaseRule::fold ? walk.add_names_folded(mount, relation.rest)
                                                         : walk.add_names(mount, as_prefix(relation.rest)));
        }
    }
    const auto own = view == TreeView::everything ? find_id_path(folder) : std::nullopt;
    if (own) {
        exists = true;
        if (own->folder == IdPath::Folder::bundles) {
            FARDEL_TRY(walk.add_ids(BundleIdWalk(walk.set_)));
        } else {
            FARDEL_TRY_ASSIGN(auto assets, AssetIdWalk::open(walk.set_));
            FARDEL_TRY(walk.add_ids(std::move(assets)));
        }
    } else if (folder.empty() && view == TreeView::everything) {
        walk.add_fixed("assets/");
        walk.add_fixed("bundles/");
    }
    return std::move(walk).finish(exists);
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
    sources_.push_back({.own_key = std::move(key)});
    push(sources_.size() - 1);
}

Status FolderWalk::add_ids(IdWalk ids) {
    sources_.push_back({.ids = std::move(ids)});
    return step(sources_.size() - 1);
}

Status FolderWalk::step(std::size_t source) {
    Source& from = sources_[source];
    if (from.walk) {
        FARDEL_TRY(from.walk->step());
        if (!from.walk->at_end())
            push(source);
    } else if (from.ids) {
        FARDEL_TRY_ASSIGN(const auto id, std::visit([](auto& walk) { return walk.next(); }, *from.ids));
        if (id) {
            from.own_key = id->kind == NodeKind::folder ? id->name + '/' : id->name;
            push(source);
        }
    }
    return ok();
}

// A folder exists if something visible is in it, or if it is there without any name.
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
        // No name is visible at the path of an id, so such an entry is one of `ids`.
        const bool is_link = published_ && !find_id_path(path);
        FARDEL_TRY_ASSIGN(const bool visible, is_folder ? folder_is_visible(path) : file_is_visible(path));

        for (const std::size_t index : group_)
            FARDEL_TRY(step(index));
        if (visible) {
            const NodeKind kind = is_folder ? NodeKind::folder : is_link ? NodeKind::link : NodeKind::file;
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
        if (!source.walk)
            return true;
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
