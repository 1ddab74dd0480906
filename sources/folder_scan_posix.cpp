#include "folder_scan.h"

#include "folder_blob.h"
#include "path_stamp_posix.h"

#include <fardel/format/hash.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace fardel {
namespace {

struct CloseDirectory {
    void operator()(DIR* directory) const noexcept { ::closedir(directory); }
};

// Adds the names in a folder, in byte order, without "." and "..". The result is an errno, 0 for success.
int read_names(const FileDescriptor& folder, std::vector<std::string>& names) {
    FileDescriptor own = open_at(folder.get(), ".", O_DIRECTORY);  // readdir moves the position of its descriptor
    const std::unique_ptr<DIR, CloseDirectory> directory(own ? ::fdopendir(own.get()) : nullptr);
    if (!directory)
        return errno;
    own.release();
    for (;;) {
        errno = 0;
        const dirent* item = ::readdir(directory.get());
        if (item == nullptr && errno != 0)
            return errno;
        if (item == nullptr)
            break;
        const std::string_view name = item->d_name;
        if (name != "." && name != "..")
            names.emplace_back(name);
    }
    std::ranges::sort(names);
    return 0;
}

Error not_a_file(mode_t mode) {
    if (S_ISLNK(mode))
        return Error(ErrorCode::denied, "symbolic links are not followed");
    return Error(ErrorCode::malformed, S_ISFIFO(mode)   ? "a FIFO, not a file"
                                       : S_ISSOCK(mode) ? "a socket, not a file"
                                                        : "a device, not a file");
}

class FolderScan {
public:
    FolderScan(std::shared_ptr<const FolderRoot> root, SourceListing& listing)
        : root_(std::move(root)), listing_(listing) {}

    // `folder`: its name below the root, empty for the root itself. The recursion is as deep as names may be.
    Status list(const FileDescriptor& folder, const std::string& name) {
        const std::size_t place = listing_.seen.size();
        struct stat status {};
        if (::fstat(folder.get(), &status) != 0)
            return error_from_errno(errno, origin_of(name));
        listing_.seen.push_back({.path = path_of(name), .stamp = stamp_of(status, now_ns_), .files = {}});
        std::vector<std::string> items;
        if (const int number = read_names(folder, items); number != 0)
            return error_from_errno(number, origin_of(name));
        for (const std::string& item : items)
            FARDEL_TRY(list_item(folder, place, item, name.empty() ? item : name + '/' + item));
        return ok();
    }

private:
    // `place`: the folder's, among those seen.
    Status list_item(const FileDescriptor& folder, std::size_t place, const std::string& item,
                     const std::string& name) {
        const std::string origin = origin_of(name);
        struct stat status {};
        if (::fstatat(folder.get(), item.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
            return vanished(errno, origin);
        if (S_ISDIR(status.st_mode))
            return list_subfolder(folder, item, name, origin);
        std::optional<AssetName> admitted = listing_.admit(name, origin);
        if (!admitted)
            return ok();
        if (!S_ISREG(status.st_mode)) {
            listing_.refuse(name, origin, not_a_file(status.st_mode));
            return ok();
        }
        const PathStamp stamp = stamp_of(status, now_ns_);
        listing_.seen[place].files.push_back({.name = item, .stamp = stamp});
        auto blob = make_folder_blob(root_, name, FileStamp(status));
        std::optional<Hash> version = stamp.young ? std::nullopt : blob->find_version();
        listing_.entries.push_back({.name = std::move(*admitted),
                                    .origin = origin,
                                    .size_bytes = static_cast<std::uint64_t>(status.st_size),
                                    .blob = std::move(blob),
                                    .version = version});
        return ok();
    }

    Status list_subfolder(const FileDescriptor& folder, const std::string& item, const std::string& name,
                          const std::string& origin) {
        if (!listing_.admit_folder(name, origin))
            return ok();
        const FileDescriptor subfolder = open_at(folder.get(), item.c_str(), O_DIRECTORY | O_NOFOLLOW);
        if (!subfolder)
            return vanished(errno, origin);
        return list(subfolder, name);
    }

    static Error vanished(int number, const std::string& origin) {
        if (number == ENOENT || number == ENOTDIR || number == ELOOP)
            return Error(ErrorCode::conflict,
                         origin + ": changes while the folder is scanned; wait until nobody writes to it");
        return error_from_errno(number, origin);
    }

    std::string origin_of(const std::string& name) const {
        return name.empty() ? root_->path : root_->path + '/' + printable(name, SIZE_MAX);
    }

    std::string path_of(const std::string& name) const { return name.empty() ? root_->path : root_->path + '/' + name; }

    std::shared_ptr<const FolderRoot> root_;
    SourceListing& listing_;
    const std::int64_t now_ns_ = file_clock_ns();
};

}  // namespace

Status list_folder(const std::string& path, SourceListing& listing) {
    FileDescriptor descriptor = open_at(AT_FDCWD, path.c_str(), O_DIRECTORY);
    if (!descriptor)
        return error_from_errno(errno, path);
    std::string shown = printable(path, SIZE_MAX);
    while (shown.size() > 1 && shown.back() == '/')
        shown.pop_back();
    const auto root = std::make_shared<const FolderRoot>(FolderRoot{std::move(descriptor), std::move(shown)});
    listing.conflicts_refused = true;
    return FolderScan(root, listing).list(root->descriptor, "");
}

}  // namespace fardel
