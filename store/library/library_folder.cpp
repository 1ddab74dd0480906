#include "library/library_folder.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/head.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kBundleFileEnding = ".fardel";

// Reads the head of a file. Returns nothing if there is no file of that name, or if it cannot be read now.
std::optional<LibraryEntry> read_library_file(const Descriptor& folder, const std::string& name) {
    const std::int64_t now_ns = wall_clock_ns();
    const auto file = open_regular_file({folder, name}, name, {.links = Links::refused});
    if (!file)
        return std::nullopt;
    LibraryEntry entry{.name = name, .stamp = stamp_of(file->status, now_ns), .bundle = std::nullopt};
    HeadBytes head{};
    const auto count = read_whole_at(file->descriptor, 0, head, name);
    if (!count)
        return std::nullopt;
    if (*count == head.size() && decode_head(head))
        entry.bundle = bundle_id(head);
    return entry;
}

}  // namespace

Result<LibraryScan> scan_library_folder(const std::string& path, const LibraryIndex& known) {
    FARDEL_TRY_ASSIGN(const Descriptor folder, open_folder(path, path));
    FARDEL_TRY_ASSIGN(auto names, list_names(folder, path));
    std::erase_if(names, [](const std::string& name) { return !name.ends_with(kBundleFileEnding); });
    if (names.size() > kLibraryFilesMax)
        return Error(ErrorCode::limit,
                     path + ": a folder of a library has at most " + std::to_string(kLibraryFilesMax) + " files");
    LibraryScan scan;
    scan.files.reserve(names.size());
    std::size_t unchanged = 0;
    auto before = known.begin();  // both are in the order of names
    for (const std::string& name : names) {
        while (before != known.end() && before->name < name)
            ++before;
        const auto status = find_file_status({folder, name}, name, Links::refused);
        if (!status || !*status || !(*status)->is_file())
            continue;
        // What is young is never in the index, so that the age of this stamp does not matter.
        if (before != known.end() && before->name == name && before->stamp == stamp_of(**status, INT64_MAX)) {
            scan.files.push_back(*before);
            ++unchanged;
            continue;
        }
        ++scan.heads;
        if (auto entry = read_library_file(folder, name))
            scan.files.push_back(*std::move(entry));
    }
    scan.is_remembered = unchanged == known.size() && scan.heads == 0;
    return scan;
}

}  // namespace fardel
