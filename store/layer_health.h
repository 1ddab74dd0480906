// LayerHealth: when a layer that fails or is slow is to be asked no more. Pure; one thread at a time.
#pragma once

#include <fardel/format/result.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace fardel {

class LayerHealth {
public:
    static constexpr std::size_t kAnswersRemembered = 8;
    static constexpr std::size_t kAnswersFewest = 4;  // the first ones count as if quick ones had gone before
    static constexpr int kErrorsInARow = 3;
    static constexpr std::uint64_t kBytesPerSecond = 8u << 20;  // so fast, many bytes are not slow

    explicit LayerHealth(std::chrono::milliseconds slow) : slow_(slow) {}

    // An answer that took so long and brought so many bytes; `error`: nullptr, or what it was instead.
    void add(std::chrono::microseconds took, std::uint64_t bytes, const Error* error);
    // No further question: denied, no_space.
    void give_up(const Error& error);

    bool is_out() const noexcept { return !reason_.empty(); }
    const std::string& reason() const noexcept { return reason_; }

private:
    const std::chrono::milliseconds slow_;
    std::deque<std::chrono::microseconds> took_;
    int errors_in_a_row_ = 0;
    std::string reason_;
};

}  // namespace fardel
