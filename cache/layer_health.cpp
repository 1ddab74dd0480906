#include "layer_health.h"

#include <algorithm>
#include <numeric>

namespace fardel {

void LayerHealth::add(std::chrono::microseconds took, std::uint64_t bytes, const Error* error) {
    if (is_out())
        return;
    errors_in_a_row_ = error != nullptr ? errors_in_a_row_ + 1 : 0;
    if (errors_in_a_row_ >= kErrorsInARow) {
        reason_ = std::to_string(kErrorsInARow) + " errors in a row, the last: " + error->text();
        return;
    }
    const std::chrono::microseconds for_bytes(bytes * 1'000'000 / kBytesPerSecond);
    took_.push_back(std::max(took - for_bytes, std::chrono::microseconds(0)));
    if (took_.size() > kAnswersRemembered)
        took_.pop_front();
    const auto sum = std::accumulate(took_.begin(), took_.end(), std::chrono::microseconds(0));
    const auto average = sum / static_cast<int>(std::max(took_.size(), kAnswersFewest));
    if (average > slow_)
        reason_ = "slow: " + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(average).count()) +
                  " ms per answer; at most " + std::to_string(slow_.count()) + " are accepted";
}

void LayerHealth::give_up(const Error& error) {
    if (!is_out())
        reason_ = error.text();
}

void LayerHealth::add_refusal(std::string_view reason) {
    if (refused_++ == 0)
        first_refusal_ = reason;
}

}  // namespace fardel
