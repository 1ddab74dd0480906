#include <fardel/base/core_number.h>

namespace fardel {

std::size_t core_number() noexcept { return 0; }
std::size_t core_slots() noexcept { return 1; }

}  // namespace fardel
