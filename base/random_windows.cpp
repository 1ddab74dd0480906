#include <fardel/base/random.h>

#include "system_call_windows.h"

#include <bcrypt.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace fardel {

void fill_random(std::span<std::byte> out) noexcept {
    while (!out.empty()) {
        const auto some = out.first(std::min<std::size_t>(out.size(), std::numeric_limits<ULONG>::max()));
        if (::BCryptGenRandom(nullptr, reinterpret_cast<PUCHAR>(some.data()), static_cast<ULONG>(some.size()),
                              BCRYPT_USE_SYSTEM_PREFERRED_RNG) < 0)
            std::abort();  // a system without random numbers: a nonce that can be guessed would be worse
        out = out.subspan(some.size());
    }
}

}  // namespace fardel
