#include "delta/content_sketch.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kSampleMask = 0x1ff;  // one of 512 positions, which their content chooses
constexpr std::size_t kKeptMax = 4096;

// splitmix64: numbers without a pattern, the same everywhere.
constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
    value += 0x9e37'79b9'7f4a'7c15;
    value = (value ^ value >> 30) * 0xbf58'476d'1ce4'e5b9;
    value = (value ^ value >> 27) * 0x94d0'49bb'1331'11eb;
    return value ^ value >> 31;
}

constexpr std::array<std::uint64_t, 256> kOfByte = [] {
    std::array<std::uint64_t, 256> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = mixed(i);
    return numbers;
}();

}  // namespace

void ContentSketch::add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
        rolling_ = (rolling_ << 1) + kOfByte[static_cast<std::size_t>(byte)];
        if ((rolling_ >> 48 & kSampleMask) == 0)
            numbers_.push_back(mixed(rolling_));
        if (numbers_.size() == kKeptMax)
            keep_smallest();
    }
}

void ContentSketch::keep_smallest() {
    std::ranges::sort(numbers_);
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    numbers_.resize(std::min(numbers_.size(), kNumbersMax));
}

std::vector<std::uint64_t> ContentSketch::finish() && {
    keep_smallest();
    return std::move(numbers_);
}

}  // namespace fardel
