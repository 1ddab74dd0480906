#include "threshold.h"

#include <algorithm>
#include <cassert>

namespace fardel {

// Hall's theorem: such a choice exists if and only if every set of roles together has at least as many distinct keys as
// the sum of its thresholds.
bool thresholds_met(std::span<const RoleKeys> roles) {
    assert(roles.size() <= 8);
    for (unsigned set = 1; set < 1u << roles.size(); ++set) {
        std::uint64_t wanted = 0;
        std::vector<PublicKey> keys;
        for (std::size_t i = 0; i < roles.size(); ++i) {
            if ((set >> i & 1) == 0)
                continue;
            wanted += roles[i].threshold;
            keys.insert(keys.end(), roles[i].keys.begin(), roles[i].keys.end());
        }
        std::ranges::sort(keys);
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        if (keys.size() < wanted)
            return false;
    }
    return true;
}

}  // namespace fardel
