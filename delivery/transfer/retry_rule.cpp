#include "transfer/retry_rule.h"

#include <algorithm>

namespace fardel {
namespace {

constexpr std::chrono::milliseconds kFirstWait{100};
constexpr std::chrono::milliseconds kLongestWait{5000};

// Whether the same server may answer differently the next time.
bool may_pass(ErrorCode code) noexcept {
    return code == ErrorCode::unreachable || code == ErrorCode::busy || code == ErrorCode::corrupt;
}
// Whether another server may answer differently.
bool may_differ(ErrorCode code) noexcept {
    return may_pass(code) || code == ErrorCode::missing || code == ErrorCode::denied || code == ErrorCode::malformed ||
           code == ErrorCode::untrusted || code == ErrorCode::io;
}

}  // namespace

std::optional<std::chrono::milliseconds> RetryRule::find_wait(ErrorCode code, unsigned failed) const noexcept {
    const bool again = (may_pass(code) && failed < attempts_max) || (may_differ(code) && failed < servers);
    if (!again)
        return std::nullopt;
    // The next server is asked at once; the same one again only after a while.
    const std::size_t rounds = failed / servers;
    if (rounds == 0)
        return std::chrono::milliseconds(0);
    return std::min(kLongestWait, kFirstWait * (1 << std::min<std::size_t>(rounds, 10)));
}

}  // namespace fardel
