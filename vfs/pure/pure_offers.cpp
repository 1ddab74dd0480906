#include <fardel/vfs/pure_check.h>

#include <utility>

namespace fardel {

void PureOffers::forget_expired(std::uint64_t now_s) {
    while (!by_expiry_.empty() && by_expiry_.begin()->first < now_s) {
        const Hash nonce = by_expiry_.begin()->second;
        by_expiry_.erase(by_expiry_.begin());
        const auto entry = entries_.find(nonce);
        const auto open = by_connection_.find(entry->second.connection);
        if (open != by_connection_.end() && open->second == nonce)
            by_connection_.erase(open);
        entries_.erase(entry);
    }
}

Status PureOffers::open(const Hash& nonce, const PureEpoch& epoch, const Hash& connection, std::uint64_t now_s,
                        std::uint64_t expires_s) {
    const std::scoped_lock lock(mutex_);
    if (entries_.contains(nonce))
        return Error(ErrorCode::conflict,
                     "pure offer: its nonce has been used before; is the source of random bytes broken?");
    if (entries_.size() >= offers_max_)
        forget_expired(now_s);
    if (entries_.size() >= offers_max_)
        return Error(ErrorCode::busy,
                     "pure offer: " + std::to_string(offers_max_) + " are open; try again when some have expired");
    if (const auto old = by_connection_.find(connection); old != by_connection_.end())
        entries_.at(old->second).claimed = true;
    by_connection_[connection] = nonce;
    by_expiry_.emplace(expires_s, nonce);
    entries_.emplace(nonce, Entry{.epoch = epoch, .connection = connection, .expires_s = expires_s, .claimed = false});
    return ok();
}

PureClaim PureOffers::claim(const Hash& nonce, const Hash& connection, std::uint64_t now_s) {
    const std::scoped_lock lock(mutex_);
    const auto at = entries_.find(nonce);
    if (at == entries_.end())
        return {.nonce = PureNonce::unknown};
    Entry& entry = at->second;
    if (entry.connection != connection)
        return {.nonce = PureNonce::other_connection};
    if (std::exchange(entry.claimed, true))
        return {.nonce = PureNonce::replayed};
    by_connection_.erase(connection);
    if (now_s > entry.expires_s)
        return {.nonce = PureNonce::expired};
    return {.nonce = PureNonce::open, .epoch = entry.epoch};
}

}  // namespace fardel
