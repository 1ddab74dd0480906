#include "fetch/transfer_rate.h"

#include <algorithm>

namespace fardel {
namespace {

constexpr std::chrono::milliseconds kSampled{200};
constexpr std::chrono::seconds kRemembered{5};
constexpr std::chrono::milliseconds kKnownAfter{500};

}  // namespace

FetchProgress TransferRate::progress(std::uint64_t received_bytes, std::uint64_t total_bytes, Clock::time_point now) {
    if (samples_.empty() || now - samples_.back().time >= kSampled)
        samples_.push_back({now, received_bytes});
    while (samples_.size() > 1 && now - samples_.front().time > kRemembered)
        samples_.pop_front();
    FetchProgress progress{.received_bytes = received_bytes, .total_bytes = total_bytes};
    const auto elapsed = now - samples_.front().time;
    if (elapsed < kKnownAfter)
        return progress;
    const double seconds = std::chrono::duration<double>(elapsed).count();
    const auto bytes = static_cast<double>(received_bytes - samples_.front().received_bytes);
    progress.bytes_per_second = static_cast<std::uint64_t>(bytes / seconds);
    const std::uint64_t rest = total_bytes - std::min(total_bytes, received_bytes);
    if (progress.bytes_per_second != 0)
        progress.seconds_left = rest / progress.bytes_per_second;
    return progress;
}

}  // namespace fardel
