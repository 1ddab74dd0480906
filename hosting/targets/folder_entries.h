// What is in one folder of a tree, and walks through folders of which a target lists one at a time.
#pragma once

#include <fardel/base/result.h>
#include <fardel/hosting/tree_target.h>

#include <functional>
#include <string>
#include <vector>

namespace fardel {

// Both in the order of their paths below the tree.
struct FolderEntries {
    std::vector<TreeFile> files;
    std::vector<std::string> folders;
};

// Returns the files in the folder and in all folders below it, in the order of their paths. What is listed is
// untrusted: folders may contain themselves. Errors: limit (more than kTreeFoldersMax folders), those of `list`.
Result<std::vector<TreeFile>> list_folders_below(
    const std::string& folder, const std::function<Result<FolderEntries>(const std::string& folder)>& list);

}  // namespace fardel
