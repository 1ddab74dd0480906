#include <fardel/base/own_program.h>

namespace fardel {

std::optional<std::string> find_own_path() { return std::nullopt; }

}  // namespace fardel
