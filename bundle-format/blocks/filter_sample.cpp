#include "filter_sample.h"

#include "block_filter.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kSampleRunAlign = 24;  // whole groups of every filter

// ---- Entropy --------------------------------------------------------------------------------------------------------

constexpr std::size_t kPromising = 2;
constexpr std::size_t kGlanceBytes = 1024;  // of each run, or as many of a small block as of all of them
constexpr std::size_t kParts = 4;           // that a filter may have moved bytes of one kind to
constexpr std::size_t kPartBytes = FilterSample::kRuns * kGlanceBytes / kParts;

// n · log2 n in 1/65536, reckoned with integers: the same on every processor.
constexpr std::uint64_t n_log_n(std::uint32_t n) {
    if (n < 2)
        return 0;
    const auto whole = static_cast<std::uint32_t>(std::bit_width(n) - 1);
    std::uint64_t log = whole;
    std::uint64_t rest = static_cast<std::uint64_t>(n) << (31 - whole);  // from 1 to 2, in 2^-31
    for (int bit = 0; bit < 16; ++bit) {
        rest = rest * rest >> 31;
        const bool is_two = rest >> 32 != 0;
        log = log * 2 + (is_two ? 1 : 0);
        rest >>= is_two ? 1 : 0;
    }
    return log * n;
}

constexpr auto kNLogN = [] {
    std::array<std::uint64_t, kPartBytes + 1> table{};
    for (std::uint32_t n = 0; n < table.size(); ++n)
        table[n] = n_log_n(n);
    return table;
}();

// How often each byte occurs in each part.
class PartCounts {
public:
    void count(std::span<const std::byte> run) {
        for (std::size_t part = 0; part < kParts; ++part) {
            const std::size_t begin = run.size() * part / kParts, end = run.size() * (part + 1) / kParts;
            for (std::size_t i = begin; i < end; ++i)
                ++counts_[part][std::to_integer<std::size_t>(run[i])];
        }
    }
    // In 1/65536 bits, for all parts together.
    std::uint64_t entropy() const {
        std::uint64_t bits = 0;
        for (const auto& part : counts_) {
            std::uint32_t bytes = 0;
            std::uint64_t saved = 0;
            for (const std::uint32_t n : part) {
                bytes += n;
                saved += kNLogN[n];
            }
            bits += kNLogN[bytes] - saved;
        }
        return bits;
    }

private:
    std::array<std::array<std::uint32_t, 256>, kParts> counts_{};
};

}  // namespace

FilterSample::FilterSample(std::span<const std::byte> raw) {
    if (raw.size() <= kBytesMax) {
        runs_[0] = raw;
        return;
    }
    for (std::size_t i = 0; i < kRuns; ++i) {
        const std::size_t at = (raw.size() - kRunBytes) * i / (kRuns - 1);
        runs_[i] = raw.subspan(at / kSampleRunAlign * kSampleRunAlign, kRunBytes);
    }
}

bool FilterSample::is_text() const {
    std::size_t bytes = 0, others = 0;
    for (const std::span<const std::byte> run : runs_) {
        bytes += run.size();
        others += static_cast<std::size_t>(
            std::ranges::count_if(run, [](std::byte byte) { return byte == std::byte{0} || byte >= std::byte{0x80}; }));
    }
    return others < bytes / 64;
}

std::vector<Filter> FilterSample::promising() const {
    std::vector<std::pair<std::uint64_t, Filter>> tried;
    for (const Filter filter : kFilters) {
        if (filter == Filter::none)
            continue;
        PartCounts counts;
        for (const std::span<const std::byte> run : runs_) {
            std::array<std::byte, kParts * kPartBytes> glance;
            const std::size_t bytes = std::min(run.size(), runs_[1].empty() ? glance.size() : kGlanceBytes);
            apply_filter(filter, run.first(bytes), std::span(glance).first(bytes));
            counts.count(std::span(glance).first(bytes));
        }
        tried.emplace_back(counts.entropy(), filter);
    }
    std::ranges::stable_sort(tried, {}, &std::pair<std::uint64_t, Filter>::first);
    std::vector<Filter> filters;
    for (std::size_t i = 0; i < std::min(kPromising, tried.size()); ++i)
        filters.push_back(tried[i].second);
    return filters;
}

std::span<const std::byte> FilterSample::filtered(Filter filter) {
    std::size_t bytes = 0;
    for (const std::span<const std::byte> run : runs_) {
        apply_filter(filter, run, std::span(filtered_).subspan(bytes, run.size()));
        bytes += run.size();
    }
    return std::span(filtered_).first(bytes);
}

}  // namespace fardel
