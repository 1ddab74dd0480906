// ProvedRuns: remembers which runs of raw bytes have been compared with the manifest's hash of them, so that an open
// bundle compares each of them once.
//
// A run is what the manifest has a hash of: an asset of one piece, or one piece of a larger asset. The proof stays
// true, because every read compares the stored bytes with their hash again and decoding them has one result. The bit
// belongs to the asset or piece and not to its block: a hostile layout could give two assets the same block. Any number
// of threads, without a lock; the order of memory does not matter, since the bits guard no other memory.
#pragma once

#include "tables/table_memory.h"

#include <fardel/base/result.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

namespace fardel {

enum class RunIndex : std::uint64_t {};

class ProvedRuns {
public:
    ProvedRuns() = default;  // of a bundle without assets
    // Error: limit (no address space for the bits).
    static Result<ProvedRuns> open(std::uint64_t assets, std::uint64_t pieces) {
        ProvedRuns runs;
        runs.assets_ = assets;
        runs.memory_ = TableMemory((assets + pieces + 7) / 8);
        if (assets + pieces > 0 && !runs.memory_.bytes())
            return Error(ErrorCode::limit, "no memory for the proofs of " + std::to_string(assets) + " assets");
        // Zeroed bytes become atomics; they are trivially destroyed.
        static_assert(sizeof(std::atomic<std::uint8_t>) == 1);
        runs.bits_ = std::launder(reinterpret_cast<std::atomic<std::uint8_t>*>(runs.memory_.bytes()));
        return runs;
    }

    // The run of a whole asset of one piece; `asset` is below the number of assets.
    static RunIndex of_asset(std::uint32_t asset) noexcept { return RunIndex{asset}; }
    // The run of a piece; `piece` is below the number of pieces.
    RunIndex of_piece(std::uint64_t piece) const noexcept { return RunIndex{assets_ + piece}; }

    bool has(RunIndex run) const noexcept {
        return (bits_[byte_of(run)].load(std::memory_order_relaxed) & bit_of(run)) != 0;
    }
    void add(RunIndex run) const noexcept { bits_[byte_of(run)].fetch_or(bit_of(run), std::memory_order_relaxed); }

private:
    static std::size_t byte_of(RunIndex run) noexcept { return static_cast<std::size_t>(run) / 8; }
    static std::uint8_t bit_of(RunIndex run) noexcept {
        return static_cast<std::uint8_t>(1u << (static_cast<std::size_t>(run) % 8));
    }

    std::uint64_t assets_ = 0;
    TableMemory memory_;
    std::atomic<std::uint8_t>* bits_ = nullptr;  // in `memory_`
};

}  // namespace fardel
