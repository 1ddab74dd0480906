#include <fardel/base/user_folder.h>

namespace fardel {

std::optional<std::string> find_user_folder(UserFolder) { return std::nullopt; }

}  // namespace fardel
