// ProgressBar: a line on standard error that shows the progress of long work if standard error is a terminal. The line
// is cleared at the end.
#pragma once

#include "console.h"

#include <chrono>
#include <cstdint>
#include <optional>
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

    // May be called any number of times; draws at a bounded rate, and never more than fits into a line. `detail`: "12
    // of 99 files", without control characters. With `bytes`, which were worked on so far, their rate and the time that
    // is left are shown, too.
    void show(std::uint64_t done, std::uint64_t total, std::string_view detail,
              std::optional<std::uint64_t> bytes = {});
    // The same where bytes are what is counted: "14.2 MB of 1.3 GB, …".
    void show_bytes(std::uint64_t done_bytes, std::uint64_t total_bytes);
    // Clears the line, for other output; the next show() draws it again.
    void hide();

private:
    using Clock = std::chrono::steady_clock;
    std::string rate_text(double share, std::uint64_t bytes) const;
    Console& console_;
    std::string what_;
    const Clock::time_point began_;
    Clock::time_point next_;
    bool drawn_ = false;
};

}  // namespace fardel
