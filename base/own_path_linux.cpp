#include <fardel/base/own_program.h>
#include <fardel/base/utf8_path.h>

#include <filesystem>
#include <system_error>

namespace fardel {

std::optional<std::string> find_own_path() {
    std::error_code failure;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
    return failure ? std::nullopt : std::optional(utf8_of_path(self));
}

}  // namespace fardel
