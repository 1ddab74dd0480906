#include "delta/slice_search.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace fardel {
namespace {

constexpr unsigned kSliceHashBits = 8 * kSliceHashBytes;
constexpr std::size_t kFilterBitsPerHash = 32;
constexpr std::size_t kFilterBitsMin = 1u << 12;
constexpr std::size_t kSearchedBytes = 1u << 20;  // that are in memory at once

}  // namespace

SliceSearch::SliceSearch(std::vector<SliceHash> hashes) : hashes_(std::move(hashes)) {
    std::ranges::sort(hashes_);
    hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
    places_.resize(hashes_.size());
    const std::size_t bits = std::bit_ceil(std::max(kFilterBitsMin, hashes_.size() * kFilterBitsPerHash));
    filter_.resize(bits / 64);
    filter_shift_ = kSliceHashBits - static_cast<unsigned>(std::countr_zero(bits));
    starts_.resize(bits / kFilterBitsPerHash + 1, static_cast<std::uint32_t>(hashes_.size()));
    starts_shift_ = filter_shift_ + static_cast<unsigned>(std::countr_zero(kFilterBitsPerHash));
    for (std::size_t i = hashes_.size(); i-- != 0;) {
        const auto bit = static_cast<std::size_t>(hashes_[i] >> filter_shift_);
        filter_[bit / 64] |= std::uint64_t{1} << (bit % 64);
        starts_[static_cast<std::size_t>(hashes_[i] >> starts_shift_)] = static_cast<std::uint32_t>(i);
    }
    for (std::size_t i = starts_.size() - 1; i-- != 0;)
        starts_[i] = std::min(starts_[i], starts_[i + 1]);
}

std::optional<std::size_t> SliceSearch::index_of(SliceHash hash) const {
    const auto start = starts_.begin() + static_cast<std::ptrdiff_t>(hash >> starts_shift_);
    const auto end = hashes_.begin() + start[1];
    const auto found = std::lower_bound(hashes_.begin() + start[0], end, hash);
    return found != end && *found == hash ? std::optional(static_cast<std::size_t>(found - hashes_.begin()))
                                          : std::nullopt;
}

void SliceSearch::take(SliceHash hash, const SlicePlace& place) {
    if (const auto index = index_of(hash); index && !places_[*index])
        places_[*index] = place;
}

void SliceSearch::look_at(std::span<const std::byte> bytes, const SlicePlace& begin) {
    if (bytes.size() < kSliceBytes)
        return;
    const auto look_for = [this, &begin, filter = std::span<const std::uint64_t>(filter_), shift = filter_shift_](
                              SliceHash hash, std::size_t at) {
        const auto bit = static_cast<std::size_t>(hash >> shift);
        if ((filter[bit / 64] >> (bit % 64) & 1) != 0) [[unlikely]]
            take(hash, {.source = begin.source, .offset = begin.offset + at});
    };
    // Two halves at once: each hash waits for the one before it.
    const std::size_t offsets = bytes.size() - kSliceBytes + 1;
    const std::size_t half = offsets / 2;
    RollingSliceHash first(bytes.first(kSliceBytes));
    RollingSliceHash second(bytes.subspan(half, kSliceBytes));
    const std::byte* const out = bytes.data();
    const std::byte* const in = out + kSliceBytes;
    for (std::size_t at = 0; at < half; ++at) {
        look_for(first.value(), at);
        look_for(second.value(), half + at);
        first.roll(out[at], in[at]);
        if (half + at + 1 < offsets)
            second.roll(out[half + at], in[half + at]);
    }
    if (half + half < offsets)
        look_for(second.value(), offsets - 1);
}

Status SliceSearch::look_in(const SliceSource& source, std::uint32_t number, const std::stop_token& stop) {
    std::vector<std::byte> bytes;
    for (std::uint64_t at = 0; at < source.raw_bytes; at += kSearchedBytes) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "looking for slices was stopped");
        // The last slices that begin in these bytes end in those after them, or in the zeros after the asset.
        const std::uint64_t length = std::min<std::uint64_t>(source.raw_bytes - at, kSearchedBytes + kSliceBytes - 1);
        bytes.assign(
            static_cast<std::size_t>(std::min<std::uint64_t>(source.raw_bytes - at, kSearchedBytes)) + kSliceBytes - 1,
            std::byte{0});
        if (!source.bundle->read_at(source.asset, at, std::span(bytes).first(static_cast<std::size_t>(length))))
            return ok();
        look_at(bytes, {.source = number, .offset = at});
    }
    return ok();
}

std::optional<SlicePlace> SliceSearch::find(SliceHash hash) const {
    const auto index = index_of(hash);
    return index ? places_[*index] : std::nullopt;
}

}  // namespace fardel
