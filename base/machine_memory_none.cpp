#include <fardel/base/machine_memory.h>

namespace fardel {

std::optional<std::uint64_t> find_machine_memory() { return std::nullopt; }

}  // namespace fardel
