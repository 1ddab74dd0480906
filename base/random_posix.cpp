#include <fardel/base/random.h>

#include <sys/random.h>

#include <algorithm>
#include <cstdlib>

namespace fardel {

void fill_random(std::span<std::byte> out) noexcept {
    constexpr std::size_t kBytesPerCall = 256;  // getentropy() gives no more at once
    while (!out.empty()) {
        const auto some = out.first(std::min(out.size(), kBytesPerCall));
        if (getentropy(some.data(), some.size()) != 0)
            std::abort();  // a system without random numbers: a nonce that can be guessed would be worse
        out = out.subspan(some.size());
    }
}

}  // namespace fardel
