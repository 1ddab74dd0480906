// Between std::filesystem::path and paths as Fardel has them, which are UTF-8 on every system. Windows reads narrow
// text in a code page of its own where std::filesystem::path takes or gives it, so nothing else makes one from the
// other.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace fardel {

inline std::filesystem::path path_from_utf8(std::string_view utf8) {
    return std::filesystem::path(std::u8string_view(reinterpret_cast<const char8_t*>(utf8.data()), utf8.size()));
}

// With '/' between its parts.
inline std::string utf8_of_path(const std::filesystem::path& path) {
    const std::u8string utf8 = path.generic_u8string();
    return {utf8.begin(), utf8.end()};
}

}  // namespace fardel
