#include <fardel/base/shared_disk.h>

#include "system_call.h"

#include <fardel/base/file.h>
#include <fardel/base/path_text.h>
#include <fardel/base/text_fields.h>

#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kMountsBytesMax = 4u << 20;

// As statfs(2) and linux/magic.h list them.
constexpr std::uint32_t kSharedTypes[] = {
    0xFF534D42,  // CIFS
    0xFE534D42,  // SMB 2
    0x6969,      // NFS
    0x65735546,  // FUSE
    0x01021997,  // 9P
    0x00C36400,  // Ceph
    0x0BD00BD0,  // Lustre
    0x5346414F,  // AFS
    0x6B414653,  // the kernel's AFS
};

// FUSE file systems of other computers whose locks are those of the kernel that mounted them.
constexpr std::string_view kProgramsWithoutLocks[] = {
    "fuse.sshfs",         "fuse.rclone",   "fuse.s3fs",      "fuse.gcsfuse",   "fuse.goofys",
    "fuse.mountpoint-s3", "fuse.blobfuse", "fuse.blobfuse2", "fuse.curlftpfs", "fuse.gvfsd-fuse"};

constexpr std::string_view kSmbTypes[] = {"cifs", "smb3", "fuse.smbnetfs"};

// 0: unknown.
std::uint32_t disk_type(int number) noexcept {
    struct statfs status {};
    return repeat([&] { return ::fstatfs(number, &status); }) == 0 ? static_cast<std::uint32_t>(status.f_type) : 0;
}

bool has_option(std::string_view options, std::string_view wanted) noexcept {
    while (!options.empty())
        if (read_until(options, ',') == wanted)
            return true;
    return false;
}

struct MountedDisk {
    std::string type;
    std::string options;
};

// A line: number, parent, major:minor, root, mount point, options, tags, "-", type, source, options of the file system.
std::optional<MountedDisk> find_mount(std::string_view mounts, const std::string& device) {
    while (!mounts.empty()) {
        std::string_view line = read_until(mounts, '\n');
        read_until(line, ' ');
        read_until(line, ' ');
        if (read_until(line, ' ') != device)
            continue;
        const std::size_t dash = line.find(" - ");
        if (dash == std::string_view::npos)
            return std::nullopt;
        line.remove_prefix(dash + 3);
        const std::string_view type = read_until(line, ' ');
        read_until(line, ' ');
        return MountedDisk{.type = std::string(type), .options = std::string(line)};
    }
    return std::nullopt;
}

// Returns what the file is on if other computers may change it.
std::optional<MountedDisk> find_shared_mount(const Descriptor& file) {
    struct stat status {};
    if (!may_be_shared(file) || ::fstat(file.number(), &status) != 0)
        return std::nullopt;
    // /proc/self/mountinfo has the options that decide, such as `nolock`; statfs does not.
    constexpr std::string_view kMounts = "/proc/self/mountinfo";
    const auto listed = open_file(std::string(kMounts), kMounts);
    const auto mounts = listed ? read_text(*listed, kMountsBytesMax, kMounts) : Result<std::string>(listed.error());
    if (!mounts)
        return std::nullopt;
    return find_mount(*mounts, std::to_string(major(status.st_dev)) + ":" + std::to_string(minor(status.st_dev)));
}

}  // namespace

bool may_be_shared(const Descriptor& file) noexcept {
    return std::ranges::find(kSharedTypes, disk_type(file.number())) != std::end(kSharedTypes);
}

// A client of NFS opens a file by the handle that it remembers for the name. With a lock in hand, a program read lists
// that another computer had replaced before; so the folder is asked again before each name is used, whatever the
// file system: asking for its type would cost a network file system more than this question. Readers without locks need
// it, too.
void refresh_names(const FileLocation& location) noexcept {
    // If the folder itself is believed to be missing, the one above it is asked.
    // A held root is asked itself.
    std::size_t from = location.folder() == nullptr ? 0 : location.root_size();
    from += from != 0 && from < location.path().size() ? 1 : 0;
    for (std::string_view path = std::string_view(location.path()).substr(from);;) {
        path = folder_part(path);
        struct statx status {};
        const std::string folder(path.empty() ? "." : path);
        const int result =
            ::statx(folder_number(location), folder.c_str(), AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &status);
        if (result == 0 || errno != ENOENT || path.empty() || path == "/")
            return;
    }
}

// A store may be on NFS 3 with a lock daemon (docs/retention.md), whose server removes files that clients have open.
bool was_replaced(const Error& error) noexcept { return error.system_number() == ESTALE; }

std::optional<std::string> find_unseen_locks(const Descriptor& file) {
    auto mount = find_shared_mount(file);
    return mount && has_unseen_locks(mount->type, mount->options) ? std::optional(std::move(mount->type))
                                                                  : std::nullopt;
}

bool has_unseen_locks(std::string_view type, std::string_view options) noexcept {
    if (type == "nfs" || type == "nfs4")
        return has_option(options, "nolock") || has_option(options, "local_lock=flock") ||
               has_option(options, "local_lock=all");
    if (type == "lustre")
        return has_option(options, "localflock");
    return is_smb(type) || std::ranges::find(kProgramsWithoutLocks, type) != std::end(kProgramsWithoutLocks);
}

std::optional<std::string> find_smb(const Descriptor& file) {
    auto mount = find_shared_mount(file);
    return mount && is_smb(mount->type) ? std::optional(std::move(mount->type)) : std::nullopt;
}

bool is_smb(std::string_view type) noexcept { return std::ranges::find(kSmbTypes, type) != std::end(kSmbTypes); }

}  // namespace fardel
