// A FUSE file system that shows a folder as a network file system would on one of several computers: what it learned
// about names, sizes and listings counts for two seconds although others may have changed them, unless a file is
// opened or its folder is changed through this mount; written bytes reach the folder when the file is synced, closed
// or unlocked; an open file that is removed stays under another name; only plain renames. Locks are seen by all mounts
// of the folder.
//
//     fardel_cached_mount FOLDER MOUNT_POINT [TYPE]      until it is unmounted; the system lists it as "fuse.TYPE"
#define FUSE_USE_VERSION 35
#include <fuse.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

using CacheClock = std::chrono::steady_clock;
constexpr auto kCachedFor = std::chrono::seconds(2);

struct KnownStatus {
    struct stat status {};
    CacheClock::time_point since;
};
struct KnownListing {
    std::vector<std::string> names;
    CacheClock::time_point since;
};
struct WaitingWrite {
    int file = -1;
    off_t offset = 0;
    std::string bytes;
};

// One thread answers the kernel.
struct CachedMount {
    std::string folder;
    std::map<std::string, KnownStatus> known;
    std::map<std::string, KnownListing> listings;
    std::map<ino_t, std::vector<WaitingWrite>> waiting;
};
CachedMount mount_state;

int result_of(int result) { return result < 0 ? -errno : 0; }
std::string real(const char* path) { return mount_state.folder + path; }
int number_of(const fuse_file_info* file) { return static_cast<int>(file->fh); }

void forget(const std::string& path) {
    mount_state.known.erase(path);
    const std::string folder = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
    mount_state.known.erase(folder);
    mount_state.listings.erase(folder);
}

ino_t inode_of(int file) {
    struct stat status {};
    return ::fstat(file, &status) == 0 ? status.st_ino : 0;
}

int write_waiting(ino_t inode) {
    const auto found = mount_state.waiting.find(inode);
    if (found == mount_state.waiting.end())
        return 0;
    const auto writes = std::move(found->second);
    mount_state.waiting.erase(found);
    for (const WaitingWrite& one : writes)
        if (::pwrite(one.file, one.bytes.data(), one.bytes.size(), one.offset) !=
            static_cast<ssize_t>(one.bytes.size()))
            return errno != 0 ? -errno : -EIO;
    return 0;
}

int get_status(const char* path, struct stat* status, fuse_file_info* file) {
    if (file != nullptr) {
        write_waiting(inode_of(number_of(file)));
        return result_of(::fstat(number_of(file), status));
    }
    const auto known = mount_state.known.find(path);
    if (known != mount_state.known.end() && CacheClock::now() - known->second.since < kCachedFor) {
        *status = known->second.status;
        return 0;
    }
    mount_state.known.erase(path);
    if (::lstat(real(path).c_str(), status) != 0)
        return -errno;
    if (mount_state.waiting.contains(status->st_ino)) {
        write_waiting(status->st_ino);
        ::lstat(real(path).c_str(), status);
    }
    mount_state.known[path] = {*status, CacheClock::now()};
    return 0;
}

int list(const char* path, void* buffer, fuse_fill_dir_t fill, off_t, fuse_file_info*, fuse_readdir_flags) {
    KnownListing& listing = mount_state.listings[path];
    if (CacheClock::now() - listing.since >= kCachedFor) {
        listing = {.names = {}, .since = CacheClock::now()};
        DIR* const stream = ::opendir(real(path).c_str());
        if (stream == nullptr)
            return -errno;
        while (const dirent* const entry = ::readdir(stream))
            listing.names.emplace_back(entry->d_name);
        ::closedir(stream);
    }
    for (const std::string& name : listing.names)
        fill(buffer, name.c_str(), nullptr, 0, fuse_fill_dir_flags{});
    return 0;
}

int open_flags(const fuse_file_info* file) { return (file->flags & ~O_NOFOLLOW) | O_CLOEXEC; }
int open_at(const char* path, fuse_file_info* file) {
    forget(path);
    const int number = ::open(real(path).c_str(), open_flags(file));
    if (number < 0)
        return -errno;
    write_waiting(inode_of(number));
    file->fh = static_cast<std::uint64_t>(number);
    return 0;
}
int create_at(const char* path, mode_t mode, fuse_file_info* file) {
    forget(path);
    const int number = ::open(real(path).c_str(), open_flags(file) | O_CREAT, mode);
    file->fh = static_cast<std::uint64_t>(number);
    return result_of(number);
}
int read_at(const char*, char* out, std::size_t size, off_t offset, fuse_file_info* file) {
    write_waiting(inode_of(number_of(file)));
    const ssize_t count = ::pread(number_of(file), out, size, offset);
    return count < 0 ? -errno : static_cast<int>(count);
}
int write_at(const char* path, const char* bytes, std::size_t size, off_t offset, fuse_file_info* file) {
    forget(path);
    mount_state.waiting[inode_of(number_of(file))].push_back({number_of(file), offset, std::string(bytes, size)});
    return static_cast<int>(size);
}
int flush_file(const char* path, fuse_file_info* file) {
    forget(path);
    return write_waiting(inode_of(number_of(file)));
}
int sync_at(const char* path, int, fuse_file_info* file) {
    if (const int failed = flush_file(path, file); failed != 0)
        return failed;
    return result_of(::fsync(number_of(file)));
}
int close_file(const char*, fuse_file_info* file) {
    write_waiting(inode_of(number_of(file)));
    return result_of(::close(number_of(file)));
}
int lock_at(const char* path, fuse_file_info* file, int operation) {
    if ((operation & LOCK_UN) != 0)
        flush_file(path, file);
    return result_of(::flock(number_of(file), operation | LOCK_NB));
}
int resize(const char* path, off_t size, fuse_file_info* file) {
    forget(path);
    if (file == nullptr)
        return result_of(::truncate(real(path).c_str(), size));
    write_waiting(inode_of(number_of(file)));
    return result_of(::ftruncate(number_of(file), size));
}
int remove_at(const char* path) {
    forget(path);
    return result_of(::unlink(real(path).c_str()));
}
int make_folder(const char* path, mode_t mode) {
    forget(path);
    return result_of(::mkdir(real(path).c_str(), mode));
}
int remove_folder_at(const char* path) {
    forget(path);
    return result_of(::rmdir(real(path).c_str()));
}
int rename_at(const char* from, const char* to, unsigned flags) {
    if (flags != 0)
        return -EINVAL;
    forget(from);
    forget(to);
    return result_of(::rename(real(from).c_str(), real(to).c_str()));
}
int link_at(const char* from, const char* to) {
    forget(from);
    forget(to);
    return result_of(::link(real(from).c_str(), real(to).c_str()));
}
int change_mode(const char* path, mode_t mode, fuse_file_info*) {
    forget(path);
    return result_of(::chmod(real(path).c_str(), mode));
}
int change_times(const char* path, const timespec times[2], fuse_file_info*) {
    forget(path);
    return result_of(::utimensat(AT_FDCWD, real(path).c_str(), times, AT_SYMLINK_NOFOLLOW));
}
int look_at_disk(const char* path, struct statvfs* status) { return result_of(::statvfs(real(path).c_str(), status)); }

void* configure(fuse_conn_info*, fuse_config* config) {
    config->use_ino = 1;
    config->entry_timeout = 0;
    config->attr_timeout = 0;
    return nullptr;
}

}  // namespace

int main(int count, char** words) {
    if (count != 3 && count != 4) {
        std::fputs("usage: fardel_cached_mount FOLDER MOUNT_POINT [TYPE]\n", stderr);
        return 2;
    }
    mount_state.folder = words[1];
    fuse_operations operations{};
    operations.init = configure;
    operations.getattr = get_status;
    operations.readdir = list;
    operations.open = open_at;
    operations.create = create_at;
    operations.read = read_at;
    operations.write = write_at;
    operations.flush = flush_file;
    operations.fsync = sync_at;
    operations.release = close_file;
    operations.flock = lock_at;
    operations.truncate = resize;
    operations.unlink = remove_at;
    operations.mkdir = make_folder;
    operations.rmdir = remove_folder_at;
    operations.rename = rename_at;
    operations.link = link_at;
    operations.chmod = change_mode;
    operations.utimens = change_times;
    operations.statfs = look_at_disk;
    const std::string type = count == 4 ? words[3] : "fardel_cached_mount";
    std::string options = "fsname=fardel_cached_mount,subtype=" + type;
    std::string name = words[0], foreground = "-f", single = "-s", option = "-o";
    char* arguments[] = {name.data(),    foreground.data(), single.data(), option.data(),
                         options.data(), words[2],          nullptr};
    return ::fuse_main(6, arguments, &operations, nullptr);
}
