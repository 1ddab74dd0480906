#include <fardel/base/random.h>

#include <random>

namespace fardel {

void fill_random(std::span<std::byte> out) noexcept {
    std::random_device device;
    for (std::byte& one : out)
        one = static_cast<std::byte>(device() & 0xff);
}

}  // namespace fardel
