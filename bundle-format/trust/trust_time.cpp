#include <fardel/format/trust_policy.h>

#include <fardel/base/clock.h>

#include <algorithm>

namespace fardel {

std::optional<std::uint64_t> TrustTime::now_s() const noexcept {
    switch (kind_) {
        case Kind::fixed: return now_s_;
        case Kind::ignored: return std::nullopt;
        case Kind::system: break;
    }
    return static_cast<std::uint64_t>(std::max<std::int64_t>(wall_clock_ns(), 0) / 1'000'000'000);
}

}  // namespace fardel
