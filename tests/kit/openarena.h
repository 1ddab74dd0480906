// The archives of a real game that tests read: OpenArena, as Debian installs it. A case that needs them fails if
// they are absent.
#pragma once

#include "test.h"

#include <filesystem>
#include <system_error>

namespace fardel::tests {

inline const std::filesystem::path& openarena_folder() {
    static const std::filesystem::path folder = "/usr/share/games/openarena/baseoa";
    REQUIRE_MESSAGE(std::filesystem::is_directory(folder), "setup/install-dependencies installs OpenArena");
    return folder;
}

// Returns the path of one archive.
inline std::string openarena_archive(const std::string& name) {
    const std::filesystem::path path = openarena_folder() / name;
    REQUIRE_MESSAGE(std::filesystem::exists(path), "setup/install-dependencies installs OpenArena");
    return path.string();
}

// Returns the paths of all archives, sorted: the game mounts them in this order, and later ones win.
inline std::vector<std::string> openarena_archives() {
    std::vector<std::string> paths;
    std::error_code error;
    for (std::filesystem::directory_iterator file(openarena_folder(), error), end; !error && file != end;
         file.increment(error))
        if (file->path().extension() == ".pk3")
            paths.push_back(file->path().string());
    REQUIRE_MESSAGE(paths.size() >= 10, "setup/install-dependencies installs OpenArena's archives");
    std::ranges::sort(paths);
    return paths;
}

}  // namespace fardel::tests
