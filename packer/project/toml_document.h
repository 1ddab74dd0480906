// Parses a TOML text into plain values that know their positions. The text is untrusted. Pure; any thread.
//
// Keys keep the order of the text. toml++ parses; only toml_document.cpp includes it.
#pragma once

#include <fardel/base/result.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fardel {

inline constexpr std::size_t kTomlBytesMax = 1u << 20;
// Each dot of a key opens a table. This limit and the one on nested values bound the depth of tables.
inline constexpr std::size_t kTomlDotsPerLineMax = 250;

struct TomlPosition {
    std::uint32_t file = 0;  // of several that were joined (project_files.h)
    std::uint32_t line = 1;  // both from 1
    std::uint32_t column = 1;

    friend auto operator<=>(const TomlPosition&, const TomlPosition&) = default;
};

struct TomlDate {};  // a date or time, which no key of a project accepts

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

// Returns nullptr if the table has no such key.
const TomlEntry* find_entry(const TomlTable& table, std::string_view key);

// Returns "fardel.toml:3:1".
std::string format_position(std::string_view file, TomlPosition at);

}  // namespace fardel
