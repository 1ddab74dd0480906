// Joins pieces of shared content into common bundles, so that roots load little that they do not use.
//
// A piece is content that exactly the same roots use. Pure; deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

struct SharedPiece {
    std::uint64_t size_bytes = 0;
    std::vector<std::uint32_t> roots;  // that use the piece, ascending
    std::vector<std::uint32_t> uses;   // other pieces, all before this one
};

// Returns the pieces of each part, ascending: at least one part and at most `count_max`, each larger than `bytes_max`
// unless it is the only one. A part uses only earlier parts. The parts whose union costs least are joined first; a part
// costs its bytes once for each root that uses any of it.
std::vector<std::vector<std::uint32_t>> join_pieces(std::span<const SharedPiece> pieces, std::size_t count_max,
                                                    std::uint64_t bytes_max);

}  // namespace fardel
