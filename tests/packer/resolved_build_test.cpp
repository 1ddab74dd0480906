// Builds of projects with [link], by the program in real folders: which assets are scanned, and which scans are
// remembered.
#include "built_game.h"

namespace fardel::tests::resolved_build_test {

using nlohmann::json;

constexpr std::string_view kProject = R"(name = "game"
sources = ["assets"]

[link]
roots = ["*.skin"]

[[scanner]]
match = "**/*.fx"
pattern = 'image = "{reference}"'
use = "texture"
)";

BuiltGame make_game() {
    BuiltGame game(kProject);
    game.write("assets/one.skin", "h_head,sky\nl_legs,env/own\n");
    game.write("assets/two.skin", "h_head,sky\nl_legs,env/gone\n");
    game.write("assets/broken.skin.map", "{\n");
    game.write("assets/scripts/x.shader", "sky\n{\n{\nmap env/sky.tga\n}\n}\n");
    game.write("assets/fire.fx", "image = \"env/fire\"\nother = \"env/ice\"\n");
    for (const char* image : {"env/sky.tga", "env/own.png", "env/fire.jpg", "env/ice.jpg"})
        game.write("assets/" + std::string(image), image);
    grow_old();
    return game;
}

TEST_CASE("resolved build: a scanned asset is not read again, and the bundle equals that of a clean build") {
    const BuiltGame game = make_game();
    const json first = game.build();
    CHECK(first["assets_with_scanner"] == 5);
    CHECK(first["assets_scanned"] == 5);

    game.write("assets/new.dat", "no scanner knows it");
    const json more = game.build();
    CHECK(more["up_to_date"] == false);
    CHECK(more["assets_with_scanner"] == 5);
    CHECK(more["assets_scanned"] == 0);
    CHECK(game.bundle() == game.clean_bundle());

    const json same = game.build();
    CHECK(same["assets_scanned"] == 0);
    const std::string text = run_well({"build", game.path(), "--level", "2"});
    CHECK(text.find("scanned: 0 of 5 assets, the others were known\n") != std::string::npos);
}

TEST_CASE("resolved build: a changed asset is scanned, and nothing else") {
    const BuiltGame game = make_game();
    game.build();
    game.write("assets/one.skin", "h_head,sky\nl_legs,env/fire\n");
    const json changed = game.build();
    CHECK(changed["assets_scanned"] == 1);
    CHECK(game.bundle() == game.clean_bundle());
    fs::rename(game.path("assets/one.skin"),
               game.path("assets/renamed.skin"));  // the scan of these bytes is remembered
    CHECK(game.build()["assets_scanned"] == 0);
    CHECK(game.bundle() == game.clean_bundle());
    game.write("assets/renamed.skin", "h_head,sky\nl_legs,env/own\n");  // the earlier content
    grow_old();
    CHECK(game.build()["assets_scanned"] == 0);
    CHECK(game.bundle() == game.clean_bundle());
}

TEST_CASE("resolved build: a changed pattern, use, form or optional scans what it matches, and nothing else") {
    const BuiltGame game = make_game();
    game.build();
    int round = 0;
    for (const auto& [from, to] : {std::pair("image = \"{", "other = \"{"),
                                   {"use = \"texture\"", "use = \"texture\"\noptional = true"},
                                   {"use = \"texture\"", "use = \"shader\""},
                                   {"use = \"shader\"", "use = \"shader\"\nform = \"below_textures\""}}) {
        CAPTURE(++round);
        game.replace("fardel.toml", from, to);
        CHECK(game.build()["assets_scanned"] == 1);
        CHECK(game.bundle() == game.clean_bundle());
    }
    game.replace("fardel.toml", "\n[[scanner]]",
                 "consumed = [\"env/gone.tga\"]\n[[scanner]]");  // resolved again, not scanned
    CHECK(game.build()["assets_scanned"] == 0);
    CHECK(game.bundle() == game.clean_bundle());
}

TEST_CASE("resolved build: remembered scans may be damaged or lost, and the bundle is the same") {  // A114
    const BuiltGame game = make_game();
    game.build();
    const std::string wanted = game.bundle();
    const std::string good = game.read(".fardel/build.sqlite");
    FARDEL_RANDOM(random);
    for (int round = 0; round < 12; ++round) {
        CAPTURE(round);
        std::string bad = good;
        if (round == 0)
            bad.clear();
        else
            for (int i = 0; i < 64; ++i)
                bad[random() % bad.size()] = static_cast<char>(random());
        game.write(".fardel/build.sqlite", bad);
        fs::remove(game.path("game.fardel"));
        const json again = game.build();
        CHECK(game.bundle() == wanted);
        CHECK(again["assets_scanned"] <= 5);
    }
}

}  // namespace fardel::tests::resolved_build_test
