#include <fardel/base/folder.h>
#include <fardel/base/lasting_path.h>

#include "system_call.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

namespace fardel {
namespace {

struct CloseFolder {
    void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};

}  // namespace

Result<Descriptor> open_folder(const FileLocation& location, std::string_view subject, const OpenOptions& options) {
    FARDEL_TRY(verify_path(location));
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    if (options.links == Links::refused)
        flags |= O_NOFOLLOW;
#ifdef O_PATH
    if (options.location_only)
        flags |= O_PATH;
#endif
    return descriptor_of_call(open_existing(location, flags), subject);
}

Result<std::vector<std::string>> list_names(const Descriptor& folder, std::string_view subject) {
    // readdir moves the position of its descriptor, so it gets a separate one.
    FARDEL_TRY_ASSIGN(Descriptor opened, open_folder({folder, "."}, subject));
    const std::unique_ptr<DIR, CloseFolder> stream(::fdopendir(opened.number()));
    if (!stream)
        return system_error(errno, subject);
    static_cast<void>(opened.release());  // the stream closes it
    std::vector<std::string> names;
    for (;;) {
        errno = 0;
        const dirent* const entry = ::readdir(stream.get());
        if (entry == nullptr && errno != 0)
            return system_error(errno, subject);
        if (entry == nullptr)
            break;
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..")
            names.emplace_back(name);
    }
    // The order of a folder differs between file systems; what is made from it must not.
    std::ranges::sort(names);
    return names;
}

Result<std::vector<std::string>> list_names_at(const std::string& path) {
    const auto folder = open_folder(path, path);
    if (!folder && folder.error().code() == ErrorCode::missing)
        return std::vector<std::string>();
    if (!folder)
        return folder.error();
    return list_names(*folder, path);
}

Result<bool> create_folder(const FileLocation& location, std::string_view subject, std::uint32_t mode) {
    FARDEL_TRY(verify_path(location));
    if (::mkdirat(folder_number(location), location.path().c_str(), mode) == 0)
        return true;
    if (errno == EEXIST || errno == EISDIR)  // some systems return EISDIR for "/"
        return false;
    return system_error(errno, subject);
}

namespace {

// Those whose paths have more than `from` characters.
Status create_all_folders(const std::string& path, Lasting lasting, std::size_t from) {
    for (std::size_t slash = path.find('/', from + 1);; slash = path.find('/', slash + 1)) {
        const std::string folder = path.substr(0, slash);
        if (auto created = create_folder(folder, folder); !created) {
            // mkdir may refuse an existing folder with other errors, such as EROFS.
            const auto found = find_file_status(folder, folder);
            if (!found || !*found)
                return std::move(created).error();
        } else if (*created && lasting == Lasting::yes) {
            Status synced = sync_folder(folder_of_path(folder));
            if (!synced && synced.error().code() != ErrorCode::denied)  // which this user may change and not read
                return synced;
        }
        if (slash == std::string::npos)
            return ok();
    }
}

}  // namespace

Status create_folders(const std::string& path, Lasting lasting) { return create_all_folders(path, lasting, 0); }

Status create_folders_below(const std::string& root, const std::string& path, Lasting lasting) {
    return path.size() <= root.size() ? ok() : create_all_folders(path, lasting, root.size());
}

Result<std::string> create_temporary_folder(const std::string& prefix, std::string_view subject) {
    FARDEL_TRY(verify_path(prefix));
    std::string path = prefix + "XXXXXX";
    if (::mkdtemp(path.data()) == nullptr)
        return system_error(errno, subject);
    return path;
}

Result<bool> remove_folder(const FileLocation& location, std::string_view subject) {
    FARDEL_TRY(verify_path(location));
    if (::unlinkat(folder_number(location), location.path().c_str(), AT_REMOVEDIR) == 0)
        return true;
    return errno == ENOENT ? Result<bool>(false) : Result<bool>(system_error(errno, subject));
}

Status sync_folder(const std::string& path) {
    FARDEL_TRY_ASSIGN(const Descriptor folder, open_folder(path, path));
    // EINVAL: a file system whose folders cannot be synced.
    return ::fsync(folder.number()) == 0 || errno == EINVAL ? ok() : Status(system_error(errno, path));
}

Result<std::string> real_path(const std::string& path, std::string_view subject) {
    FARDEL_TRY(verify_path(path));
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
    if (!real)
        return system_error(errno, subject);
    return std::string(real.get());
}

std::optional<std::string> find_lasting_path(const Descriptor& folder) {
    std::string path = "/proc/self/fd/" + std::to_string(folder.number());
    struct stat by_number {};
    struct stat by_path {};
    // Without /proc, or with another one mounted there, the path leads elsewhere.
    const bool leads_there = ::fstat(folder.number(), &by_number) == 0 && ::stat(path.c_str(), &by_path) == 0 &&
                             by_number.st_dev == by_path.st_dev && by_number.st_ino == by_path.st_ino;
    return leads_there ? std::optional(std::move(path)) : std::nullopt;
}

std::string folder_of_path(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos)
        return ".";
    return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

}  // namespace fardel
