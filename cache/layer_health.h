// LayerHealth: decides when a layer that fails or is slow is no longer used, and counts its refused records. Pure; one
// thread at a time.
#pragma once

#include <fardel/base/result.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace fardel {

class LayerHealth {
public:
    static constexpr std::size_t kAnswersRemembered = 8;
    static constexpr std::size_t kAnswersFewest = 4;  // fewer are averaged as if instant answers had come before
    static constexpr int kErrorsInARow = 3;
    static constexpr std::uint64_t kBytesPerSecond = 8u << 20;  // large answers at this speed do not count as slow

    explicit LayerHealth(std::chrono::milliseconds slow) : slow_(slow) {}

    // Records an answer: its duration and the number of bytes, or its error.
    void add(std::chrono::microseconds took, std::uint64_t bytes, const Error* error);
    // Stops using the layer at once, for an error that will not go away.
    void give_up(const Error& error);
    // Counts a record that was refused for what it says or who signed it. The layer stays in use: others of its records
    // may be good, and one that must be written again is replaced.
    void add_refusal(std::string_view reason);

    bool is_out() const noexcept { return !reason_.empty(); }
    const std::string& reason() const noexcept { return reason_; }
    std::uint64_t refused() const noexcept { return refused_; }
    const std::string& first_refusal() const noexcept { return first_refusal_; }

private:
    const std::chrono::milliseconds slow_;
    std::deque<std::chrono::microseconds> took_;
    int errors_in_a_row_ = 0;
    std::string reason_;
    std::uint64_t refused_ = 0;
    std::string first_refusal_;
};

}  // namespace fardel
