#include <fardel/format/random.h>

#include "secure_memory.h"

namespace fardel {

void fill_random(std::span<std::byte> out) noexcept {
    start_sodium();
    randombytes_buf(out.data(), out.size());
}

}  // namespace fardel
