#include <fardel/base/own_program.h>

#include <fardel/base/file.h>
#include <fardel/base/path_text.h>

#include <vector>

namespace fardel {

bool is_program(const std::string& path) {
    const auto status = find_file_status(path, {});
    return status && *status && (*status)->is_file() && may_execute(path);
}

Result<std::string> find_own_program(std::string_view name, const std::string& wanted, const std::string& installed,
                                     std::string_view purpose) {
    if (!wanted.empty())
        return is_program(wanted) ? Result<std::string>(wanted)
                                  : Error(ErrorCode::missing, "there is no program '" + wanted + "'");
    std::vector<std::string> folders;
    if (const auto own = find_own_path()) {
        const std::string beside = folder_of_path(*own);
        folders.push_back(beside);
        folders.push_back(joined_path(folder_of_path(beside), "libexec/fardel"));
    }
    folders.push_back(installed);
    const std::string file = std::string(name) + std::string(kProgramEnding);
    for (const std::string& folder : folders)
        if (std::string path = joined_path(folder, file); is_program(path))
            return path;
    return Error(ErrorCode::missing, std::string(purpose) + " needs the program " + file +
                                         ", which is neither beside the running program nor in " + installed +
                                         "; install Fardel's tools");
}

}  // namespace fardel
