// fardel init: in empty folders, and in folders with the content of games.

#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::init_test {

namespace fs = std::filesystem;
using nlohmann::json;

TEST_CASE("init: it writes a project that build accepts, and never overwrites one") {
    const ScratchFolder scratch;
    const json output = json::parse(run_well({"init", scratch.path("my game"), "--json"}));
    CHECK(output["file"] == scratch.path("my game/fardel.toml"));
    CHECK(output["name"] == "my game");
    CHECK(list_folder(scratch.path("my game")).find("assets/") != std::string::npos);
    CHECK(is_one_clear_line(run({"build", scratch.path("my game")}), "unresolved"));  // nothing in assets yet
    scratch.write("my game/assets/a.cfg", "a");
    run_well({"build", scratch.path("my game")});
    run_well({"verify", scratch.path("my game/my game.fardel")});

    scratch.write("my game/fardel.toml", "mine");
    CHECK(is_one_clear_line(run({"init", scratch.path("my game")}), "conflict"));
    CHECK(read_file(scratch.path("my game/fardel.toml")) == "mine");

    std::filesystem::create_symlink("elsewhere", scratch.path("fardel.toml"));
    CHECK(is_one_clear_line(run({"init", scratch.root().string()}), "conflict"));
    CHECK_FALSE(std::filesystem::exists(scratch.path("elsewhere")));
}

TEST_CASE("init: the project has the name of the current folder, or that of --name") {
    const ScratchFolder scratch;
    std::filesystem::create_directory(scratch.path("here"));
    CHECK(run_well({"init"}, {.folder = scratch.path("here")}).find("name  here\n") != std::string::npos);
    CHECK(run_well({"init", scratch.path("there"), "--name", "studio/x"}).find("name  studio/x\n") !=
          std::string::npos);
}

// Builds at once what init has made of the folder, and returns what init said.
json init_and_build(const ScratchFolder& scratch, const std::string& folder) {
    const std::string path = scratch.path(folder);
    const json said = json::parse(run_well({"init", path, "--json"}));
    run_well({"build", path});
    return said;
}

TEST_CASE("init: a folder with content is its own source, and builds at once and again") {
    const ScratchFolder scratch;
    scratch.write("castle/maps/castle.bsp", "IBSP");
    scratch.write("castle/textures/castle/wall.tga", "wall");
    scratch.write("castle/.gitignore", "build/\n");
    const json said = init_and_build(scratch, "castle");
    CHECK(said["sources"] == json{"."});
    CHECK(said["files"] == 2);
    CHECK(said["profile"] == "quake3");
    const std::string bundle = scratch.path("castle/build/castle.fardel");
    CHECK(run_well({"ls", bundle}) == "maps/castle.bsp\ntextures/castle/wall.tga\n");
    run_well({"verify", bundle});
    CHECK_FALSE(fs::exists(scratch.path("castle/assets")));

    // What Fardel wrote beside the content is none of it.
    run_well({"keygen", "-o", scratch.path("castle/author.key"), "--no-passphrase"});
    scratch.write("castle/textures/castle/door.tga", "door");
    run_well({"build", scratch.path("castle")});
    CHECK(run_well({"ls", bundle}) == "maps/castle.bsp\ntextures/castle/door.tga\ntextures/castle/wall.tga\n");
    CHECK(run_well({"build", scratch.path("castle")}).find("up to date") != std::string::npos);
    CHECK(is_one_clear_line(run({"init", scratch.path("castle")}), "conflict"));
}

TEST_CASE("init: archives are sources in the order of their names, below what lies there unpacked") {
    const ScratchFolder scratch;
    scratch.write("pak/scripts/base.shader", "old");
    scratch.write("pak/maps/dm01.bsp", "IBSP");
    scratch.write("game/scripts/base.shader", "new");
    for (const char* name : {"pak1.pk3", "pak0.pk3"})
        REQUIRE(run_program({"zip", "-q", "-r", scratch.path(std::string("game/") + name), "."},
                            {.folder = scratch.path("pak")})
                    .exit_code == 0);
    const json said = init_and_build(scratch, "game");
    CHECK(said["sources"] == json{"pak0.pk3", "pak1.pk3", "."});
    CHECK(said["profile"] == "quake3");
    const std::string bundle = scratch.path("game/build/game.fardel");
    CHECK(run_well({"ls", bundle}) == "maps/dm01.bsp\nscripts/base.shader\n");
    CHECK(run_well({"cat", bundle, "scripts/base.shader"}) == "new");

    fs::remove(scratch.path("game/scripts/base.shader"));
    fs::remove(scratch.path("game/fardel.toml"));
    fs::remove_all(scratch.path("game/build"));
    fs::remove_all(scratch.path("game/.fardel"));
    fs::remove(scratch.path("game/scripts"));
    CHECK(init_and_build(scratch, "game")["sources"] == json{"pak0.pk3", "pak1.pk3"});
}

TEST_CASE("init: a folder named assets is the source, and one named build stays content") {
    const ScratchFolder scratch;
    scratch.write("a/assets/models/crate.gltf", "{\"asset\": {\"version\": \"2.0\"}}");
    scratch.write("a/README.md", "about");
    const json said = init_and_build(scratch, "a");
    CHECK(said["sources"] == json{"assets"});
    CHECK(said["profile"] == "gltf");
    CHECK(run_well({"ls", scratch.path("a/a.fardel")}) == "models/crate.gltf\n");

    scratch.write("b/build/house.txt", "a house");
    CHECK(init_and_build(scratch, "b")["profile"].is_null());
    CHECK(run_well({"ls", scratch.path("b/fardel-build/b.fardel")}) == "build/house.txt\n");
}

TEST_CASE("init: an empty folder of assets, and what may not be packed, are no content") {
    const ScratchFolder scratch;
    fs::create_directories(scratch.path("a/assets"));
    scratch.write("a/models/crate.gltf", "{\"asset\": {\"version\": \"2.0\"}}");
    CHECK(init_and_build(scratch, "a")["sources"] == json{"."});

    scratch.write("b/old.fardel", "a bundle of before");
    fs::create_directories(scratch.path("b/empty"));
    const json none = json::parse(run_well({"init", scratch.path("b"), "--json"}));
    CHECK(none["sources"] == json{"assets"});
    CHECK(none["files"] == 0);

    scratch.write("c/maps/dm01.txt", "a map");
    scratch.write("c/maps/id_rsa", "a secret");
    const json said = init_and_build(scratch, "c");
    CHECK(said["left_out"] == 1);
    CHECK(run_well({"ls", scratch.path("c/build/c.fardel")}) == "maps/dm01.txt\n");
}

TEST_CASE("init: recognises the game by its files, and says which") {
    struct Game {
        std::string profile;  // empty: none
        std::vector<std::string> files;
    };
    const std::vector<Game> games = {
        {"quake3", {"scripts/common.shader"}},
        {"quake3", {"models/weapons/gun.md3", "models/crate.glb"}},
        {"quake3", {"vm/cgame.qvm"}},
        {"darkplaces", {"progs.dat", "maps/dm01.bsp"}},
        {"darkplaces", {"textures/wall_norm.tga", "textures/wall.tga", "scripts/wall.shader"}},
        {"darkplaces", {"maps/dm01.mapinfo", "maps/dm01.bsp"}},
        {"daemon", {"DEPS", "maps/dm01.bsp", "scripts/a.shader"}},
        {"daemon", {"textures/wall.crn"}},
        {"gltf", {"models/crate.glb"}},
        {"", {"sprites/hero.png", "levels/one.json"}},
        {"", {"shaders/water.shader"}},  // of another engine
    };
    int number = 0;
    for (const Game& game : games) {
        const ScratchFolder scratch;
        for (const std::string& file : game.files)
            scratch.write("game/" + file, std::to_string(++number));
        CAPTURE(game.profile);
        CAPTURE(game.files[0]);
        const json said = json::parse(run_well({"init", scratch.path("game"), "--json"}));
        CHECK(said["profile"] == (game.profile.empty() ? json() : json(game.profile)));
        CHECK(said["recognised_by"].empty() == game.profile.empty());
        run_well({"build", scratch.path("game")});
    }
    const ScratchFolder scratch;
    scratch.write("game/maps/dm01.bsp", "IBSP");
    check_has(run_well({"init", scratch.path("game")}), "profile  quake3, as here is maps/dm01.bsp (a map)\n");
}

TEST_CASE("init: writes nothing where the content cannot be packed as it is") {
    const ScratchFolder scratch;
    scratch.write("game/Wall.tga", "a");
    scratch.write("game/wall.tga", "b");
    CHECK(is_one_clear_line(run({"init", scratch.path("game")}), "conflict"));
    CHECK_FALSE(fs::exists(scratch.path("game/fardel.toml")));

    scratch.write("told/sound/aux.wav", "a name that Windows cannot have");
    scratch.write("told/sound/hello.wav", "hello");
    check_has(run_well({"init", scratch.path("told")}), "left out 1 file; 'fardel build' says why\n");
    run_well({"build", scratch.path("told")});
}

}  // namespace fardel::tests::init_test
