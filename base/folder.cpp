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

}  // namespace

Result<std::vector<std::string>> list_names_at(const FilePath& path) {
    const auto folder = open_folder(path, path);
    if (!folder && folder.error().code() == ErrorCode::missing)
        return std::vector<std::string>();
    if (!folder)
        return folder.error();
    return list_names(*folder, path);
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
    return utf8_of_path(found);
}

Result<std::string> find_temporary_folder() {
    std::error_code failure;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
    if (failure)
        return system_error(failure, "the folder for temporary files");
    return utf8_of_path(folder);
}

}  // namespace fardel
