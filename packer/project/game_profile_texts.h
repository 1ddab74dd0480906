// The texts of packer/profiles/*.toml, which CMake turns into C++.
#pragma once

#include <cstddef>
#include <string_view>

namespace fardel {

struct GameProfileText {
    std::string_view name;  // "quake3"
    std::string_view toml;
};

extern const GameProfileText kGameProfileTexts[];  // in alphabetical order
extern const std::size_t kGameProfileCount;

}  // namespace fardel
