#include <fardel/vfs/pure_policy.h>

#include <algorithm>

namespace fardel {

TrustRules without_recalled(TrustRules own, const PurePolicy& policy, std::span<const PureRecalls> followed) {
    const auto add = [](auto& all, const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
    for (const PureRecalls& recalls : followed) {
        // By the id, too: anybody can make a channel of any name, and a server cannot choose what withdraws content.
        if (std::ranges::find(policy.rules().channels, recalls.channel) == policy.rules().channels.end())
            continue;
        add(own.revoked_bundles, recalls.bundles);
        add(own.revoked_keys, recalls.keys);
    }
    return own;
}

}  // namespace fardel
