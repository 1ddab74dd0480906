// Whole files, without doctest: the sweep is a program and not a set of cases.
#pragma once

#include "kit/bytes.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fardel::sweep {

inline std::optional<std::string> find_text(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in)
        return std::nullopt;
    return tests::read_whole(in);
}

// Empty if the file cannot be read.
inline std::string read_text(const std::filesystem::path& path) { return find_text(path).value_or(""); }
inline tests::Bytes read_bytes(const std::filesystem::path& path) { return tests::bytes_of(read_text(path)); }

inline void write_text(const std::filesystem::path& path, std::string_view text) {
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(text.data(), static_cast<std::streamsize>(text.size()));
}
inline void write_bytes(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    write_text(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace fardel::sweep
