#include <fardel/base/user_folder.h>

namespace fardel {

std::optional<std::string> find_user_folder(UserFolder) { return std::nullopt; }
std::optional<std::string> find_home_folder() { return std::nullopt; }
std::optional<std::string> find_machine_folder() { return std::nullopt; }

}  // namespace fardel
