// ProgressBar: a line on standard error that shows the progress of long work if standard error is a terminal. The line
// is cleared at the end.
#pragma once

#include "console.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace fardel {

class ProgressBar {
public:
    // Shows nothing during the first moments. `what`: "verifying".
    ProgressBar(Console& console, std::string_view what);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    // May be called any number of times; draws at a bounded rate. `detail`: "12 of 99 files", without control
    // characters.
    void show(std::uint64_t done, std::uint64_t total, std::string_view detail);
    // Clears the line, for other output; the next show() draws it again.
    void hide();

private:
    using Clock = std::chrono::steady_clock;
    Console& console_;
    std::string what_;
    Clock::time_point next_;
    bool drawn_ = false;
};

}  // namespace fardel
