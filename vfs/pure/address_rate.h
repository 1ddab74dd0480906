// AddressRate: how often each address may ask. An address may ask `at_once` times, and then so often per minute as was
// chosen. The memory is bounded: addresses that ask while the table is full count as one address. Any thread.
#pragma once

#include <fardel/base/unix_time.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace fardel {

class AddressRate {
public:
    // All at least 1.
    AddressRate(std::uint32_t per_minute, std::uint32_t at_once, std::size_t addresses_max);

    // Whether it may ask now; what is refused does not count.
    bool try_spend(const Hash& address, UnixTime now);

private:
    bool spend_interval(std::uint64_t& busy_until_us, std::uint64_t now_us) const;

    const std::uint64_t interval_us_;
    const std::uint64_t ahead_max_us_;
    const std::size_t addresses_max_;
    std::mutex mutex_;
    // An address is forgotten when it has asked no more often than the average: when this time has come.
    std::map<Hash, std::uint64_t> busy_until_us_;
    std::set<std::pair<std::uint64_t, Hash>> by_time_;
    std::uint64_t others_busy_until_us_ = 0;
};

}  // namespace fardel
