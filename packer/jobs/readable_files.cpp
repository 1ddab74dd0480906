#include "readable_files.h"

#include <fardel/base/path_text.h>

#include <fardel/base/folder.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::string_view kSystemFolders[] = {"/usr", "/lib",  "/lib32", "/lib64", "/libx32",
                                               "/bin", "/sbin", "/etc",   "/opt"};
constexpr std::string_view kKernelFolders[] = {"/proc", "/sys", "/dev"};

}  // namespace

std::vector<std::string> readable_files(const Processor& processor, const ProgramPlace& program,
                                        const std::string& project_folder) {
    std::vector<std::string> files(std::begin(kSystemFolders), std::end(kSystemFolders));
    // The folder of a program is readable, unless the project or a part of it lies there.
    const std::string folder = folder_of_path(program.path);
    const bool has_project = program.in_project || is_at_or_below_path(folder, project_folder);
    files.push_back(has_project ? program.path : folder);
    for (const std::string& file : processor.code)
        files.push_back(joined_path(project_folder, file));
    return files;
}

bool is_of_kernel(std::string_view path) {
    return std::ranges::any_of(kKernelFolders,
                               [&](std::string_view folder) { return is_at_or_below_path(folder, path); });
}

}  // namespace fardel
