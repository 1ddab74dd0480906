#include "temporary_folder.h"

#include <fardel/base/folder.h>
#include <fardel/base/system_error.h>

#include <filesystem>
#include <system_error>

namespace fardel {

Result<TemporaryFolder> TemporaryFolder::make() {
    constexpr std::string_view kSubject = "a temporary folder";
    std::error_code failure;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(failure);
    if (failure)
        return system_error(failure, kSubject);
    FARDEL_TRY_ASSIGN(std::string path, create_temporary_folder((parent / "fardel-").string(), kSubject));
    return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty())
        std::filesystem::remove_all(path_, ignored);
}

}  // namespace fardel
