// The canonical form of a text that parses as a policy has the same rules and is its own canonical form.
#include "require.h"

#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>

#include <cstdint>

using namespace fardel;

int fuzz_trust_policy(const std::uint8_t* data, std::size_t size) {
    const auto policy = TrustPolicy::parse({reinterpret_cast<const char*>(data), size});
    if (!policy) {
        require(printable(policy.error().message(), 1000) == policy.error().message());
        return 0;
    }
    const std::string text = policy->format();
    const auto again = TrustPolicy::parse(text);
    require(again.has_value());
    require(again->rules() == policy->rules() && again->format() == text);
    require(TrustPolicy::make(policy->rules()).has_value());
    return 0;
}
