// Reads a stream to its end in large parts. One character at a time, with istreambuf_iterator, takes most of the time
// of a test that reads many files, because tests are not optimised.
#pragma once

#include <array>
#include <cstddef>
#include <istream>
#include <string>

namespace fardel::tests {

// Afterwards `in.bad()` says whether an error ended it early.
inline std::string read_whole(std::istream& in) {
    std::string content;
    std::array<char, 64 * 1024> part;
    while (in.read(part.data(), part.size()) || in.gcount() > 0)
        content.append(part.data(), static_cast<std::size_t>(in.gcount()));
    return content;
}

}  // namespace fardel::tests
