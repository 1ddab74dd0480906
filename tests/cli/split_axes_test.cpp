// [split] axes: variants in bundles of their own, which together act like the one bundle.
#include "sample.h"

#include "kit/openarena.h"

#include <nlohmann/json.hpp>

#include <regex>

namespace fardel::tests::split_axes_test {

using nlohmann::json;

const std::string kStart = R"(name = "studio/game"
version = "1.0"
sources = ["assets"]
[[rule]]
match = "hd/**"
strip = "hd/"
tags = { quality = "hd" }
[[rule]]
match = "fr/**"
strip = "fr/"
tags = { lang = "fr" }
[[rule]]
match = "de/**"
strip = "de/"
tags = { lang = "de" }
)";
const std::string kLink = R"([link]
roots = ["menu.fx"]
[[scanner]]
match = "**/*.fx"
pattern = 'image = "{reference}"'
use = "texture"
)";

struct SpokenGame {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("game");
    const std::string base = folder + "/game.fardel";
    const std::string french = folder + "/game-lang-fr.fardel";

    SpokenGame() {
        for (const std::string name : {"hello", "bye"})
            for (const std::string lang : {"", "fr/", "de/"})
                scratch.write("game/assets/" + lang + name + ".wav", name + " " + lang);
        scratch.write("game/assets/hd/hello.wav", "hello hd");
        scratch.write("game/assets/logo.png", "logo");
        scratch.write("game/assets/menu.fx", "image = \"logo.png\"\n");
        scratch.write("game/assets/fr/menu.fx", "# menu\nimage = \"logo.png\"\n");
        scratch.write("game/assets/de/late.wav", "only german");
    }
    json build(const std::string& tables) const {
        scratch.write("game/fardel.toml", kStart + tables);
        return json::parse(run_well({"build", folder, "--json"}));
    }
    std::string read(const Arguments& mounts, const std::string& name, const std::string& variants) const {
        Arguments words{"which", name, "--variants", variants};
        for (const std::string& mount : mounts)
            words.insert(words.end(), {"--mount", mount});
        const Outcome outcome = run(words);
        const auto at = outcome.out.find("/assets/");
        return outcome.exit_code == 0 && at != std::string::npos ? outcome.out.substr(at + 8, 64) : "";
    }
};

TEST_CASE_FIXTURE(SpokenGame, "split axes: what a player never chooses is in a bundle of its own") {
    const json whole = build("");
    const std::string one = folder + "/whole.fardel";
    fs::rename(base, one);
    const json built = build("[split]\naxes = [\"lang\"]\n")["bundles"];
    REQUIRE(built.size() == 3);
    CHECK(built[0]["file"] == base);
    CHECK(built[0]["name"] == "studio/game");
    CHECK(built[1]["file"] == folder + "/game-lang-de.fardel");
    CHECK(built[2]["name"] == "studio/game-lang-fr");
    CHECK(built[2]["names"] == 3);
    CHECK(built[2]["assets"] == 3);
    for (const json& bundle : built)
        run_well({"verify", bundle["file"]});

    // Together they are the one bundle; the order of the mounts does not count.
    const std::string german = folder + "/game-lang-de.fardel";
    for (const std::string variants : {"lang=fr", "lang=de quality=hd", "quality=hd lang=fr", "lang=it", "quality=sd"})
        for (const std::string name : {"hello.wav", "bye.wav", "menu.fx", "late.wav", "logo.png"}) {
            CAPTURE(name);
            CAPTURE(variants);
            const std::string expected = read({one}, name, variants);
            CHECK(expected != "");
            CHECK(read({base, french, german}, name, variants) == expected);
            CHECK(read({german, french, base}, name, variants) == expected);
        }
    // One language is enough for who speaks it, and none has the defaults.
    CHECK(read({base, french}, "bye.wav", "lang=fr") == read({one}, "bye.wav", "lang=fr"));
    CHECK(read({base}, "bye.wav", "lang=fr") == read({one}, "bye.wav", "lang=it"));
    CHECK(read({base}, "late.wav", "lang=fr") != "");
    CHECK(run({"which", "hello.wav", "--mount", french}).exit_code != 0);
    CHECK(whole["assets"] == built[0]["assets"].get<int>() + built[1]["assets"].get<int>() + 3);
}

TEST_CASE_FIXTURE(SpokenGame,
                  "split axes: a variant references what is in the main bundle, and is up to date with it") {
    const json built = build(kLink + "[split]\naxes = [\"lang\"]\n")["bundles"];
    REQUIRE(built.size() == 3);
    run_well({"links", base, french});
    const Outcome alone = run({"links", french});
    CHECK(alone.exit_code != 0);
    CHECK(run_well(
              {"which", "--mount", base, "--mount", french, "--variants", "lang=fr", "--from", "menu.fx", "logo.png"})
              .find("/assets/" + b3sum(folder + "/assets/logo.png")) != std::string::npos);
    grow_old();
    run_well({"build", folder});
    check_has(run_well({"build", folder}), "is up to date");
    scratch.write("game/assets/fr/bye.wav", "au revoir");
    run_well({"build", folder});
    CHECK(read({base, french}, "bye.wav", "lang=fr") == b3sum(folder + "/assets/fr/bye.wav"));
}

TEST_CASE_FIXTURE(SpokenGame, "split axes: mistakes are reported, and without such variants there is one bundle") {
    const auto refused = [&](const std::string& tables) {
        scratch.write("game/fardel.toml", kStart + tables);
        return run({"build", folder}).err;
    };
    check_has(refused("[split]\naxes = [\"langs\"]\n"), "the axis 'langs'; did you mean 'lang'?");
    check_has(refused("[split]\naxes = []\n"), "'axes' is empty");
    check_has(refused("[split]\naxes = [\"lang=\"]\n"), "its value behind '='");
    check_has(refused("[split]\naxes = [\"lang=it\"]\n"), "the tag lang=it; write tags = { lang = \"it\" }");
    check_has(refused("[split]\naxes = [\"lang\", \"lang=fr\"]\n"), "twice");
    check_has(refused(kLink + "[split]\npolicy = \"per-root\"\naxes = [\"lang\"]\n"), "remove one");
    check_has(refused("[split]\nbytes_max = 3\n"), "axes = [\"lang\"]");
    fs::remove_all(folder + "/assets/fr");
    fs::remove_all(folder + "/assets/de");
    CHECK(build("[split]\naxes = [\"lang\"]\n")["file"] == base);
}

// What OpenArena's own tools need, and its players do not: the editor's directives of shaders, and texts.
const std::string kCreators = R"(name = "oa/scripts"
version = "1.0"
sources = ["assets"]

[processor.play]
command = ["sh", "-c", 'sed -E "/^[[:space:]]*(qer_|q3map_)/Id" "$1" > "$2"', "sh", "${in}", "${out}"]
outputs = ["play/{folder}{name}"]
keep_source = true

[[rule]]
match = "scripts/*.shader"
process = "play"
tags = { data = "creators" }

[[rule]]
match = "play/**"
strip = "play/"

[[rule]]
match = "*.txt"
tags = { data = "creators" }

[split]
axes = ["data=creators"]
)";

std::size_t directives_in(const std::string& text) {
    static const std::regex directive("(^|\n)[ \t]*(qer_|q3map_)", std::regex::icase);
    return static_cast<std::size_t>(std::distance(std::sregex_iterator(text.begin(), text.end(), directive), {}));
}

TEST_CASE("split axes: what only creators need, also under names of its own, is in a bundle that needs the game's") {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("game");
    fs::create_directories(folder + "/assets");
    REQUIRE(run_program(
                {"unzip", "-q", openarena_archive("pak6-patch088.pk3"), "scripts/*", "*.txt", "-d", folder + "/assets"})
                .exit_code == 0);
    scratch.write("game/fardel.toml", kCreators);
    const json built = json::parse(run_well({"build", folder, "--json"}))["bundles"];
    REQUIRE(built.size() == 2);
    const std::string players = built[0]["file"];
    const std::string creators = built[1]["file"];
    CHECK(creators == folder + "/scripts-data-creators.fardel");
    run_well({"verify", players, creators});

    std::size_t directives = 0;
    std::size_t shaders = 0;
    for (const auto& file : fs::directory_iterator(folder + "/assets/scripts")) {
        if (file.path().extension() != ".shader")
            continue;
        const std::string name = "scripts/" + file.path().filename().string();
        CAPTURE(name);
        const std::string whole = read_file(file.path().string());
        ++shaders;
        directives += directives_in(whole);
        CHECK(directives_in(run_well({"cat", players, name})) == 0);
        // A creator mounts both, and has the files as they are; without the choice, he plays.
        const Arguments both{"which", name, "--mount", players, "--mount", creators};
        Arguments chosen = both;
        chosen.insert(chosen.end(), {"--variants", "data=creators"});
        check_has(run_well(chosen), "/assets/" + b3sum(file.path().string()));
        check_has(run_well(both), "scripts.fardel: wins");
    }
    CHECK(shaders > 50);
    CHECK(directives > 500);
    // A name that only creators have is not in the game's bundle.
    CHECK(run({"which", "slimefac.txt", "--mount", players}).exit_code != 0);
    check_has(run_well({"which", "slimefac.txt", "--mount", players, "--mount", creators}),
              "/assets/" + b3sum(folder + "/assets/slimefac.txt"));
    // The creators' bundle needs the game's.
    CHECK(run({"verify", creators, "--require-dependencies"}).exit_code != 0);
}

}  // namespace fardel::tests::split_axes_test
