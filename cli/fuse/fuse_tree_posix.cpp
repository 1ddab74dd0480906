#define FUSE_USE_VERSION 35

#include "fuse_tree.h"

#include <fardel/base/mount_point.h>
#include <fardel/base/program.h>
#include <fardel/format/hash.h>
#include <fardel/format/id_path.h>
#include <fardel/vfs/inspect.h>

#include <fuse.h>  // with struct stat and struct statvfs

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

constexpr double kForever_s = 7 * 86400;  // how long the kernel may cache: nothing changes while mounted
constexpr time_t kTime_s = 315532800;     // 1980-01-01, the first day that every archive format can store
constexpr blksize_t kReadBytes = 128 << 10;
constexpr off_t kFirstEntry = 2;  // after "." and ".."

constexpr std::string_view kAssetAttribute = "user.fardel.asset";        // of a file
constexpr std::string_view kVariantsAttribute = "user.fardel.variants";  // of the root

// An open file or folder. The kernel need not close all of them before the end, so OpenHandles owns them.
class Handle {
public:
    virtual ~Handle() = default;
};

class OpenHandles {
public:
    void add(std::unique_ptr<Handle> handle) {
        const std::scoped_lock lock(mutex_);
        Handle* const key = handle.get();
        handles_.emplace(key, std::move(handle));
    }
    void remove(Handle* handle) {
        std::unique_ptr<Handle> removed;  // destroyed after the lock is released
        const std::scoped_lock lock(mutex_);
        const auto found = handles_.find(handle);
        removed = std::move(found->second);
        handles_.erase(found);
    }

private:
    std::mutex mutex_;
    std::unordered_map<Handle*, std::unique_ptr<Handle>> handles_;
};

// What the kernel keeps of the paths whose content may change: it keeps it once per path, for all who have it open. So
// while somebody has an older asset open there, a newer one is read past it.
class KeptContent {
public:
    // The file is read through what is kept, or through that after it was dropped, or past it.
    enum class Way : std::uint8_t { kept, dropped, past };

    // `open` gives the file that is at the path now. Opens are registered in their order, so that none is taken for
    // newer than it is.
    template <class Open>
    Result<std::pair<File, Way>> open(ino_t path, Open open) {
        const std::scoped_lock lock(mutex_);
        FARDEL_TRY_ASSIGN(File file, open());
        Kept& kept = kept_[path];
        const bool is_same = kept.asset == file.asset_id();
        if (!is_same && kept.readers > 0)
            return std::pair(std::move(file), Way::past);
        // The kernel drops the older content when this answer reaches it. An answer to a later open could reach it
        // earlier, so none lets it use what it keeps before a file of this asset was closed.
        kept.is_settled = kept.is_settled && is_same;
        kept.asset = file.asset_id();
        ++kept.readers;
        return std::pair(std::move(file), kept.is_settled ? Way::kept : Way::dropped);
    }
    void close(ino_t path) {
        const std::scoped_lock lock(mutex_);
        Kept& kept = kept_[path];
        --kept.readers;
        kept.is_settled = true;
    }

private:
    struct Kept {
        std::optional<AssetId> asset;
        std::size_t readers = 0;
        bool is_settled = false;  // what the kernel keeps is certainly of this asset
    };
    std::mutex mutex_;
    std::unordered_map<ino_t, Kept> kept_;  // an entry per path that was opened
};

// The state that libfuse passes to each callback, from start() to end().
struct Serving {
    const FuseTree& tree;
    bool varies;  // names have variants
    OpenHandles handles;
    std::mutex catching_up;
    std::mutex preferring;
    std::string preference;            // of the Vfs
    std::array<KeptContent, 64> kept;  // by inode_of(path): an open may wait for a server, and others should not

    KeptContent& kept_at(ino_t path) { return kept[path % kept.size()]; }
};

Serving& serving() { return *static_cast<Serving*>(fuse_get_context()->private_data); }
const FuseTree& tree() { return serving().tree; }
TreeView view() { return tree().ids ? TreeView::everything : TreeView::names; }

// After it, the tree has the edits that were made before this request.
void catch_up() {
    if (!tree().catch_up)
        return;
    const std::scoped_lock lock(serving().catching_up);
    tree().catch_up();
}

int errno_of(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::missing:
        case ErrorCode::unresolved: return ENOENT;
        case ErrorCode::expired:
        case ErrorCode::denied: return EACCES;
        case ErrorCode::busy: return EBUSY;
        case ErrorCode::no_space: return ENOSPC;
        case ErrorCode::cancelled: return EINTR;
        case ErrorCode::conflict: return ESTALE;  // a file of a folder, edited since the tree has shown it
        default: return EIO;
    }
}

int failed(const Error& error) noexcept { return -errno_of(error.code()); }

// Of a file that is there: content that is missing is no reason to look for another file, which ENOENT would be.
int failed_to_read(const Error& error) noexcept { return error.code() == ErrorCode::missing ? -EIO : failed(error); }

// A path that can never be a name is reported as absent: `touch "a?b"` then does not report a broken disk.
int check_path(const char* path) {
    const auto parts = parse_path_parts(path);
    if (parts)
        return 0;
    return parts.error().code() == ErrorCode::limit ? -ENAMETOOLONG : -ENOENT;
}

// No exception may leave these callbacks, since libfuse is written in C.
template <class Work>
int guarded(Work work) noexcept {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return -ENOMEM;
    } catch (...) {
        return -EIO;
    }
}

// The inode numbers 0 and 1 have special meanings for kernels and libfuse.
template <class Id>
ino_t inode_of_id(const Id& id) {
    ino_t inode = 0;
    std::memcpy(&inode, id.bytes.data(), sizeof inode);
    return std::max<ino_t>(inode, 2);
}

// Of a folder or link.
ino_t inode_of(std::string_view path) { return inode_of_id(blake3(std::as_bytes(std::span(path)))); }

// "/maps/dm01.bsp", "/assets/<id>" → "../assets/<id>"
std::string relative_target(std::string_view link, std::string_view target) {
    std::string text;
    for (auto depth = std::ranges::count(link, '/'); depth > 1; --depth)
        text += "../";
    return text.append(target.substr(1));
}

// What programs see of it.
NodeKind shown(NodeKind kind) noexcept { return kind == NodeKind::link && !tree().links ? NodeKind::file : kind; }

mode_t mode_of(NodeKind kind) noexcept {
    switch (kind) {
        case NodeKind::folder: return S_IFDIR | 0555;
        case NodeKind::link: return S_IFLNK | 0777;
        case NodeKind::file: break;
    }
    return S_IFREG | 0444;
}

void fill_stat(NodeKind kind, std::uint64_t size_bytes, ino_t inode, struct stat& out) {
    out = {};
    out.st_ino = inode;
    out.st_mode = mode_of(kind);
    out.st_nlink = 1;  // for a folder: sub-folders were not counted, so find(1) looks itself
    out.st_uid = user_id();
    out.st_gid = group_id();
    out.st_size = static_cast<off_t>(size_bytes);
    out.st_blksize = kReadBytes;
    out.st_blocks = static_cast<blkcnt_t>(size_bytes / 512 + (size_bytes % 512 != 0));
    out.st_atim.tv_sec = out.st_mtim.tv_sec = out.st_ctim.tv_sec = kTime_s;
}

int stat_path(const std::string& path, struct stat& out) {
    auto found = tree().vfs.find_stat(path, view());
    if (!found)
        return failed(found.error());
    if (!*found)
        return -ENOENT;
    std::uint64_t size_bytes = (*found)->size_bytes;
    const NodeKind kind = shown((*found)->kind);
    if (kind == NodeKind::link) {
        const auto target = tree().vfs.read_link(path);
        if (!target)
            return failed(target.error());
        size_bytes = relative_target(path, *target).size();
    }
    fill_stat(kind, size_bytes, kind == NodeKind::file ? inode_of_id(*(*found)->asset) : inode_of(path), out);
    return 0;
}

struct OpenFile final : Handle {
    explicit OpenFile(File opened) noexcept : file(std::move(opened)) {}
    File file;
    std::optional<ino_t> kept_at;  // of KeptContent
};

// A Listing only goes forward; to go back, it is opened again.
class OpenFolder final : public Handle {
public:
    static Result<std::unique_ptr<OpenFolder>> open(std::string path) {
        auto folder = std::unique_ptr<OpenFolder>(new OpenFolder(std::move(path)));
        FARDEL_TRY(folder->rewind());
        return folder;
    }

    const std::string& path() const noexcept { return path_; }
    std::mutex& mutex() noexcept { return mutex_; }

    // The entry at `offset`, counted from kFirstEntry, or nullptr after the last one. Valid until the next call.
    Result<const ListingEntry*> entry_at(off_t offset) {
        if (offset < at_)
            FARDEL_TRY(rewind());
        while (at_ < offset || !current_) {
            if (over_)
                return static_cast<const ListingEntry*>(nullptr);
            FARDEL_TRY_ASSIGN(auto next, listing_->next());
            at_ += current_ ? 1 : 0;
            over_ = !next;
            current_ = std::move(next);
        }
        return &*current_;
    }

private:
    explicit OpenFolder(std::string path) : path_(std::move(path)) {}

    Status rewind() {
        FARDEL_TRY_ASSIGN(listing_, tree().vfs.open_listing(path_, view()));
        current_.reset();
        at_ = kFirstEntry;
        over_ = false;
        return ok();
    }

    std::string path_;
    std::mutex mutex_;
    std::optional<Listing> listing_;
    std::optional<ListingEntry> current_;
    off_t at_ = kFirstEntry;  // offset of the current entry, or of the next one
    bool over_ = false;
};

template <class Kind>
Kind& handle_of(const fuse_file_info* open) {
    return *reinterpret_cast<Kind*>(open->fh);
}

template <class Kind>
void attach(fuse_file_info* open, std::unique_ptr<Kind> handle) {
    open->fh = reinterpret_cast<std::uint64_t>(handle.get());
    serving().handles.add(std::move(handle));
}

template <class Kind>
int drop(const fuse_file_info* open) {
    return guarded([&] {
        serving().handles.remove(&handle_of<Kind>(open));
        return 0;
    });
}

// ---- What libfuse calls ---------------------------------------------------------------------------------------------

void* start(fuse_conn_info* connection, fuse_config* config) noexcept {
    const auto& served = *static_cast<const FuseTree*>(fuse_get_context()->private_data);
    // Another preference may be set while it is mounted, so the kernel keeps the attributes of no file then.
    const bool varies = std::ranges::any_of(served.vfs.mounts(), &MountDescription::has_variants);
    if (!served.changes && !varies)
        connection->want |= connection->capable & FUSE_CAP_CACHE_SYMLINKS;
    config->use_ino = 1;
    config->nullpath_ok = 1;  // callbacks of open files need no path
    config->entry_timeout = config->negative_timeout = served.changes ? 0 : kForever_s;
    config->attr_timeout = served.changes || varies ? 0 : kForever_s;
    return new Serving{.tree = served,
                       .varies = varies,
                       .handles = {},
                       .catching_up = {},
                       .preferring = {},
                       .preference = format_variant_preference(served.preference),
                       .kept = {}};
}

void end(void* served) { delete static_cast<Serving*>(served); }

int stat_node(const char* path, struct stat* out, fuse_file_info* open) {
    return guarded([&] {
        if (open != nullptr) {
            const auto& handle = handle_of<OpenFile>(open);
            fill_stat(NodeKind::file, handle.file.size_bytes(), inode_of_id(handle.file.asset_id()), *out);
            return 0;
        }
        if (const int bad = check_path(path); bad != 0)
            return bad;
        catch_up();
        return stat_path(path, *out);
    });
}

int read_link(const char* path, char* out, std::size_t size_bytes) {
    return guarded([&] {
        const auto target = tree().vfs.read_link(path);
        if (!target)
            return failed(target.error());
        const std::string text = relative_target(path, *target);
        if (text.size() >= size_bytes)
            return -ENAMETOOLONG;
        std::memcpy(out, text.c_str(), text.size() + 1);
        return 0;
    });
}

// A file that has a name and cannot be opened, such as one whose block is damaged, must not look like an absent one.
int failed_to_open(const char* path, const Error& error) {
    const auto found = tree().vfs.find_stat(path, view());
    return found && *found ? failed_to_read(error) : failed(error);
}

int open_file(const char* path, fuse_file_info* open) {
    return guarded([&] {
        if ((open->flags & O_ACCMODE) != O_RDONLY)
            return -EROFS;
        catch_up();
        const bool may_change = (tree().changes || serving().varies) && !find_id_path(std::string_view(path).substr(1));
        if (!may_change) {
            auto file = tree().vfs.open(path);
            if (!file)
                return failed_to_open(path, file.error());
            open->keep_cache = 1;
            attach(open, std::make_unique<OpenFile>(*std::move(file)));
            return 0;
        }
        const ino_t node = inode_of(path);
        auto opened = serving().kept_at(node).open(node, [&] { return tree().vfs.open(path); });
        if (!opened)
            return failed_to_open(path, opened.error());
        auto& [file, way] = *opened;
        auto handle = std::make_unique<OpenFile>(std::move(file));
        open->keep_cache = way == KeptContent::Way::kept ? 1 : 0;
        open->direct_io = way == KeptContent::Way::past ? 1 : 0;
        if (way != KeptContent::Way::past)
            handle->kept_at = node;
        attach(open, std::move(handle));
        return 0;
    });
}

int read_file(const char*, char* out, std::size_t size_bytes, off_t offset, fuse_file_info* open) {
    return guarded([&] {
        const auto count = handle_of<OpenFile>(open).file.read_at(static_cast<std::uint64_t>(offset),
                                                                  std::as_writable_bytes(std::span(out, size_bytes)));
        return count ? static_cast<int>(*count) : failed_to_read(count.error());
    });
}

int close_file(const char*, fuse_file_info* open) {
    return guarded([&] {
        if (const auto node = handle_of<OpenFile>(open).kept_at)
            serving().kept_at(*node).close(*node);
        return drop<OpenFile>(open);
    });
}

int open_folder(const char* path, fuse_file_info* open) {
    return guarded([&] {
        catch_up();
        auto folder = OpenFolder::open(path);
        if (!folder)
            return failed(folder.error());
        attach(open, *std::move(folder));
        open->cache_readdir = open->keep_cache = tree().changes || serving().varies ? 0 : 1;  // they hold inode numbers
        return 0;
    });
}

// Returns whether the kernel took the entry. When its buffer is full, it asks again with the offset of the last one.
bool give(void* kernel, fuse_fill_dir_t fill, const OpenFolder& folder, const ListingEntry& entry, off_t next,
          bool with_stat) {
    const std::string path = (folder.path() == "/" ? "" : folder.path()) + "/" + entry.name;
    struct stat node {};
    // If the full status is not available, kind and inode number are enough; a request for the entry reports the error.
    // The inode number of a file is that of its asset.
    const bool full = (with_stat || shown(entry.kind) == NodeKind::file) && stat_path(path, node) == 0;
    if (!full)
        fill_stat(shown(entry.kind), 0, inode_of(path), node);
    const bool plus = with_stat && full;
    return fill(kernel, entry.name.c_str(), &node, next, plus ? FUSE_FILL_DIR_PLUS : fuse_fill_dir_flags{}) == 0;
}

int read_folder(const char*, void* kernel, fuse_fill_dir_t fill, off_t offset, fuse_file_info* open,
                fuse_readdir_flags flags) {
    return guarded([&] {
        auto& folder = handle_of<OpenFolder>(open);
        // Programs may share an open folder, and libfuse answers on several threads.
        const std::scoped_lock lock(folder.mutex());
        for (; offset < kFirstEntry; ++offset)
            if (fill(kernel, offset == 0 ? "." : "..", nullptr, offset + 1, fuse_fill_dir_flags{}) != 0)
                return 0;
        for (;; ++offset) {
            const auto entry = folder.entry_at(offset);
            if (!entry)
                return failed(entry.error());
            if (*entry == nullptr || !give(kernel, fill, folder, **entry, offset + 1, (flags & FUSE_READDIR_PLUS) != 0))
                return 0;
        }
    });
}

int close_folder(const char*, fuse_file_info* open) { return drop<OpenFolder>(open); }

// The id of the file's asset; nothing for a folder or link.
Result<std::optional<AssetId>> find_asset_id(const char* path) {
    FARDEL_TRY_ASSIGN(const auto found, tree().vfs.find_stat(path, view()));
    if (!found)
        return Error(ErrorCode::missing, path);
    return shown(found->kind) == NodeKind::file ? found->asset : std::optional<AssetId>();
}

// xattr(7): with size 0, only the size that is needed is returned.
int give_attribute(std::string_view text, char* out, std::size_t size_bytes) {
    if (size_bytes != 0 && size_bytes < text.size())
        return -ERANGE;
    if (size_bytes != 0)
        std::ranges::copy(text, out);
    return static_cast<int>(text.size());
}

bool is_root(std::string_view path) noexcept { return path == "/"; }

int get_attribute(const char* path, const char* name, char* out, std::size_t size_bytes) {
    return guarded([&] {
        if (is_root(path) && name == kVariantsAttribute) {
            const std::scoped_lock lock(serving().preferring);
            return give_attribute(serving().preference, out, size_bytes);
        }
        if (name != kAssetAttribute)
            return -ENODATA;
        const auto asset = find_asset_id(path);
        if (!asset)
            return failed(asset.error());
        return *asset ? give_attribute((*asset)->hex(), out, size_bytes) : -ENODATA;
    });
}

int list_attributes(const char* path, char* out, std::size_t size_bytes) {
    return guarded([&] {
        if (is_root(path))
            return give_attribute(std::string(kVariantsAttribute) + '\0', out, size_bytes);
        const auto asset = find_asset_id(path);
        if (!asset)
            return failed(asset.error());
        return *asset ? give_attribute(std::string(kAssetAttribute) + '\0', out, size_bytes) : 0;
    });
}

// Sets the preference that the message has, and answers what there is to prefer.
int take_message(MountMessage& message) {
    const auto end = std::ranges::find(message.text, '\0');
    const auto preference = parse_variant_preference({message.text.data(), end});
    if (!preference)
        return -EINVAL;
    const auto axes = tree().vfs.variant_axes();
    std::string answer = axes ? format_variant_preference(*axes) : "";
    if (answer.size() >= message.text.size())
        answer.resize(std::min(answer.rfind(' ', message.text.size() - 1), answer.size()));
    if (answer.size() >= message.text.size())
        answer.clear();
    {
        const std::scoped_lock lock(serving().preferring);
        tree().vfs.prefer(*preference);
        serving().preference = format_variant_preference(*preference);
    }
    message = {};
    std::ranges::copy(answer, message.text.begin());
    return 0;
}

// A read-only mount has no attributes that could be set, and no file that could be written.
int control(const char*, unsigned int request, void*, fuse_file_info* open, unsigned int flags, void* data) {
    return guarded([&] {
        if ((flags & FUSE_IOCTL_DIR) == 0 || request != mount_message_request() ||
            !is_root(handle_of<OpenFolder>(open).path()))
            return -ENOTTY;
        if (const uid_t user = fuse_get_context()->uid; user != 0 && user != user_id())
            return -EACCES;
        return take_message(*static_cast<MountMessage*>(data));
    });
}

int stat_system(const char*, struct statvfs* out) {
    *out = {};
    out->f_bsize = out->f_frsize = 4096;
    out->f_blocks = (tree().stored_bytes + 4095) / 4096;
    out->f_namemax = 255;  // docs/names.md
    return 0;
}

fuse_operations make_operations() noexcept {
    fuse_operations calls{};
    calls.init = start;
    calls.destroy = end;
    calls.getattr = stat_node;
    calls.readlink = read_link;
    calls.open = open_file;
    calls.read = read_file;
    calls.release = close_file;
    calls.opendir = open_folder;
    calls.readdir = read_folder;
    calls.releasedir = close_folder;
    calls.getxattr = get_attribute;
    calls.listxattr = list_attributes;
    calls.ioctl = control;
    calls.statfs = stat_system;
    return calls;
}

}  // namespace

const fuse_operations& fuse_tree_operations() noexcept {
    static const fuse_operations calls = make_operations();
    return calls;
}

}  // namespace fardel
