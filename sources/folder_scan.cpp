#include "source_listing.h"

#include "folder_blob.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>

#include <cerrno>
#include <memory>
#include <utility>

namespace fardel {
namespace {

Error not_a_file(FileKind kind) {
    if (kind == FileKind::link)
        return Error(ErrorCode::denied, "symbolic links are not followed");
    return Error(ErrorCode::malformed, std::string(file_kind_text(kind)) + ", not a file");
}

class FolderScan {
public:
    FolderScan(std::shared_ptr<const FolderRoot> root, SourceListing& listing)
        : root_(std::move(root)), listing_(listing) {}

    // `name` is that of the folder below the root, empty for the root itself. The depth of the recursion is bounded by
    // that of names.
    Status list(const Descriptor& folder, const std::string& name) {
        const std::string origin = origin_of(name);
        const std::size_t seen = listing_.seen.size();
        FARDEL_TRY_ASSIGN(const FileStatus status, file_status(folder, origin));
        listing_.seen.push_back({.path = path_of(name), .stamp = stamp_of(status, now_ns_), .files = {}});
        FARDEL_TRY_ASSIGN(const std::vector<std::string> items, list_names(folder, origin));
        for (const std::string& item : items)
            FARDEL_TRY(list_item(folder, seen, item, name.empty() ? item : name + '/' + item));
        return ok();
    }

private:
    // `seen` is the index of the folder in the listing's seen paths.
    Status list_item(const Descriptor& folder, std::size_t seen, const std::string& item, const std::string& name) {
        const std::string origin = origin_of(name);
        auto found = file_status({folder, item}, origin, Links::refused);
        if (!found)
            return vanished(std::move(found).error(), origin);
        const FileStatus& status = *found;
        if (status.is_folder())
            return list_subfolder(folder, item, name, origin);
        std::optional<AssetName> accepted = listing_.accept(name, origin);
        if (!accepted)
            return ok();
        if (!status.is_file()) {
            listing_.refuse(name, origin, not_a_file(status.kind));
            return ok();
        }
        const PathStamp stamp = stamp_of(status, now_ns_);
        listing_.seen[seen].files.push_back({.name = item, .stamp = stamp});
        auto blob = make_folder_blob(root_, name, FileStamp(status), stamp.young);
        std::optional<Hash> version = blob->find_version();
        listing_.entries.push_back({.name = std::move(*accepted),
                                    .origin = origin,
                                    .size_bytes = status.size_bytes,
                                    .blob = std::move(blob),
                                    .version = version});
        return ok();
    }

    Status list_subfolder(const Descriptor& folder, const std::string& item, const std::string& name,
                          const std::string& origin) {
        if (!listing_.accept_folder(name, origin))
            return ok();
        auto subfolder = open_folder({folder, item}, origin, {.links = Links::refused});
        if (!subfolder)
            return vanished(std::move(subfolder).error(), origin);
        return list(*subfolder, name);
    }

    // An item that was listed and is missing, or is now a link, is a change.
    static Error vanished(Error error, const std::string& origin) {
        if (error.code() == ErrorCode::missing || error.system_number() == ELOOP)
            return Error(ErrorCode::conflict,
                         origin + ": changes while the folder is scanned; wait until no program writes to it");
        return error;
    }

    std::string origin_of(const std::string& name) const {
        return name.empty() ? root_->path : root_->path + '/' + printable(name, SIZE_MAX);
    }

    std::string path_of(const std::string& name) const { return name.empty() ? root_->path : root_->path + '/' + name; }

    std::shared_ptr<const FolderRoot> root_;
    SourceListing& listing_;
    const std::int64_t now_ns_ = wall_clock_ns();
};

}  // namespace

Status list_folder(const std::string& path, SourceListing& listing) {
    FARDEL_TRY_ASSIGN(Descriptor descriptor, open_folder(path, path));
    std::string shown = printable(path, SIZE_MAX);
    while (shown.size() > 1 && shown.back() == '/')
        shown.pop_back();
    const auto root = std::make_shared<const FolderRoot>(FolderRoot{std::move(descriptor), std::move(shown)});
    listing.conflicts_refused = true;
    return FolderScan(root, listing).list(root->descriptor, "");
}

}  // namespace fardel
