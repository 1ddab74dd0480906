// Blocks of a bundle that need not come as ranges of its file, because something smaller gives them.
#pragma once

#include <cstdint>
#include <vector>

namespace fardel {

struct BlockChoice {
    std::vector<bool> given;        // by block
    std::uint64_t fetch_bytes = 0;  // that this costs
    std::uint64_t requests = 0;
    std::uint64_t temporary_bytes = 0;  // of the disk, until the blocks are here
};

}  // namespace fardel
