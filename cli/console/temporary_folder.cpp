#include "temporary_folder.h"

#include <fardel/base/folder.h>

namespace fardel {

Result<TemporaryFolder> TemporaryFolder::make() {
    constexpr std::string_view kSubject = "a temporary folder";
    FARDEL_TRY_ASSIGN(const std::string parent, find_temporary_folder());
    FARDEL_TRY_ASSIGN(std::string path, create_temporary_folder(joined_path(parent, "fardel-"), kSubject));
    return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
    if (!path_.empty())
        static_cast<void>(remove_tree(path_));
}

}  // namespace fardel
