// AssetVerdicts: the results of comparing whole assets with their ids, for /assets/<id>.
//
// A table of fixed size: a newer verdict may replace an older one, which costs another comparison and nothing else. Any
// number of threads, no lock: an entry is one 64-bit word that contains its whole key. The order of memory does not
// matter, since every read verifies the bytes again.
#pragma once

#include "mounts/content_number.h"

#include <fardel/format/manifest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace fardel {

class AssetVerdicts {
public:
    enum class Verdict : std::uint8_t { unknown, good, bad };

    Verdict find(ContentNumber content, AssetIndex asset) const noexcept {
        const std::uint64_t key = key_of(content, asset);
        const std::uint64_t word = words_[index_of(key)].load(std::memory_order_relaxed);
        if (word >> 1 != key)
            return Verdict::unknown;
        return (word & 1) != 0 ? Verdict::good : Verdict::bad;
    }

    void remember(ContentNumber content, AssetIndex asset, bool good) noexcept {
        const std::uint64_t key = key_of(content, asset);
        words_[index_of(key)].store(key << 1 | (good ? 1u : 0u), std::memory_order_relaxed);
    }

private:
    static constexpr std::size_t kWordsLog2 = 14;  // 128 KiB

    static std::uint64_t key_of(ContentNumber content, AssetIndex asset) noexcept {
        return std::uint64_t{static_cast<std::uint32_t>(content)} << 32 | static_cast<std::uint32_t>(asset);
    }
    static std::size_t index_of(std::uint64_t key) noexcept {
        return static_cast<std::size_t>(key * 0x9e37'79b9'7f4a'7c15ull >> (64 - kWordsLog2));
    }

    std::unique_ptr<std::atomic<std::uint64_t>[]> words_ =
        std::make_unique<std::atomic<std::uint64_t>[]>(std::size_t{1} << kWordsLog2);
};

}  // namespace fardel
