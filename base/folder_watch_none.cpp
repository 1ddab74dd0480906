// For systems on which watching folders is not implemented.
#include <fardel/base/folder_watch.h>

namespace fardel {

Result<std::unique_ptr<FolderWatch>> watch_folder(const std::string& path, std::string_view) {
    return Error(ErrorCode::unsupported, path + ": folders cannot be watched on this system; call refresh() instead");
}

}  // namespace fardel
