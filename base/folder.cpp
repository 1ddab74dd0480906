#include <fardel/base/folder.h>

#include <fardel/base/system_error.h>
#include <fardel/base/utf8_path.h>

#include <system_error>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint32_t kAllOfOwner = 0700;

Status remove_entry(const FileLocation& location, const std::string& path);

Status remove_entries(const FileLocation& location, const std::string& path) {
    auto folder = open_folder(location, path, {.links = Links::refused});
    // A program may have taken the permissions from a folder that it wrote.
    if (!folder || !may_execute(location)) {
        static_cast<void>(set_permissions(location, kAllOfOwner, path));
        folder = open_folder(location, path, {.links = Links::refused});
    }
    if (!folder)
        return folder.error();
    FARDEL_TRY_ASSIGN(const auto names, list_names(*folder, path));
    Status removed = ok();
    for (const std::string& name : names) {
        Status next = remove_entry({*folder, name}, path + "/" + name);
        if (removed && !next)  // the rest is removed nevertheless
            removed = std::move(next);
    }
    return removed;
}

Status remove_entry(const FileLocation& location, const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto status, find_file_status(location, path, Links::refused));
    if (!status)
        return ok();
    if (status->is_folder()) {
        FARDEL_TRY(remove_entries(location, path));
        FARDEL_TRY(remove_folder(location, path));
    } else {
        FARDEL_TRY(remove_file(location, path));
    }
    return ok();
}

// `path`: from the folder where the visit began; empty for that folder.
Status visit_entries(const Descriptor& folder, const std::string& path, const std::string& shown,
                     const FolderVisit& visit) {
    FARDEL_TRY_ASSIGN(const auto names, list_names(folder, shown));
    for (const std::string& name : names) {
        const std::string below = joined_path(path, name);
        const std::string below_shown = joined_path(shown, name);
        FARDEL_TRY_ASSIGN(const auto status, find_file_status({folder, name}, below_shown, Links::refused));
        if (!status)
            continue;
        FARDEL_TRY_ASSIGN(const bool enters, visit(below, *status));
        if (!enters || !status->is_folder())
            continue;
        const auto opened = open_folder({folder, name}, below_shown, {.links = Links::refused});
        if (opened)
            FARDEL_TRY(visit_entries(*opened, below, below_shown, visit));
        else if (opened.error().code() != ErrorCode::missing)
            return opened.error();
    }
    return ok();
}

}  // namespace

Result<std::vector<std::string>> list_names_at(const FilePath& path) {
    const auto folder = open_folder(path, path);
    if (!folder && folder.error().code() == ErrorCode::missing)
        return std::vector<std::string>();
    if (!folder)
        return folder.error();
    return list_names(*folder, path);
}

Status visit_folder(const std::string& folder, const FolderVisit& visit) {
    FARDEL_TRY_ASSIGN(const Descriptor opened, open_folder(folder, folder));
    return visit_entries(opened, {}, folder, visit);
}

Status remove_tree(const std::string& path) { return remove_entry(path, path); }

Result<std::string> absolute_path(std::string_view path) {
    if (is_absolute_path(path))
        return normal_path(path);
    std::error_code failure;
    const std::filesystem::path folder = std::filesystem::current_path(failure);
    if (failure)
        return system_error(failure, "the working folder");
    return normal_path(joined_path(utf8_of_path(folder), path));
}

Result<std::string> canonical_path(std::string_view path) {
    std::error_code failure;
    const auto found =
        std::filesystem::weakly_canonical(std::filesystem::absolute(path_from_utf8(path), failure), failure);
    if (failure)
        return system_error(failure, path);
    return normal_path(utf8_of_path(found));
}

Result<std::string> find_temporary_folder() {
    std::error_code failure;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
    if (failure)
        return system_error(failure, "the folder for temporary files");
    return utf8_of_path(folder);
}

}  // namespace fardel
