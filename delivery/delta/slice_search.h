// SliceSearch: finds slices with given hashes in other bytes, at any offset (piece_slices.h). The hashes may be
// anything: they decide what is found, and how long it takes is bounded by the bytes that are looked at.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/piece_slices.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace fardel {

// An asset of a bundle that is here.
struct SliceSource {
    const Bundle* bundle = nullptr;
    AssetIndex asset{};
    AssetId id;
    std::uint64_t raw_bytes = 0;
};

// Where a slice may be.
struct SlicePlace {
    std::uint32_t source = 0;  // its number
    std::uint64_t offset = 0;
};

class SliceSearch {
public:
    explicit SliceSearch(std::vector<SliceHash> hashes);

    // Looks at each offset of the bytes, which are followed by zeros if they are the last ones of their source.
    void look_at(std::span<const std::byte> bytes, const SlicePlace& begin);
    // Looks at all of a source; at the part before that which cannot be read. Error: cancelled.
    Status look_in(const SliceSource& source, std::uint32_t number, const std::stop_token& stop);
    // Returns the first place that was found.
    std::optional<SlicePlace> find(SliceHash hash) const;

private:
    std::optional<std::size_t> index_of(SliceHash hash) const;
    void take(SliceHash hash, const SlicePlace& place);

    std::vector<SliceHash> hashes_;                  // ascending, each once
    std::vector<std::optional<SlicePlace>> places_;  // by hash
    // A bit for each value of the highest bits of a hash: at most offsets, it says that there is none such.
    std::vector<std::uint64_t> filter_;
    unsigned filter_shift_ = 0;
    // For each value of fewer bits, the first hash that begins with it, or with a greater one.
    std::vector<std::uint32_t> starts_;
    unsigned starts_shift_ = 0;
};

}  // namespace fardel
