// FolderWalk: the entries of one folder of the tree, or of one bundle, merged over the mounts, in order.
//
// Hidden names, and folders without anything visible, are left out. Needs memory for one cursor per mount, and in
// "/assets" for a second one per bundle.
#pragma once

#include "id_walk.h"
#include "lookup/resolve.h"
#include "mounts/mount_set.h"
#include "name_walk.h"

#include <fardel/base/result.h>
#include <fardel/vfs/listing.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

class FolderWalk {
public:
    // `folder`: empty for the root. Nothing if there is no such folder.
    static Result<std::optional<FolderWalk>> open_tree(std::shared_ptr<const MountSet> set, std::string_view folder,
                                                       TreeView view);
    // `folder`: empty for the bundle itself. `mount` is one of the set's.
    static Result<std::optional<FolderWalk>> open_bundle(std::shared_ptr<const MountSet> set, const Mount& mount,
                                                         std::string_view folder);

    Result<std::optional<ListingEntry>> next();

private:
    // The names of one mount, the ids of "/assets" or "/bundles", or one folder that exists without names ("assets", a
    // mount point).
    struct Source {
        const Mount* mount = nullptr;  // of `walk`
        std::optional<NameWalk> walk;
        std::optional<IdWalk> ids;
        std::string own_key;  // of what no name gives

        std::string_view key() const noexcept { return walk ? walk->key() : std::string_view(own_key); }
    };

    FolderWalk(std::shared_ptr<const MountSet> set, std::string_view folder, bool published);
    Status add_names(const Mount& mount, std::string prefix);
    Status add_names_folded(const Mount& mount, std::string_view folder);
    void add_fixed(std::string key);
    Status add_ids(IdWalk ids);
    // Adds the source's next entry to the heap, if it has one.
    Status step(std::size_t source);
    Result<std::optional<FolderWalk>> finish(bool exists) &&;
    Result<std::optional<ListingEntry>> advance();

    void push(std::size_t source);
    std::size_t pop();

    // For the sources in group_, whose next entry is `path`.
    Result<bool> file_is_visible(std::string_view path) const;
    Result<bool> folder_is_visible(std::string_view path) const;
    Result<bool> name_is_visible(const Mount& mount, NameIndex index, std::string_view path) const;

    std::shared_ptr<const MountSet> set_;
    std::string base_;  // the folder with '/' at its end, or empty
    bool published_;
    std::vector<Source> sources_;        // highest precedence first
    std::vector<std::size_t> heap_;      // indexes of sources_; the least key on top
    std::vector<std::size_t> group_;     // the sources with the current key
    std::optional<ListingEntry> first_;  // read ahead by open
};

}  // namespace fardel
