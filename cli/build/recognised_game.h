// Which game a list of names is the content of, so that a first project file names its profile (docs/profiles.md).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct RecognisedGame {
    std::string_view profile;        // one that is part of the program
    std::vector<std::string> signs;  // "maps/dm01.bsp (a map)": one name for each kind of file that only this game has
};

// `names`: of assets and of archives, in the order in which they are to be shown.
std::optional<RecognisedGame> recognise_game(std::span<const std::string> names);

}  // namespace fardel
