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

// The status of the file with that name, without following links; nothing if there is none.
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

// Moves a file without replacing another, or swaps two files (`from` is then the staging folder).
Status move(int from, const std::string& from_leaf, int to, const std::string& to_leaf, bool swap,
            const std::string& shown) {
    if (::renameat2(from, from_leaf.c_str(), to, to_leaf.c_str(), swap ? RENAME_EXCHANGE : RENAME_NOREPLACE) == 0)
        return ok();
    if (errno != EINVAL && errno != ENOSYS)  // a file system that only supports plain renames
        return system_error(errno, shown);
    if (swap)
        return swap_by_steps(from, from_leaf, to, to_leaf) ? ok() : system_error(errno, shown);
    if (::linkat(from, from_leaf.c_str(), to, to_leaf.c_str(), 0) != 0 || ::unlinkat(from, from_leaf.c_str(), 0) != 0)
        return system_error(errno, shown);
    return ok();
}

}  // namespace

struct ExtractFolder::Impl {
    struct StagedFile {
        AssetName name;
        bool moved = false;
        bool swapped = false;
    };

    std::string path;  // for messages, and to remove the folder if it was created here
    bool replace = false;
    bool created = false;
    Descriptor root;
    dev_t device = 0;
    std::string staging_name;
    Descriptor staging;  // contains the files "0", "1", …, in the order of `entries`
    std::vector<StagedFile> entries;
    std::vector<std::string> created_folders;  // below the root, outermost first
    Descriptor open_file;
    std::uint64_t replaced = 0;
    std::string parent_name;  // the folder that `parent` has open; names are sorted, so it is usually the next one, too
    Descriptor parent;
    bool committed = false;

    ~Impl();
    std::string shown(std::string_view name) const { return path + "/" + std::string(name); }
    Status open_staging();
    Result<Descriptor> open_below(int folder, const std::string& part, const std::string& so_far, bool create);
    Result<int> open_parent(std::string_view folder, bool create);
    Result<bool> verify_leaf(int folder, const AssetName& name) const;
    Status move_into_place(std::size_t index);
    void move_back(std::size_t index);
};

ExtractFolder::Impl::~Impl() {
    if (!committed) {
        for (std::size_t i = entries.size(); i-- > 0;)
            move_back(i);
        for (auto folder = created_folders.rbegin(); folder != created_folders.rend(); ++folder)
            ::unlinkat(root.number(), folder->c_str(), AT_REMOVEDIR);  // fails if another program created a file there
    }
    for (std::size_t i = 0; staging && i < entries.size(); ++i)
        ::unlinkat(staging.number(), std::to_string(i).c_str(), 0);
    if (!staging_name.empty())
        ::unlinkat(root.number(), staging_name.c_str(), AT_REMOVEDIR);
    if (created && !committed)
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
    return Error(ErrorCode::conflict,
                 path + ": contains too many .fardel-extract folders of interrupted runs; remove them");
}

// Opens a sub-folder. Error missing: it does not exist and is not to be created.
Result<Descriptor> ExtractFolder::Impl::open_below(int folder, const std::string& part, const std::string& so_far,
                                                   bool create) {
    Descriptor next(::openat(folder, part.c_str(), kFolderFlags));
    if (!next && errno == ENOENT && create) {
        if (::mkdirat(folder, part.c_str(), 0777) != 0)
            return system_error(errno, shown(so_far));
        created_folders.push_back(so_far);
        next = Descriptor(::openat(folder, part.c_str(), kFolderFlags));
    }
    if (!next) {
        const int failure = errno;
        FARDEL_TRY_ASSIGN(const auto status, find_status(folder, part, shown(so_far)));
        if (status && !S_ISDIR(status->st_mode))
            return Error(ErrorCode::conflict, shown(so_far) + ": " + std::string(kind_of(status->st_mode)) +
                                                  " where a folder is needed; nothing was extracted");
        return system_error(failure, shown(so_far));
    }
    struct stat status {};
    if (::fstat(next.number(), &status) != 0)
        return system_error(errno, shown(so_far));
    if (status.st_dev != device)
        return Error(ErrorCode::conflict, shown(so_far) + ": on another disk than " + path +
                                              "; extract these files to that folder separately");
    return next;
}

// Opens the folder of that name, or the root for an empty name; valid until the next call. Error missing: it does not
// exist and is not to be created.
Result<int> ExtractFolder::Impl::open_parent(std::string_view folder, bool create) {
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
                                     std::string(folder.substr(0, end)), create));
    }
    parent = std::move(at);
    parent_name = folder;
    return parent.number();
}

// Returns whether a file of that name exists and will be replaced.
Result<bool> ExtractFolder::Impl::verify_leaf(int folder, const AssetName& name) const {
    FARDEL_TRY_ASSIGN(const auto status, find_status(folder, std::string(name.leaf()), shown(name.view())));
    if (!status)
        return false;
    if (!S_ISREG(status->st_mode))
        return Error(ErrorCode::conflict, shown(name.view()) + ": " + std::string(kind_of(status->st_mode)) +
                                              " has this name; nothing was extracted");
    if (!replace)
        return Error(ErrorCode::conflict,
                     shown(name.view()) + ": already exists; --force replaces files. Nothing was extracted");
    return true;
}

Status ExtractFolder::Impl::move_into_place(std::size_t index) {
    StagedFile& entry = entries[index];
    FARDEL_TRY_ASSIGN(const int folder, open_parent(entry.name.parent(), true));
    FARDEL_TRY_ASSIGN(entry.swapped, verify_leaf(folder, entry.name));
    FARDEL_TRY(move(staging.number(), std::to_string(index), folder, std::string(entry.name.leaf()), entry.swapped,
                    shown(entry.name.view())));
    entry.moved = true;
    replaced += entry.swapped ? 1 : 0;
    return ok();
}

void ExtractFolder::Impl::move_back(std::size_t index) {
    StagedFile& entry = entries[index];
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
    impl->created = ::mkdir(path.c_str(), 0777) == 0;
    if (!impl->created && errno != EEXIST && errno != EISDIR)  // "/" gives EISDIR on some systems
        return system_error(errno, path);
    // The target itself may be a link, since the user named it.
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

Status ExtractFolder::verify_free(const AssetName& name) {
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
        FARDEL_TRY(impl_->move_into_place(i));
    impl_->committed = true;
    return ok();
}

std::uint64_t ExtractFolder::replaced() const noexcept { return impl_->replaced; }

}  // namespace fardel
