// A zip file in memory, for tests that mount one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fardel::tests {

// Returns a zip of one stored entry, as a tool would write it.
inline std::string zip_of(std::string_view name, std::string_view content, std::uint32_t crc32) {
    std::string out;
    const auto number = [&out](std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i)
            out += static_cast<char>(value >> 8 * i);
    };
    const auto fields = [&] {  // version needed … extra length
        number(20, 2), number(0, 2), number(0, 2), number(0, 4), number(crc32, 4);
        number(content.size(), 4), number(content.size(), 4), number(name.size(), 2), number(0, 2);
    };
    number(0x0403'4b50, 4), fields();
    out += name;
    out += content;
    const std::size_t directory = out.size();
    number(0x0201'4b50, 4), number(20, 2), fields();
    number(0, 2), number(0, 2), number(0, 2), number(0, 4), number(0, 4);
    out += name;
    const std::size_t size = out.size() - directory;
    number(0x0605'4b50, 4), number(0, 4), number(1, 2), number(1, 2), number(size, 4), number(directory, 4),
        number(0, 2);
    return out;
}

}  // namespace fardel::tests
