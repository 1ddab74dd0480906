// Questions about text that a program or an error has printed.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace fardel::tests {

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Shows all of `text` if `part` is missing.
inline void check_has(std::string_view text, std::string_view part) {
    CHECK_MESSAGE(has(text, part), "no \"" << std::string(part) << "\" in: " << std::string(text));
}

// The text with its first `from`, which has to be there, replaced.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

// A last line without line feed counts, too.
inline std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

}  // namespace fardel::tests
