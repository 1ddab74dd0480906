// Where the system's way of watching folders is not known yet.
#include "folder_watch.h"

namespace fardel {

Result<std::unique_ptr<FolderWatch>> watch_folder(const std::string& path) {
    return Error(ErrorCode::unsupported, path + ": folders cannot be watched on this system; call refresh() instead");
}

}  // namespace fardel
