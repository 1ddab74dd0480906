#include "recognised_game.h"

#include <fardel/format/name.h>

#include <algorithm>

namespace fardel {
namespace {

struct Sign {
    std::string_view profile;
    std::string_view glob;
    std::string_view what;
};

// The first profile of which any sign is there counts. So those of engines that descend from another one are before it,
// and what many games have, such as glTF models, is last.
constexpr Sign kSigns[] = {
    {"daemon", "**/*.dpk", "a package of Daemon"},
    {"daemon", "DEPS", "the packages that a package of Daemon needs"},
    {"daemon", "**/*.crn", "a texture in Crunch's format"},
    {"daemon", "maps/*.navMesh", "a map's paths for bots"},
    {"darkplaces", "progs.dat", "QuakeC of the server"},
    {"darkplaces", "csprogs.dat", "QuakeC of the client"},
    {"darkplaces", "menu.dat", "QuakeC of the menu"},
    {"darkplaces", "effectinfo.txt", "effects of DarkPlaces"},
    {"darkplaces", "maps/*.mapinfo", "what Xonotic says of a map"},
    {"darkplaces", "**/*.dpm", "a model of DarkPlaces"},
    {"darkplaces", "**/*_norm.tga", "the normal map of a texture"},
    {"darkplaces", "**/*_gloss.tga", "the gloss map of a texture"},
    {"quake3", "**/*.pk3", "an archive of Quake III's engine"},
    {"quake3", "scripts/**/*.shader", "a shader script"},
    {"quake3", "scripts/*.arena", "an arena file"},
    {"quake3", "maps/**/*.bsp", "a map"},
    {"quake3", "maps/**/*.aas", "a map's areas for bots"},
    {"quake3", "**/*.md3", "a model of Quake III"},
    {"quake3", "models/players/**/*.skin", "a player's skin"},
    {"quake3", "vm/*.qvm", "code of Quake III's engine"},
    {"gltf", "**/*.gltf", "a glTF model"},
    {"gltf", "**/*.glb", "a glTF model"},
};

}  // namespace

std::optional<RecognisedGame> recognise_game(std::span<const std::string> names) {
    std::optional<RecognisedGame> game;
    for (const Sign& sign : kSigns) {
        if (game && game->profile != sign.profile)
            break;
        const auto name =
            std::ranges::find_if(names, [&](const std::string& each) { return glob_matches(sign.glob, each); });
        if (name == names.end())
            continue;
        if (!game)
            game = RecognisedGame{.profile = sign.profile, .signs = {}};
        game->signs.push_back(*name + " (" + std::string(sign.what) + ")");
    }
    return game;
}

}  // namespace fardel
