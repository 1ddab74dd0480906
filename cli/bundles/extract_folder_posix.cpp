#include "extract_folder.h"

#include "console/descriptor.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr int kNamesTried = 1000;
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// What stands at a place, without following it; nothing when nothing does.
Result<std::optional<struct stat>> find_status(int folder, const std::string& leaf, const std::string& shown) {
    struct stat status {};
    if (::fstatat(folder, leaf.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
        return std::optional(status);
    if (errno == ENOENT)
        return std::optional<struct stat>();
    return system_error(errno, shown);
}

std::string_view kind_of(mode_t mode) {
    if (S_ISREG(mode))
        return "a file";
    if (S_ISDIR(mode))
        return "a folder";
    if (S_ISLNK(mode))
        return "a link";
    if (S_ISFIFO(mode))
        return "a FIFO";
    return "a device or socket";
}

// Swaps in three steps, for file systems without RENAME_EXCHANGE: the old file waits in the staging folder.
bool swap_by_steps(int staging, const std::string& staged_leaf, int to, const std::string& to_leaf) {
    const std::string waiting = staged_leaf + ".old";
    if (::renameat(to, to_leaf.c_str(), staging, waiting.c_str()) != 0)
        return false;
    if (::renameat(staging, staged_leaf.c_str(), to, to_leaf.c_str()) != 0) {
        const int reason = errno;
        ::renameat(staging, waiting.c_str(), to, to_leaf.c_str());
        errno = reason;
        return false;
    }
    return ::renameat(staging, waiting.c_str(), staging, staged_leaf.c_str()) == 0;
}

// Moves without replacing, or swaps two files (`from` then is the staging folder).
Status move(int from, const std::string& from_leaf, int to, const std::string& to_leaf, bool swap,
            const std::string& shown) {
    if (::renameat2(from, from_leaf.c_str(), to, to_leaf.c_str(), swap ? RENAME_EXCHANGE : RENAME_NOREPLACE) == 0)
        return ok();
    if (errno != EINVAL && errno != ENOSYS)  // a file system that knows plain renames only
        return system_error(errno, shown);
    if (swap)
        return swap_by_steps(from, from_leaf, to, to_leaf) ? ok() : system_error(errno, shown);
    if (::linkat(from, from_leaf.c_str(), to, to_leaf.c_str(), 0) != 0 || ::unlinkat(from, from_leaf.c_str(), 0) != 0)
        return system_error(errno, shown);
    return ok();
}

}  // namespace

struct ExtractFolder::Impl {
    struct Entry {
        AssetName name;
        bool moved = false;
        bool swapped = false;
    };

    std::string path;  // for messages, and to remove the folder if we made it
    bool replace = false;
    bool made = false;
    Descriptor root;
    dev_t device = 0;
    std::string staging_name;
    Descriptor staging;  // holds the files, "0", "1", …, in the order of `entries`
    std::vector<Entry> entries;
    std::vector<std::string> made_folders;  // below the root, outermost first
    Descriptor open_file;
    std::uint64_t replaced = 0;
    std::string parent_name;  // the folder that `parent` has open; names come sorted, so it is mostly the right one
    Descriptor parent;
    bool committed = false;

    ~Impl();
    std::string shown(std::string_view name) const { return path + "/" + std::string(name); }
    Status open_staging();
    Result<Descriptor> open_below(int folder, const std::string& part, const std::string& so_far, bool make);
    Result<int> open_parent(std::string_view folder, bool make);
    Result<bool> verify_leaf(int folder, const AssetName& name) const;
    Status put(std::size_t index);
    void take_back(std::size_t index);
};

ExtractFolder::Impl::~Impl() {
    if (!committed) {
        for (std::size_t i = entries.size(); i-- > 0;)
            take_back(i);
        for (auto folder = made_folders.rbegin(); folder != made_folders.rend(); ++folder)
            ::unlinkat(root.number(), folder->c_str(), AT_REMOVEDIR);  // fails when somebody put something there
    }
    for (std::size_t i = 0; staging && i < entries.size(); ++i)
        ::unlinkat(staging.number(), std::to_string(i).c_str(), 0);
    if (!staging_name.empty())
        ::unlinkat(root.number(), staging_name.c_str(), AT_REMOVEDIR);
    if (made && !committed)
        ::rmdir(path.c_str());
}

Status ExtractFolder::Impl::open_staging() {
    for (int number = 0; number < kNamesTried; ++number) {
        std::string name = ".fardel-extract-" + std::to_string(::getpid()) + "-" + std::to_string(number);
        if (::mkdirat(root.number(), name.c_str(), 0700) == 0) {
            staging_name = std::move(name);
            staging = Descriptor(::openat(root.number(), staging_name.c_str(), kFolderFlags));
            return staging ? ok() : system_error(errno, shown(staging_name));
        }
        if (errno != EEXIST)
            return system_error(errno, path);
    }
    return Error(ErrorCode::conflict, path + ": full of .fardel-extract folders of killed runs; remove them");
}

// One step down. `missing` when it is not there and not to be made.
Result<Descriptor> ExtractFolder::Impl::open_below(int folder, const std::string& part, const std::string& so_far,
                                                   bool make) {
    Descriptor next(::openat(folder, part.c_str(), kFolderFlags));
    if (!next && errno == ENOENT && make) {
        if (::mkdirat(folder, part.c_str(), 0777) != 0)
            return system_error(errno, shown(so_far));
        made_folders.push_back(so_far);
        next = Descriptor(::openat(folder, part.c_str(), kFolderFlags));
    }
    if (!next) {
        const int failure = errno;
        FARDEL_TRY_ASSIGN(const auto status, find_status(folder, part, shown(so_far)));
        if (status && !S_ISDIR(status->st_mode))
            return Error(ErrorCode::conflict, shown(so_far) + ": " + std::string(kind_of(status->st_mode)) +
                                                  " where a folder has to be; nothing was extracted");
        return system_error(failure, shown(so_far));
    }
    struct stat status {};
    if (::fstat(next.number(), &status) != 0)
        return system_error(errno, shown(so_far));
    if (status.st_dev != device)
        return Error(ErrorCode::conflict,
                     shown(so_far) + ": on another disk than " + path + "; extract it there by itself");
    return next;
}

// The folder of that name, which may be empty; valid until the next call. Error missing: not there and not to be made.
Result<int> ExtractFolder::Impl::open_parent(std::string_view folder, bool make) {
    if (folder.empty())
        return root.number();
    if (parent && folder == parent_name)
        return parent.number();
    Descriptor at;
    for (std::size_t end = 0; end != folder.size();) {
        const std::size_t start = end == 0 ? 0 : end + 1;
        end = std::min(folder.find('/', start), folder.size());
        FARDEL_TRY_ASSIGN(at,
                          open_below(at ? at.number() : root.number(), std::string(folder.substr(start, end - start)),
                                     std::string(folder.substr(0, end)), make));
    }
    parent = std::move(at);
    parent_name = folder;
    return parent.number();
}

// Whether a file is there that will be replaced.
Result<bool> ExtractFolder::Impl::verify_leaf(int folder, const AssetName& name) const {
    FARDEL_TRY_ASSIGN(const auto status, find_status(folder, std::string(name.leaf()), shown(name.view())));
    if (!status)
        return false;
    if (!S_ISREG(status->st_mode))
        return Error(ErrorCode::conflict, shown(name.view()) + ": " + std::string(kind_of(status->st_mode)) +
                                              " is there; nothing was extracted");
    if (!replace)
        return Error(ErrorCode::conflict,
                     shown(name.view()) + ": exists; --force replaces files. Nothing was extracted");
    return true;
}

Status ExtractFolder::Impl::put(std::size_t index) {
    Entry& entry = entries[index];
    FARDEL_TRY_ASSIGN(const int folder, open_parent(entry.name.parent(), true));
    FARDEL_TRY_ASSIGN(entry.swapped, verify_leaf(folder, entry.name));
    FARDEL_TRY(move(staging.number(), std::to_string(index), folder, std::string(entry.name.leaf()), entry.swapped,
                    shown(entry.name.view())));
    entry.moved = true;
    replaced += entry.swapped ? 1 : 0;
    return ok();
}

void ExtractFolder::Impl::take_back(std::size_t index) {
    Entry& entry = entries[index];
    if (!entry.moved)
        return;
    if (const auto folder = open_parent(entry.name.parent(), false)) {
        const std::string staged = std::to_string(index);
        const std::string leaf(entry.name.leaf());
        const Status back = entry.swapped ? move(staging.number(), staged, *folder, leaf, true, "")
                                          : move(*folder, leaf, staging.number(), staged, false, "");
        entry.moved = !back;
    }
}

ExtractFolder::ExtractFolder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ExtractFolder::~ExtractFolder() = default;
ExtractFolder::ExtractFolder(ExtractFolder&&) noexcept = default;

Result<ExtractFolder> ExtractFolder::open(const std::string& path, bool replace) {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->replace = replace;
    impl->made = ::mkdir(path.c_str(), 0777) == 0;
    if (!impl->made && errno != EEXIST && errno != EISDIR)  // "/" gives EISDIR on some systems
        return system_error(errno, path);
    // The target itself may be a link: the person named it.
    impl->root = Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!impl->root)
        return errno == ENOTDIR ? Error(ErrorCode::conflict, path + ": not a folder; name a folder with -C")
                                : system_error(errno, path);
    struct stat status {};
    if (::fstat(impl->root.number(), &status) != 0)
        return system_error(errno, path);
    impl->device = status.st_dev;
    return ExtractFolder(std::move(impl));
}

Status ExtractFolder::verify_place(const AssetName& name) {
    const auto folder = impl_->open_parent(name.parent(), false);
    if (!folder)
        return folder.error().code() == ErrorCode::missing ? ok() : Status(folder.error());
    FARDEL_TRY(impl_->verify_leaf(*folder, name));
    return ok();
}

Status ExtractFolder::begin(const AssetName& name) {
    if (!impl_->staging)
        FARDEL_TRY(impl_->open_staging());
    const std::string leaf = std::to_string(impl_->entries.size());
    impl_->open_file = Descriptor(
        ::openat(impl_->staging.number(), leaf.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!impl_->open_file)
        return system_error(errno, impl_->shown(name.view()));
    impl_->entries.push_back({name});
    return ok();
}

Status ExtractFolder::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(impl_->open_file.number(), bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return system_error(errno, impl_->shown(impl_->entries.back().name.view()));
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return ok();
}

Status ExtractFolder::commit() {
    if (::close(impl_->open_file.release()) != 0 && errno == EIO)
        return system_error(EIO, impl_->path);
    for (std::size_t i = 0; i < impl_->entries.size(); ++i)
        FARDEL_TRY(impl_->put(i));
    impl_->committed = true;
    return ok();
}

std::uint64_t ExtractFolder::replaced() const noexcept { return impl_->replaced; }

}  // namespace fardel
