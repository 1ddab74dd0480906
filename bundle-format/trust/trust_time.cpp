#include <fardel/format/trust_policy.h>

#include <fardel/base/clock.h>

namespace fardel {

std::optional<UnixTime> TrustTime::now() const noexcept {
    switch (kind_) {
        case Kind::fixed: return now_;
        case Kind::ignored: return std::nullopt;
        case Kind::system: break;
    }
    return system_now();
}

}  // namespace fardel
