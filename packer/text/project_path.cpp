#include <fardel/packer/project_path.h>

#include <fardel/base/path_text.h>

namespace fardel {

std::string path_in_project(const std::string& folder, const std::string& path) {
    // The source "." of a project is shown as the folder itself.
    return path == "." && !folder.empty() ? folder : joined_path(folder, path);
}

}  // namespace fardel
