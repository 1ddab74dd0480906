#include <fardel/base/own_program.h>

#include <fardel/base/file.h>
#include <fardel/base/path_text.h>
#include <fardel/base/utf8_path.h>

#include <filesystem>
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
        const std::filesystem::path self = path_from_utf8(*own);
        folders.push_back(utf8_of_path(self.parent_path()));
        folders.push_back(utf8_of_path(self.parent_path().parent_path()) + "/libexec/fardel");
    }
    folders.push_back(installed);
    for (const std::string& folder : folders)
        if (const std::string path = joined_path(folder, name); is_program(path))
            return path;
    return Error(ErrorCode::missing, std::string(purpose) + " needs the program " + std::string(name) +
                                         ", which is neither beside the running program nor in " + installed +
                                         "; install Fardel's tools");
}

SandboxRules own_program_rules(const std::string& program, const std::string& folder) {
    // Libraries may be mapped and the dynamic linker started, but no program below /usr: a decoder that was taken over
    // finds no shell.
    SandboxRules rules{.readable = {program, "/lib", "/lib32", "/lib64", "/libx32"},
                       .read_write = {"/dev/null"},
                       .unstartable = {"/usr", "/opt", "/etc/ld.so.cache", "/proc/meminfo", "/sys/devices/system/cpu"},
                       .fixed_attributes = true};
    if (!folder.empty())
        rules.read_write.push_back(folder);
    return rules;
}

}  // namespace fardel
