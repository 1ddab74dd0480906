// A size map: areas in proportion to sizes, as a picture that needs no script.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

struct SizedItem {
    std::string label;  // untrusted
    std::uint64_t bytes = 0;
};

// Returns an SVG element with one rectangle per item, largest first; items too small to see are one at the end. The
// same items give the same text.
std::string format_size_map(std::vector<SizedItem> items);

}  // namespace fardel
