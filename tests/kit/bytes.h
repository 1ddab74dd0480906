// Bytes for tests: from text, from hexadecimal digits, random. Nothing here needs the product or doctest, so that
// forges and fuzz targets use it, too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <istream>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel::tests {

using Bytes = std::vector<std::byte>;

inline Bytes bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

inline std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Two digits per byte. Anything else ends the test with an exception.
inline Bytes bytes_of_hex(std::string_view digits) {
    Bytes bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2)
        bytes.push_back(static_cast<std::byte>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
    return bytes;
}

// Returns incompressible bytes; equal seeds give equal bytes.
inline Bytes noise(std::size_t size, std::uint64_t seed) {
    Bytes bytes(size);
    std::uint64_t state = 0x9e3779b97f4a7c15u * (seed + 1);
    for (std::byte& byte : bytes) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        byte = static_cast<std::byte>(state >> 56);
    }
    return bytes;
}

inline std::string noise_text(std::size_t size, std::uint64_t seed) { return text_of(noise(size, seed)); }

// Returns random words, which compress about as well as a script.
inline std::string prose(std::size_t size, std::uint32_t seed) {
    static constexpr std::string_view kWords[] = {"texture ", "shader ",    "{\n",     "}\n",   "map ",
                                                  "0.5 ",     "blendFunc ", "models/", "base/", "water "};
    std::mt19937 random(seed);
    std::string text;
    while (text.size() < size)
        text += kWords[random() % std::size(kWords)];
    text.resize(size);
    return text;
}

// Returns `bytes` with `values` written from offset `at` on.
inline Bytes with_bytes(Bytes bytes, std::size_t at, std::initializer_list<unsigned> values) {
    for (const unsigned value : values)
        bytes.at(at++) = static_cast<std::byte>(value);
    return bytes;
}

// Reads a stream to its end in large parts; afterwards `in.bad()` says whether an error ended it early. One character
// at a time, with istreambuf_iterator, takes most of the time of a test that reads many files, because tests are not
// optimised.
inline std::string read_whole(std::istream& in) {
    std::string content;
    std::array<char, 64 * 1024> part;
    while (in.read(part.data(), part.size()) || in.gcount() > 0)
        content.append(part.data(), static_cast<std::size_t>(in.gcount()));
    return content;
}

}  // namespace fardel::tests
