#include <fardel/base/own_program.h>

#include "system_call_windows.h"

#include <fardel/base/folder.h>

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
    const std::string beside = folder_of_path(find_own_path().value_or(std::string()));
    for (const std::string& folder : {beside, folder_of_path(beside) + "/libexec/fardel", installed})
        if (std::string path = joined_path(folder, std::string(name) + ".exe"); is_program(path))
            return path;
    return Error(ErrorCode::missing, std::string(purpose) + " needs the program " + std::string(name) +
                                         ".exe, which is neither beside the running program nor in " + installed +
                                         "; install Fardel's tools");
}

// There is no sandbox that would follow rules.
SandboxRules own_program_rules(const std::string&, const std::string&) { return {}; }

}  // namespace fardel
