// Reads and writes whole files, and waits for their times to differ. scratch_folder.h has the folder to do it in.
#pragma once

#include "whole_stream.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <thread>

namespace fardel::tests {

// The file must exist.
inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    REQUIRE_MESSAGE(in, path.string() << " cannot be read");
    std::string content = read_whole(in);
    REQUIRE_MESSAGE(!in.bad(), path.string() << " cannot be read to its end");
    return content;
}

// Creates or replaces the file. Its folder must exist.
inline void write_file(const std::filesystem::path& path, std::string_view content) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.close();
    REQUIRE_MESSAGE(out, path.string() << " cannot be written");
}

inline void write_file(const std::filesystem::path& path, std::span<const std::byte> content) {
    write_file(path, std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
}

inline void make_executable(const std::filesystem::path& path) {
    std::filesystem::permissions(path, std::filesystem::perms::owner_exec, std::filesystem::perm_options::add);
}

// Waits longer than the resolution of the file system's clock, so that later writes get another time, and a build
// remembers the files that exist.
inline void grow_old() { std::this_thread::sleep_for(std::chrono::milliseconds(120)); }

}  // namespace fardel::tests
