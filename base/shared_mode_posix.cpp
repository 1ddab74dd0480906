#include <fardel/base/shared_mode.h>

#include "system_call.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::uint32_t kGroupWrites = 0020;
constexpr std::uint32_t kSticky = 01000;  // as /tmp: what one user adds there is no other's
// Never the right to write for everybody: what others may replace in such a folder, they need not change in place.
constexpr std::uint32_t kFolderBits = 02775;
constexpr std::uint32_t kFileBits = 0664;
constexpr std::uint32_t kGroupFolder = 02070;
constexpr std::uint32_t kOwnerWrites = 0200;

// The permissions of the folder that has `path`, if it is one that a group shares.
std::optional<std::uint32_t> find_shared_mode(const FilePath& path) {
    if (path.root_size() == 0)
        return std::nullopt;
    const FilePath folder = path.folder();
    const auto status = file_status(folder, folder);
    const bool is_shared = status && (status->permissions & kGroupWrites) != 0 && (status->permissions & kSticky) == 0;
    return is_shared ? std::optional(status->permissions) : std::nullopt;
}

void add_permissions(const Descriptor& opened, std::uint32_t mode, const FilePath& path) {
    const auto status = file_status(opened, path);
    if (status && (status->permissions | mode) != status->permissions)
        static_cast<void>(set_permissions(opened, status->permissions | mode, path));
}

// As the setgid bit of a folder does for what is added later.
void give_to_group(const Descriptor& opened, unsigned group) {
    static_cast<void>(::fchown(opened.number(), static_cast<uid_t>(-1), group) == 0);
}

// A file that its owner does not write to, such as a pack, is only read by others, too.
std::uint32_t group_mode_of(const FileStatus& status) { return (status.permissions & kOwnerWrites) != 0 ? 0060 : 0040; }

}  // namespace

void share_new_file(const Descriptor& file, const FilePath& path) {
    if (const auto mode = find_shared_mode(path))
        add_permissions(file, *mode & kFileBits, path);
}

void share_new_folder(const FilePath& path) {
    const auto mode = find_shared_mode(path);
    if (!mode)
        return;
    // By a descriptor: others may have put a link in its place.
    if (const auto opened = open_folder(path, path, {.links = Links::refused}))
        add_permissions(*opened, *mode & kFolderBits, path);
}

Status share_with_group(const std::string& path) {
    FARDEL_TRY(create_folders(path, Lasting::yes));
    FARDEL_TRY_ASSIGN(const Descriptor root, open_folder(path, path));
    FARDEL_TRY_ASSIGN(const FileStatus own, file_status(root, path));
    if ((own.permissions | kGroupFolder) != own.permissions)
        FARDEL_TRY(set_permissions(root, own.permissions | kGroupFolder, path));
    struct stat status {};
    if (::fstat(root.number(), &status) != 0)
        return system_error(errno, path);
    const unsigned group = status.st_gid;
    FARDEL_TRY_ASSIGN(std::string real, real_path(path, path));
    std::vector<FilePath> folders{FilePath::of_root(std::move(real))};
    while (!folders.empty()) {
        const FilePath folder = std::move(folders.back());
        folders.pop_back();
        FARDEL_TRY_ASSIGN(const auto names, list_names_at(folder));
        for (const std::string& name : names) {
            const FilePath found = folder / name;
            if (const auto below = open_folder(found, found, {.links = Links::refused})) {
                give_to_group(*below, group);
                add_permissions(*below, kGroupFolder, found);
                folders.push_back(found);
            } else if (const auto file = open_regular_file(found, found, {.links = Links::refused})) {
                give_to_group(file->descriptor, group);
                add_permissions(file->descriptor, group_mode_of(file->status), found);
            }
        }
    }
    return ok();
}

}  // namespace fardel
