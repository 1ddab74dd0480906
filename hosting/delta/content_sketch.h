// ContentSketch: a few numbers that two files have in common if parts of them are equal, wherever these lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// Takes the bytes of one file in order.
class ContentSketch {
public:
    static constexpr std::size_t kNumbersMax = 24;

    void add(std::span<const std::byte> bytes);
    // Returns at most kNumbersMax numbers, ascending. Small files have none.
    std::vector<std::uint64_t> finish() &&;

private:
    void keep_smallest();

    std::uint64_t rolling_ = 0;  // of the last 64 bytes
    std::vector<std::uint64_t> numbers_;
};

}  // namespace fardel
