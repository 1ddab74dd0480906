#include "incoming/held_ranges.h"

#include <iterator>

namespace fardel {

void HeldRanges::add(std::uint64_t offset, const HeldRange& range) {
    ranges_.emplace(offset, range);
    held_bytes_ += range.length_bytes;
}

void HeldRanges::remove(std::uint64_t offset) {
    const auto at = ranges_.find(offset);
    held_bytes_ -= at->second.length_bytes;
    ranges_.erase(at);
}

void HeldRanges::cut(std::uint64_t offset, std::uint64_t from, std::uint64_t to) {
    const HeldRange range = ranges_.at(offset);
    const std::uint64_t end = offset + range.length_bytes;
    remove(offset);
    if (offset < from)
        add(offset, {from - offset, range.pack, range.pack_offset});
    if (to < end)
        add(to, {end - to, range.pack, range.pack_offset + (to - offset)});
}

void HeldRanges::clear() {
    ranges_.clear();
    held_bytes_ = 0;
}

void HeldRanges::forget_log_entries() {
    for (auto& [offset, range] : ranges_)
        range.log_at = 0;
}

bool HeldRanges::holds(std::uint64_t offset, std::uint64_t length_bytes) const {
    const std::uint64_t end = offset + length_bytes;
    while (offset < end) {
        const Run run = run_at(offset);
        if (!run.is_held)
            return false;
        offset += run.length_bytes;
    }
    return true;
}

std::vector<std::pair<std::uint64_t, HeldRange>> HeldRanges::overlapping(std::uint64_t offset,
                                                                         std::uint64_t length_bytes) const {
    auto first = ranges_.lower_bound(offset);
    if (first != ranges_.begin() && std::prev(first)->first + std::prev(first)->second.length_bytes > offset)
        --first;
    return {first, ranges_.lower_bound(offset + length_bytes)};
}

HeldRanges::Run HeldRanges::run_at(std::uint64_t offset) const {
    const auto after = ranges_.upper_bound(offset);
    if (after != ranges_.begin()) {
        const auto& [start, range] = *std::prev(after);
        if (offset - start < range.length_bytes)
            return {true, start + range.length_bytes - offset};
    }
    return {false, after == ranges_.end() ? UINT64_MAX : after->first - offset};
}

void KeptBlocks::add(const Hash& hash, const HeldRange& range) {
    if (blocks_.emplace(hash, range).second)
        size_bytes_ += range.length_bytes;
}

const HeldRange* KeptBlocks::find(const Hash& hash) const {
    const auto kept = blocks_.find(hash);
    return kept == blocks_.end() ? nullptr : &kept->second;
}

}  // namespace fardel
