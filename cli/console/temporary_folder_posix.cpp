#include "temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace fardel {

Result<TemporaryFolder> TemporaryFolder::make() {
    std::error_code error;
    std::string pattern = (std::filesystem::temp_directory_path(error) / "fardel-XXXXXX").string();
    if (error || ::mkdtemp(pattern.data()) == nullptr) {
        const std::error_code why = error ? error : std::error_code(errno, std::generic_category());
        return Error(why == std::errc::permission_denied    ? ErrorCode::denied
                     : why == std::errc::no_space_on_device ? ErrorCode::no_space
                                                            : ErrorCode::io,
                     "cannot create a temporary folder: " + why.message());
    }
    return TemporaryFolder(std::move(pattern));
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty())
        std::filesystem::remove_all(path_, ignored);
}

}  // namespace fardel
