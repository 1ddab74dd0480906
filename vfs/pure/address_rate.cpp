#include "address_rate.h"

#include <algorithm>

namespace fardel {

constexpr std::uint64_t kSecond_us = 1'000'000;

AddressRate::AddressRate(std::uint32_t per_minute, std::uint32_t at_once, std::size_t addresses_max)
    : interval_us_(60 * kSecond_us / std::max(per_minute, 1u)),
      ahead_max_us_((std::max(at_once, 1u) - 1) * interval_us_),
      addresses_max_(addresses_max) {}

// Each question keeps an address busy for one interval.
bool AddressRate::spend_interval(std::uint64_t& busy_until_us, std::uint64_t now_us) const {
    const std::uint64_t begin_us = std::max(busy_until_us, now_us);
    if (begin_us - now_us > ahead_max_us_)
        return false;
    busy_until_us = begin_us + interval_us_;
    return true;
}

bool AddressRate::try_spend(const Hash& address, UnixTime now) {
    const std::uint64_t now_us = now.seconds * kSecond_us;
    const std::scoped_lock lock(mutex_);
    while (!by_time_.empty() && by_time_.begin()->first <= now_us) {
        busy_until_us_.erase(by_time_.begin()->second);
        by_time_.erase(by_time_.begin());
    }
    const auto known = busy_until_us_.find(address);
    // With forged addresses anybody could fill the memory: above the limit, new addresses share one budget.
    if (known == busy_until_us_.end() && busy_until_us_.size() >= addresses_max_)
        return spend_interval(others_busy_until_us_, now_us);
    const std::uint64_t before_us = known != busy_until_us_.end() ? known->second : 0;
    std::uint64_t until_us = before_us;
    if (!spend_interval(until_us, now_us))
        return false;
    by_time_.erase({before_us, address});
    by_time_.emplace(until_us, address);
    busy_until_us_[address] = until_us;
    return true;
}

}  // namespace fardel
