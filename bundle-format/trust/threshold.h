// Decides whether enough distinct keys have signed: one key counts once, whatever labels and roles it has
// (tests/ATTACKS.md, A55).
#pragma once

#include <fardel/format/ids.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

struct RoleKeys {
    std::uint32_t threshold;
    std::vector<PublicKey> keys;  // in any order; repeated ones count once
};

// Whether each role can be given `threshold` of the keys that signed for it so that no key serves two roles. At most 8
// roles.
bool thresholds_met(std::span<const RoleKeys> roles);

}  // namespace fardel
