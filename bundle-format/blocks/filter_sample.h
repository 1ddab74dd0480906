// FilterSample: the part of a block on which filters are tried.
#pragma once

#include <fardel/format/manifest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// Reads `raw` as long as it lives.
class FilterSample {
public:
    // 16 KiB choose nearly as well as the whole of a block (docs/performance.md).
    static constexpr std::size_t kRuns = 4;
    static constexpr std::size_t kRunBytes = 4096;
    static constexpr std::size_t kBytesMax = kRuns * kRunBytes;

    explicit FilterSample(std::span<const std::byte> raw);

    // Text has neither zeros nor bytes beyond ASCII, or few of them. No filter makes it smaller.
    bool is_text() const;

    // The filters, not Filter::none, whose bytes have the least entropy: one of them is best for a codec that writes
    // frequent bytes with fewer bits.
    std::vector<Filter> promising() const;

    // The sample, filtered. Valid until the next call.
    std::span<const std::byte> filtered(Filter filter);

private:
    std::array<std::span<const std::byte>, kRuns> runs_;
    std::array<std::byte, kBytesMax> filtered_;
};

}  // namespace fardel
