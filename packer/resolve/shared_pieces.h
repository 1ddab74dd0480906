// Which pieces of shared content go together into common bundles, so that few roots load what they do not want.
//
// A piece is content that exactly the same roots want. Pure; deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

struct SharedPiece {
    std::uint64_t size_bytes = 0;
    std::vector<std::uint32_t> roots;  // who wants it, ascending
    std::vector<std::uint32_t> uses;   // other pieces, all of them before this one
};

// At most `count_max` parts (one at least), each larger than `bytes_max` if it is not the only one. A part lists its
// pieces, ascending; it uses only earlier parts. Those that cost least are joined first, where a part costs its bytes
// once for each root that wants any of it.
std::vector<std::vector<std::uint32_t>> join_pieces(std::span<const SharedPiece> pieces, std::size_t count_max,
                                                    std::uint64_t bytes_max);

}  // namespace fardel
