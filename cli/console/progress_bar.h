// ProgressBar: one line on standard error that shows how far long work is, for people who watch; gone when it ends.
#pragma once

#include "console.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace fardel {

class ProgressBar {
public:
    // Shows nothing when nobody watches, and nothing in the first moments.
    ProgressBar(Console& console, std::string_view what);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    // As often as you like. `detail`: "12 of 99 files"; safe to show.
    void show(std::uint64_t done, std::uint64_t total, std::string_view detail);

private:
    using Clock = std::chrono::steady_clock;
    Console& console_;
    std::string what_;
    Clock::time_point next_;
    bool drawn_ = false;
};

}  // namespace fardel
