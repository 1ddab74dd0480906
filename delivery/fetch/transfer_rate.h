// TransferRate: how fast bytes have come in the last seconds, and how long the rest takes at this rate.
#pragma once

#include <fardel/delivery/fetch.h>

#include <chrono>
#include <cstdint>
#include <deque>

namespace fardel {

class TransferRate {
public:
    using Clock = std::chrono::steady_clock;

    // `received_bytes` so far, of `total_bytes`. The counts must not fall, and the times neither.
    FetchProgress progress(std::uint64_t received_bytes, std::uint64_t total_bytes,
                           Clock::time_point now = Clock::now());

private:
    struct Sample {
        Clock::time_point time;
        std::uint64_t received_bytes = 0;
    };
    std::deque<Sample> samples_;  // of the last seconds, the oldest first
};

}  // namespace fardel
