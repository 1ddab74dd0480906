#include "targets/folder_entries.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fardel {

Result<std::vector<TreeFile>> list_folders_below(
    const std::string& folder, const std::function<Result<FolderEntries>(const std::string& folder)>& list) {
    std::vector<TreeFile> files;
    std::vector<std::string> folders{folder};
    for (std::size_t next = 0; next < folders.size(); ++next) {
        FARDEL_TRY_ASSIGN(FolderEntries entries, list(folders[next]));
        std::ranges::move(entries.files, std::back_inserter(files));
        if (entries.folders.size() > kTreeFoldersMax - folders.size())
            return Error(ErrorCode::limit, "below the folder " + folder + " are more than " +
                                               std::to_string(kTreeFoldersMax) + " folders");
        std::ranges::move(entries.folders, std::back_inserter(folders));
    }
    std::ranges::sort(files, {}, &TreeFile::path);
    return files;
}

}  // namespace fardel
