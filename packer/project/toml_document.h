// A TOML text as plain values that know where they stand. Untrusted; pure; any thread.
//
// Keys keep the order of the text. toml++ does the reading, behind this header.
#pragma once

#include <fardel/format/result.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fardel {

inline constexpr std::size_t kTomlBytesMax = 1u << 20;
// Each dot of a key opens a table: this and the nesting of values bound how deep tables lie in tables.
inline constexpr std::size_t kTomlDotsPerLineMax = 250;

struct TomlPosition {
    std::uint32_t line = 1;  // both from 1
    std::uint32_t column = 1;

    friend auto operator<=>(const TomlPosition&, const TomlPosition&) = default;
};

struct TomlDate {};  // dates and times, which nothing of ours is

struct TomlEntry;
struct TomlValue {
    std::variant<std::string, std::int64_t, double, bool, TomlDate, std::vector<TomlValue>, std::vector<TomlEntry>>
        value;
    TomlPosition at;
};

using TomlTable = std::vector<TomlEntry>;
struct TomlEntry {
    std::string key;
    TomlPosition at;
    TomlValue value;
};

// `file` begins the message of an error, "fardel.toml:3:1: …". Errors: malformed, limit.
Result<TomlTable> parse_toml(std::string_view text, std::string_view file);

// "fardel.toml:3:1"
std::string format_place(std::string_view file, TomlPosition at);

}  // namespace fardel
