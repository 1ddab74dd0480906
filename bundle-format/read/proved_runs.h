// ProvedRuns: remembers which runs of raw bytes have been compared with the manifest's hash of them, so that an open
// bundle compares each of them once.
//
// A run is what the manifest has a hash of: an asset of one piece, or one piece of a larger asset. The proof stays
// true, because every read compares the stored bytes with their hash again and decoding them has one result. The proof
// of an asset of one piece is a bit of the asset and not of its block: a hostile layout could give two assets the same
// block. That of a piece is the number of the block that held it: a hostile manifest could give two assets the same
// piece, and each has blocks of its own. Any number of threads, without a lock; the order of memory does not matter,
// since the proofs guard no other memory.
#pragma once

#include "tables/table_memory.h"

#include <fardel/base/result.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

namespace fardel {

class ProvedRuns {
public:
    // One run of the manifest, and the block in which the layout has it.
    struct Run {
        std::uint64_t index = 0;  // of the piece, or of the asset of one piece
        std::uint32_t block = 0;
        bool is_piece = false;
    };

    ProvedRuns() = default;  // of a bundle without assets
    // Error: limit (no address space for the proofs).
    static Result<ProvedRuns> open(std::uint64_t assets, std::uint64_t pieces) {
        ProvedRuns runs;
        const std::uint64_t bytes = pieces * sizeof(std::uint32_t) + (assets + 7) / 8;
        runs.memory_ = TableMemory(bytes);
        if (bytes > 0 && !runs.memory_.bytes())
            return Error(ErrorCode::limit, "no memory for the proofs of " + std::to_string(assets) + " assets");
        // Zeroed bytes become atomics; they are trivially destroyed.
        static_assert(sizeof(std::atomic<std::uint8_t>) == 1 && sizeof(std::atomic<std::uint32_t>) == 4);
        std::byte* const memory = runs.memory_.bytes();
        runs.blocks_ = std::launder(reinterpret_cast<std::atomic<std::uint32_t>*>(memory));
        runs.bits_ =
            std::launder(reinterpret_cast<std::atomic<std::uint8_t>*>(memory + pieces * sizeof(std::uint32_t)));
        return runs;
    }

    // `run.index` is below the number of assets, or of pieces.
    bool has(const Run& run) const noexcept {
        if (run.is_piece)
            return blocks_[run.index].load(std::memory_order_relaxed) == run.block + 1;
        return (bits_[run.index / 8].load(std::memory_order_relaxed) & bit_of(run)) != 0;
    }
    void add(const Run& run) const noexcept {
        if (run.is_piece)
            blocks_[run.index].store(run.block + 1, std::memory_order_relaxed);
        else
            bits_[run.index / 8].fetch_or(bit_of(run), std::memory_order_relaxed);
    }

private:
    static std::uint8_t bit_of(const Run& run) noexcept { return static_cast<std::uint8_t>(1u << (run.index % 8)); }

    TableMemory memory_;
    std::atomic<std::uint32_t>* blocks_ = nullptr;  // in `memory_`: of each piece, its block + 1; 0: not proved
    std::atomic<std::uint8_t>* bits_ = nullptr;     // in `memory_`: of each asset of one piece
};

}  // namespace fardel
