// RateLimit: how many bytes all transfers together may receive. A transfer that would receive more is paused; TCP tells
// its server. Time is an argument. One thread at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace fardel {

class RateLimit {
public:
    using Clock = std::chrono::steady_clock;

    // 0: no limit.
    RateLimit(std::uint64_t bytes_per_second, Clock::time_point now)
        : bytes_per_second_(bytes_per_second), paid_(now) {}

    // Returns false if the bytes must wait.
    bool try_spend(std::uint64_t bytes) noexcept {
        if (bytes_per_second_ != 0 && spent_ > 0)
            return false;
        spent_ += static_cast<double>(bytes);
        return true;
    }

    // How long nothing must be received from now on; 0 without a limit.
    std::chrono::milliseconds pause(Clock::time_point now) noexcept {
        if (bytes_per_second_ == 0)
            return std::chrono::milliseconds(0);
        const double rate = static_cast<double>(bytes_per_second_);
        const double elapsed = std::chrono::duration<double>(now - std::exchange(paid_, now)).count();
        spent_ = std::max(spent_ - elapsed * rate, -kSavedSeconds * rate);
        if (spent_ <= 0)
            return std::chrono::milliseconds(0);
        return std::min(kLongestPause,
                        std::chrono::milliseconds(1 + static_cast<int>(std::min(1000 * spent_ / rate, 1000.0))));
    }

private:
    static constexpr std::chrono::milliseconds kLongestPause{50};  // so that a stop is noticed soon
    // The share of this time that was not used may be used later: on a busy machine, a thread may wait that long for a
    // processor. So after a pause, this much may come at once.
    static constexpr double kSavedSeconds = 0.25;
    const std::uint64_t bytes_per_second_;
    double spent_ = 0;  // bytes that time has not paid for yet
    Clock::time_point paid_;
};

}  // namespace fardel
