#include <fardel/base/own_program.h>

namespace fardel {

const std::string_view kProgramEnding;

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
