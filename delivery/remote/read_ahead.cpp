#include "remote/read_ahead.h"

#include <algorithm>

namespace fardel {
namespace {

constexpr std::uint64_t kFirstWindow = 256u << 10;
constexpr std::uint64_t kLargestWindow = 2u << 20;
constexpr std::uint64_t kGapMax = 4096;  // padding between blocks

}  // namespace

std::optional<ReadAhead::Range> ReadAhead::note_read(std::uint64_t offset, std::uint64_t end) {
    ++reads_;
    const auto reader = std::ranges::find_if(readers_, [&](const Reader& one) {
        return one.used != 0 && offset >= one.next && offset - one.next <= kGapMax;
    });
    if (reader == readers_.end()) {
        Reader& oldest = *std::ranges::min_element(readers_, {}, &Reader::used);
        oldest = {.next = end, .requested = end, .window = 0, .used = reads_};
        return std::nullopt;
    }
    reader->next = end;
    reader->used = reads_;
    reader->requested = std::max(reader->requested, end);
    if (reader->window != 0 && reader->requested - end > reader->window / 2)
        return std::nullopt;
    // The window grows as long as reads go on in order: one that stops early has cost little.
    reader->window = reader->window == 0 ? kFirstWindow : std::min(reader->window * 2, kLargestWindow);
    const Range range{reader->requested, end + reader->window};
    reader->requested = range.end;
    return range;
}

}  // namespace fardel
