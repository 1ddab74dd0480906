// Builds of projects with [link]: what is scanned, what is remembered of it. The program, real folders.
#include "program.h"
#include "random_seed.h"
#include "scratch.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <thread>

namespace fardel {
namespace {

namespace fs = std::filesystem;
using namespace tests;
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

class LinkedGame {
public:
    LinkedGame() {
        write("fardel.toml", kProject);
        write("assets/one.skin", "h_head,sky\nl_legs,env/own\n");
        write("assets/two.skin", "h_head,sky\nl_legs,env/gone\n");
        write("assets/broken.skin.map", "{\n");
        write("assets/scripts/x.shader", "sky\n{\n{\nmap env/sky.tga\n}\n}\n");
        write("assets/fire.fx", "image = \"env/fire\"\nother = \"env/ice\"\n");
        for (const char* image : {"env/sky.tga", "env/own.png", "env/fire.jpg", "env/ice.jpg"})
            write("assets/" + std::string(image), image);
        grow_old();
    }

    std::string path(std::string_view name = "") const { return scratch.path("game/" + std::string(name)); }
    void write(const std::string& name, std::string_view text) const { scratch.write("game/" + name, text); }
    std::string read(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void replace(const std::string& name, std::string_view from, std::string_view to) const {
        std::string text = read(name);
        const auto at = text.find(from);
        REQUIRE(at != std::string::npos);
        write(name, text.replace(at, from.size(), to));
    }
    json build(const Arguments& more = {}) const {
        Arguments words{"build", path(), "--level", "1", "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return json::parse(run_well(words));
    }
    std::string bundle() const { return read("game.fardel"); }
    // What a build from nothing writes, elsewhere.
    std::string clean_bundle() const {
        const ScratchFolder other;
        fs::copy(path(), other.path("game"), fs::copy_options::recursive);
        fs::remove_all(other.path("game/.fardel"));
        run_well({"build", other.path("game"), "--level", "1"});
        std::ifstream file(other.path("game/game.fardel"), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static void grow_old() { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }

    ScratchFolder scratch;
};

TEST_CASE("linked build: what was scanned once is not read again, and the bundle is that of a clean build") {
    const LinkedGame game;
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

TEST_CASE("linked build: a changed asset is scanned, and nothing else") {
    const LinkedGame game;
    game.build();
    game.write("assets/one.skin", "h_head,sky\nl_legs,env/fire\n");
    const json changed = game.build();
    CHECK(changed["assets_scanned"] == 1);
    CHECK(game.bundle() == game.clean_bundle());
    fs::rename(game.path("assets/one.skin"), game.path("assets/renamed.skin"));   // the bytes are known
    CHECK(game.build()["assets_scanned"] == 0);
    CHECK(game.bundle() == game.clean_bundle());
    game.write("assets/renamed.skin", "h_head,sky\nl_legs,env/own\n");   // as it was before
    LinkedGame::grow_old();
    CHECK(game.build()["assets_scanned"] == 0);
    CHECK(game.bundle() == game.clean_bundle());
}

TEST_CASE("linked build: a changed pattern, use, form or optional scans what it matches, and nothing else") {
    const LinkedGame game;
    game.build();
    int round = 0;
    for (const auto& [from, to] : {std::pair("image = \"{", "other = \"{"), {"use = \"texture\"", "use = \"texture\"\noptional = true"}, {"use = \"texture\"", "use = \"shader\""}, {"use = \"shader\"", "use = \"shader\"\nform = \"below_textures\""}}) {
        CAPTURE(++round);
        game.replace("fardel.toml", from, to);
        CHECK(game.build()["assets_scanned"] == 1);
        CHECK(game.bundle() == game.clean_bundle());
    }
    game.replace("fardel.toml", "\n[[scanner]]", "consumed = [\"env/gone.tga\"]\n[[scanner]]");   // linked anew, not scanned
    CHECK(game.build()["assets_scanned"] == 0);
    CHECK(game.bundle() == game.clean_bundle());
}

TEST_CASE("linked build: what was remembered may be damaged or lost, and the bundle is the same") {   // A114
    const LinkedGame game;
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

}  // namespace
}  // namespace fardel
