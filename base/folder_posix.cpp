#include <fardel/base/folder.h>

#include <fardel/base/shared_mode.h>

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
    if (options.location_only)
        flags |= kLocationOnly;
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

Result<bool> create_folder(const FileLocation& location, std::string_view subject, std::uint32_t mode) {
    FARDEL_TRY(verify_path(location));
    if (call_at(location, [&](int folder, const char* name) { return ::mkdirat(folder, name, mode); }) == 0)
        return true;
    if (errno == EEXIST || errno == EISDIR)  // some systems return EISDIR for "/"
        return false;
    return system_error(errno, subject);
}

namespace {

// Those whose paths have more than `from` characters.
Status create_all_folders(const FilePath& path, Lasting lasting, std::size_t from) {
    for (std::size_t slash = path.text().find('/', from + 1);; slash = path.text().find('/', slash + 1)) {
        const FilePath folder = path.cut(slash);
        auto created = create_folder(folder, folder);
        if (!created) {
            // mkdir may refuse an existing folder with other errors, such as EROFS.
            const auto found = find_file_status(folder, folder);
            if (!found || !*found)
                return std::move(created).error();
        }
        const bool is_new = created && *created;
        if (is_new)
            share_new_folder(folder);
        if (is_new && lasting == Lasting::yes) {
            Status synced = sync_folder(folder.folder());
            if (!synced && synced.error().code() != ErrorCode::denied)  // which this user may change and not read
                return synced;
        }
        if (slash == std::string::npos)
            return ok();
    }
}

}  // namespace

Status create_folders(const std::string& path, Lasting lasting) {
    return create_all_folders(std::string(without_end_slashes(path)), lasting, 0);
}

Status create_folders_below_root(const FilePath& path, Lasting lasting) {
    return path.text().size() <= path.root_size() ? ok() : create_all_folders(path, lasting, path.root_size());
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
    if (call_at(location, [](int folder, const char* name) { return ::unlinkat(folder, name, AT_REMOVEDIR); }) == 0)
        return true;
    return errno == ENOENT ? Result<bool>(false) : Result<bool>(system_error(errno, subject));
}

Status sync_folder(const FilePath& path) {
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

}  // namespace fardel
