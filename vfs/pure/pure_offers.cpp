#include <fardel/vfs/pure_check.h>

#include <utility>

namespace fardel {

void PureOffers::forget_expired(UnixTime now) {
    while (!by_expiry_.empty() && by_expiry_.begin()->first < now) {
        const Hash nonce = by_expiry_.begin()->second;
        by_expiry_.erase(by_expiry_.begin());
        const auto entry = entries_.find(nonce);
        const auto open = by_connection_.find(entry->second.connection);
        if (open != by_connection_.end() && open->second == nonce)
            by_connection_.erase(open);
        entries_.erase(entry);
    }
}

Status PureOffers::open(const Hash& nonce, const PureEpoch& epoch, const Hash& connection, UnixTime now,
                        UnixTime expires) {
    const std::scoped_lock lock(mutex_);
    if (entries_.contains(nonce))
        return Error(ErrorCode::conflict,
                     "pure offer: its nonce has been used before; is the source of random bytes broken?");
    if (entries_.size() >= offers_max_)
        forget_expired(now);
    if (entries_.size() >= offers_max_)
        return Error(ErrorCode::busy,
                     "pure offer: " + std::to_string(offers_max_) + " are open; try again when some have expired");
    if (const auto old = by_connection_.find(connection); old != by_connection_.end())
        entries_.at(old->second).claimed = true;
    by_connection_[connection] = nonce;
    by_expiry_.emplace(expires, nonce);
    entries_.emplace(nonce, Entry{.epoch = epoch, .connection = connection, .expires = expires, .claimed = false});
    return ok();
}

PureClaim PureOffers::claim(const Hash& nonce, const Hash& connection, UnixTime now) {
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
    if (now > entry.expires)
        return {.nonce = PureNonce::expired};
    return {.nonce = PureNonce::open, .epoch = entry.epoch};
}

}  // namespace fardel
