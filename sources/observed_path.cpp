#include <fardel/sources/observed_path.h>

#include <fardel/base/file.h>
#include <fardel/base/folder.h>

namespace fardel {
namespace {

PathStamp stamp_at(const std::string& path, std::int64_t now_ns) {
    const auto status = find_file_status(path, path);
    return status && *status ? stamp_of(**status, now_ns) : PathStamp{};
}

std::optional<std::string> find_changed(const ObservedPath& seen, std::int64_t now_ns) {
    if (seen.files.empty())
        return is_unchanged(seen.stamp, stamp_at(seen.path, now_ns)) ? std::nullopt : std::optional(seen.path);
    const auto folder = open_folder(seen.path, seen.path, {.location_only = true});
    if (!folder)
        return seen.path;
    if (const auto status = file_status(*folder, seen.path);
        !status || !is_unchanged(seen.stamp, stamp_of(*status, now_ns)))
        return seen.path;
    for (const ObservedFile& file : seen.files) {
        const auto status = find_file_status({*folder, file.name}, file.name, Links::refused);
        if (!status || !*status || !is_unchanged(file.stamp, stamp_of(**status, now_ns)))
            return seen.path + '/' + file.name;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> find_changed(std::span<const ObservedPath> paths) {
    // Later than all times that are compared, so that no current stamp is young.
    constexpr std::int64_t kLater = INT64_MAX;
    for (const ObservedPath& seen : paths)
        if (auto changed = find_changed(seen, kLater))
            return changed;
    return std::nullopt;
}

}  // namespace fardel
