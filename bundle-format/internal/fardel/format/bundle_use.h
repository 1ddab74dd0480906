// What a trust policy says about a bundle that Bundle::open accepted, besides its signatures.
//
// One decision for all who ask: mounts, fetches, channels, registries, servers and `fardel trust test` call these
// functions, so that none of them accepts what another one refuses. A licence token is not asked for here: it may come
// after the bundle, and Bundle::verify_license asks for it when the bundle is mounted.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/trust_policy.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

class Bundle;

// The time by which the dates in metadata (`expires`) of a bundle and its assets are judged; nothing: by none. Reads
// the clock if the time is the system's.
std::optional<UnixTime> content_time(const TrustPolicy* policy, const TrustTime& time);

// Whether the bundle may be used under the policy with which it was opened: its content has not expired, unless the
// policy allows that, and its names show no class of content that its signers may not bring. Reads tables and no block,
// so who fetches asks before any content. Errors: expired, denied; those of reading the tables.
Status verify_use(const Bundle& bundle, const TrustPolicy* policy, const TrustTime& time);

// The same, and the first bytes of each asset: who publishes asks, because no reader would open such an asset. Errors:
// those of verify_use and of reading the content.
Status verify_content_use(const Bundle& bundle, const TrustPolicy* policy, const TrustTime& time);

// Published names outside the bounds of a rule of a policy. No tree shows them; nothing is refused.
struct HiddenNames {
    std::uint64_t count = 0;
    std::vector<std::string> first;  // at most 10, in quotes and safe to show
    std::string bounds;              // NameScope::describe()

    std::string describe() const;  // one sentence, without a full stop
};
// `rule`: the verdict's, or that by which the bundle is signed. Without one, nothing is hidden.
Result<HiddenNames> find_hidden_names(const Bundle& bundle, const std::optional<AllowRule>& rule);

}  // namespace fardel
