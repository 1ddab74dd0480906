#include <fardel/packer/project_path.h>

#include <filesystem>

namespace fardel {

std::string path_in_project(const std::string& folder, const std::string& path) {
    return (std::filesystem::path(folder) / path).string();
}

}  // namespace fardel
