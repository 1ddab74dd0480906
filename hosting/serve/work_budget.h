// WorkBudget: how much work clients may bring about by asking, counted in what the work costs (bytes that are
// compressed or read), and not in how many ask. What was not used is saved up to a limit. Time is an argument. Any
// thread.
#pragma once

#include <fardel/base/clock.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace fardel {

class WorkBudget {
public:
    WorkBudget(std::uint64_t saved_max, std::uint64_t per_second, SteadyTime now)
        : saved_max_(static_cast<double>(saved_max)),
          per_second_(static_cast<double>(per_second)),
          saved_(saved_max_),
          counted_(now) {}

    // Returns false, and spends nothing, if that is more than there is now.
    bool try_spend(std::uint64_t cost, SteadyTime now) {
        const std::scoped_lock lock(mutex_);
        const std::chrono::duration<double> elapsed = now - counted_;
        saved_ = std::min(saved_max_, saved_ + elapsed.count() * per_second_);
        counted_ = now;
        if (static_cast<double>(cost) > saved_)
            return false;
        saved_ -= static_cast<double>(cost);
        return true;
    }

private:
    const double saved_max_;
    const double per_second_;
    std::mutex mutex_;
    double saved_;
    SteadyTime counted_;
};

}  // namespace fardel
