// fardel audit, and build with [link] and [split], on small projects and on maps of a real game.
#include "kit/openarena.h"
#include "sample.h"

#include <fardel/base/sanitizers.h>

#include <nlohmann/json.hpp>

#include <set>

namespace fardel::tests::audit_test {

using nlohmann::json;

constexpr std::string_view kShaders = "sky\n{\n{\nmap env/sky.tga\n}\n}\nlava\n{\n{\nmap env/lava.tga\n}\n}\n";

// Two skins represent maps; both use the sky, and one of them uses the lava.
std::string make_project(const ScratchFolder& scratch, std::string_view more) {
    scratch.write("game/assets/one.skin", "h_head,sky\nl_legs,env/own\n");
    scratch.write("game/assets/two.skin", "h_head,sky\nl_legs,lava\nu_torso,env/gone\n");
    scratch.write("game/assets/scripts/x.shader", kShaders);
    for (const char* image : {"env/sky.tga", "env/lava.jpg", "env/own.png", "env/nobody.png"})
        scratch.write(std::string("game/assets/") + image, image);
    return scratch.write(
        "game/fardel.toml",
        "name = \"game\"\nversion = \"1\"\nsources = [\"assets\"]\n[link]\nroots = [\"*.skin\"]\n" + std::string(more));
}

std::set<std::string> names_in(const std::string& bundle) {
    std::set<std::string> names;
    const json output = json::parse(run_well({"ls", "--json", bundle}));
    for (const json& name : output["names"])
        names.insert(name["name"].get<std::string>());
    return names;
}

TEST_CASE("audit: it reports which names of a project are missing, unused, and reached from each root") {
    const ScratchFolder scratch;
    make_project(scratch, "");
    const Outcome outcome = run({"audit", scratch.path("game"), "--json"});
    CHECK(outcome.exit_code == 1);
    const json output = json::parse(outcome.out);
    CHECK(output["complete"] == false);
    REQUIRE(output["missing"].size() == 1);
    CHECK(output["missing"][0]["from"] == "two.skin");
    CHECK(output["missing"][0]["line"] == 3);
    CHECK(output["missing"][0]["spelling"] == "env/gone");
    CHECK(output["missing"][0]["tried"][1] == "env/gone.tga");
    REQUIRE(output["unused"].size() == 1);
    CHECK(output["unused"][0]["name"] == "env/nobody.png");
    REQUIRE(output["roots"].size() == 2);
    CHECK(output["roots"][0]["names"] == json({"env/own.png", "env/sky.tga", "one.skin", "scripts/x.shader"}));
    CHECK(output["roots"][0]["missing"].empty());
    CHECK(output["roots"][1]["missing"].size() == 1);

    const Outcome text = run({"audit"}, {.folder = scratch.path("game")});
    CHECK(text.exit_code == 1);
    CHECK(text.out.find("two.skin:3: shader env/gone\n") != std::string::npos);
    CHECK(run({"audit", scratch.path("game"), "--consumed", "env/*"}).exit_code == 0);
    CHECK(run({"audit", scratch.path("game/fardel.toml"), "--exclude", "two.skin"}).exit_code == 0);
}

TEST_CASE("audit: each finding says what was tried, or why nothing was") {
    const ScratchFolder scratch;
    scratch.write("m/a.gltf", R"({"images":[{"uri":"a.png"},{"uri":"https://host/b.png"},{"uri":"Wall.PNG"}]})");
    scratch.write("m/wall.png", "x");
    const Outcome text = run({"audit", scratch.path("m")});
    CHECK(text.exit_code == 1);
    CHECK(text.out.find("a.gltf: texture a.png\n    tried a.png\n") != std::string::npos);
    CHECK(text.out.find("    an address (https:), not a name of the game\n") != std::string::npos);
    CHECK(text.out.find("a.gltf: texture Wall.PNG is wall.png\n") != std::string::npos);
    const json output = json::parse(run({"audit", scratch.path("m"), "--json"}).out);
    CHECK(output["missing"][1]["why_not_tried"] == "an address (https:), not a name of the game");
    REQUIRE(output["respelled"].size() == 1);
    CHECK(output["respelled"][0]["name"] == "wall.png");
    CHECK(json::parse(run({"audit", scratch.path("m"), "--fold", "--json"}).out)["respelled"].empty());
}

TEST_CASE("audit: what could not be looked into is not complete; files of other programs are named as such") {
    const ScratchFolder scratch;
    scratch.write("m/level.gltf", "{\"images\":[{\"uri\":\"gone.png\"},]}");
    const Outcome text = run({"audit", scratch.path("m")});
    CHECK(text.exit_code == 1);
    CHECK(text.out.find("a comma before ]") != std::string::npos);
    CHECK(json::parse(run({"audit", scratch.path("m"), "--json"}).out)["complete"] == false);
    scratch.write("fardel.toml",
                  "name = \"t/x\"\nsources = [\"m\"]\n[link]\nmissing = \"error\"\nroots = [\"level.gltf\"]\n");
    const Outcome build = run({"build", scratch.path("")});
    CHECK(build.exit_code != 0);
    CHECK(build.err.find("level.gltf could not be looked into") != std::string::npos);

    scratch.write("w/maps/2p.map", "Gg, Gg, Ww\n");
    const json other = json::parse(run_well({"audit", scratch.path("w"), "--json"}));
    CHECK(other["broken"].empty());
    REQUIRE(other["other_formats"].size() == 1);
    CHECK(other["other_formats"][0]["name"] == "maps/2p.map");
    CHECK(run_well({"audit", scratch.path("w")}).find("of another format") != std::string::npos);
    CHECK(json::parse(run({"audit", scratch.path("w"), "--root", "maps/*.map", "--json"}).out)["complete"] == false);
}

TEST_CASE("audit: a mod is audited against the bundles, folders and archives that it extends") {
    const ScratchFolder scratch;
    scratch.write("game/wall.png", "x");
    scratch.write("more/floor.png", "y");
    scratch.write("mod/a.gltf", R"({"images":[{"uri":"wall.png"},{"uri":"floor.png"}]})");
    const std::string game = scratch.path("game.fardel");
    run_well({"pack", scratch.path("game"), "-o", game});
    CHECK(json::parse(run({"audit", scratch.path("mod"), "--json"}).out)["missing"].size() == 2);
    CHECK(json::parse(run({"audit", scratch.path("mod"), "--base", game, "--json"}).out)["missing"].size() == 1);
    const json both =
        json::parse(run_well({"audit", scratch.path("mod"), "--base", game, "--base", scratch.path("more"), "--json"}));
    CHECK(both["complete"] == true);
    CHECK(both["resolved"] == 2);
    const Outcome mistaken = run({"audit", game});
    CHECK(mistaken.exit_code != 0);
    CHECK(mistaken.err.find("--base") != std::string::npos);
    scratch.write("mod/fardel.toml", "name = \"t/mod\"\nsources = [\".\"]\n");
    run_well({"audit", scratch.path("mod"), "--base", game, "--base", scratch.path("more")});
}

TEST_CASE("audit: it accepts folders without a project") {
    const ScratchFolder scratch;
    make_project(scratch, "");
    const json output = json::parse(
        run({"audit", scratch.path("game/assets"), "--root", "one.skin", "--used", "env/nobody.png", "--json"}).out);
    CHECK(output["by_code"] == 1);
    CHECK(output["unused"].size() == 2);  // two.skin and the lava
    CHECK(is_one_clear_line(run({"audit", scratch.path("game/assets"), "--root", "a**"}), "malformed"));
}

TEST_CASE("audit: with a profile, soft findings are listed with their reason, and only hard ones fail") {
    const ScratchFolder scratch;
    scratch.write("game/assets/scripts/a.shader",
                  "textures/spare\n{\nqer_editorimage textures/editor.tga\n{\nmap textures/gone.tga\n}\n}\n");
    const Outcome text = run({"audit", scratch.path("game/assets"), "--profile", "quake3"});
    CHECK(text.exit_code == 0);
    CHECK(text.out.find("scripts/a.shader:5: texture textures/gone.tga (nothing here draws the shader)\n") !=
          std::string::npos);
    CHECK(text.out.find("0 missing, 2 more softly") != std::string::npos);
    const json output = json::parse(run({"audit", scratch.path("game/assets"), "--profile", "quake3", "--json"}).out);
    CHECK(output["complete"] == true);
    REQUIRE(output["missing"].size() == 2);
    CHECK(output["missing"][0]["hard"] == false);
    CHECK(output["missing"][0]["why"] == "the game runs without it");
    const Outcome plain = run({"audit", scratch.path("game/assets"), "--json"});
    CHECK(plain.exit_code == 1);
    CHECK(json::parse(plain.out)["missing"][0]["hard"] == true);
    CHECK(is_one_clear_line(run({"audit", scratch.path("game/assets"), "--profile", "quake"}), "missing"));

    scratch.write("game/fardel.toml",
                  "name = \"game\"\nsources = [\"assets\"]\n[link]\nprofile = \"quake3\"\nmissing = \"error\"\n");
    run_well({"audit", scratch.path("game")});
    run_well({"build", scratch.path("game")});
    scratch.write("game/assets/old/b.shader", "");
    run_well({"build", scratch.path("game")});
    run_well({"verify", scratch.path("game/game.fardel")});
    const Outcome misplaced = run({"verify", scratch.path("game/game.fardel"), "--profile", "quake3"});
    CHECK(misplaced.exit_code == 1);
    CHECK(has(misplaced.out, "old/b.shader"));
    CHECK(has(misplaced.out, "[name-misplaced]"));
    scratch.write("game/fardel.toml", "name = \"game\"\nsources = [\"assets\"]\n[link]\nprofile = \"doom\"\n");
    CHECK(has(run({"build", scratch.path("game")}).err, "fardel.toml:4:11: "));
}

TEST_CASE("build: with [split] it makes one bundle per root and common ones, signed and together complete") {
    const ScratchFolder scratch;
    make_project(scratch, "consumed = []\n[split]\npolicy = \"per-root\"\n");
    const std::string key = make_key(scratch, "author");
    const json output = json::parse(run_well({"build", scratch.path("game"), "--key", key, "--json"}));
    REQUIRE(output["bundles"].size() == 4);
    Arguments links{"links"}, verify{"verify"};
    for (const json& bundle : output["bundles"]) {
        CHECK(bundle["signed_by"].is_string());
        links.push_back(bundle["file"]);
        run_well({"verify", bundle["file"].get<std::string>()});
    }
    CHECK(links[1] == scratch.path("game/game-common-1.fardel"));
    CHECK(names_in(scratch.path("game/game-common-1.fardel")) ==
          std::set<std::string>{"env/sky.tga", "scripts/x.shader"});
    CHECK(names_in(scratch.path("game/game-one.fardel")) == std::set<std::string>{"env/own.png", "one.skin"});
    CHECK(names_in(scratch.path("game/game-two.fardel")) == std::set<std::string>{"env/lava.jpg", "two.skin"});
    CHECK(names_in(scratch.path("game/game-rest.fardel")) == std::set<std::string>{"env/nobody.png"});
    CHECK(run(links).exit_code == 0);
    CHECK(run(links).out.find("0 names missing, 0 bundles missing") != std::string::npos);
    CHECK(run({"links", links[2]}).exit_code == 1);  // a root alone lacks the common content

    const std::string first = read_file(scratch.path("game/game-two.fardel"));
    run_well({"build", scratch.path("game"), "--anew", "--jobs", "1", "--key", key});
    CHECK(json::parse(facts_of(scratch.path("game/game-two.fardel")))["bundle"] == output["bundles"][2]["bundle"]);
}

TEST_CASE(
    "OpenArena: maps become bundles of their own over common ones, and together they lack what the game lacks, nothing "
    "more") {
    if (kSanitized) {
        MESSAGE("SKIPPED: a sanitizer takes minutes, and small projects lead through the same code");
        return;
    }
    const ScratchFolder scratch;
    std::string sources;
    for (const std::string& archive : openarena_archives())
        sources += "\"" + archive + "\", ";
    scratch.write("fardel.toml", "name = \"openarena\"\nsources = [" + sources +
                                     "]\nexclude = [\"models/players/**\", \"sound/**\", \"music/**\", \"demos/**\", "
                                     "\"sources/**\", \"vm/**\", \"levelshots/**\"]\n"
                                     "[link]\nroots = [\"maps/oa_dm1.bsp\", \"maps/oa_dm4.bsp\", "
                                     "\"maps/aggressor.bsp\"]\n[split]\npolicy = \"per-root\"\nbytes_max = 100000\n");
    const json output = json::parse(run_well({"build", scratch.root().string(), "--level", "1", "--json"}));
    Arguments links{"links"};
    std::set<std::string> all;
    std::size_t names = 0;
    for (const json& bundle : output["bundles"]) {
        links.push_back(bundle["file"]);
        const auto in = names_in(bundle["file"]);
        names += in.size();
        all.insert(in.begin(), in.end());
    }
    CHECK(names == all.size());  // each name is in one bundle
    CHECK(links.size() >= 1 + 3 + 2);
    CHECK(links.size() <= 1 + 3 + 5);
    const Outcome outcome = run(links);
    CAPTURE(outcome.out);
    CHECK(outcome.exit_code == 0);
    const json root = json::parse(run({"audit", scratch.root().string(), "--json"}).out)["roots"][1];
    REQUIRE(root["root"] == "maps/oa_dm1.bsp");

    // The map's bundle with what is common holds its closure.
    auto closure = names_in(scratch.path("openarena-maps-oa_dm1.fardel"));
    for (const std::string& file : links)
        if (file.find("-common-") != std::string::npos)
            closure.merge(names_in(file));
    for (const json& name : root["names"])
        CHECK(closure.contains(name.get<std::string>()));
}

TEST_CASE("audit, build, verify: a project has a profile of its own") {
    const ScratchFolder scratch;
    scratch.write("game/assets/art/wall.obj", "mtllib gone.mtl\n");
    scratch.write("game/assets/a.skin", "h_head,textures/wall\n");
    scratch.write("game/assets/textures/wall.ktx2", "image");
    const std::string project = scratch.write(
        "game/fardel.toml",
        "name = \"game\"\nsources = [\"assets\"]\n[link]\nprofile = \"profiles/mygame.toml\"\nmissing = \"error\"\n");
    const auto write_profile = [&](std::string_view extension) {
        return scratch.write("game/profiles/mygame.toml",
                             "[extensions]\ntexture = [\"" + std::string(extension) +
                                 "\"]\n[[soft]]\nfiles = \"**/*.obj\"\nwhy = \"a source of models\"\n[[placement]]\n"
                                 "files = \"**/*.obj\"\nwithin = [\"models/**\"]\nwhy = \"models lie in models/\"\n");
    };
    const Outcome absent = run({"audit", scratch.path("game")});
    CHECK(is_one_clear_line(absent, "missing"));
    CHECK(has(absent.err, "profiles/mygame.toml"));
    const std::string profile = write_profile("ktx2");
    const Outcome audited = run({"audit", scratch.path("game")});
    CHECK(audited.exit_code == 0);
    CHECK(has(audited.out, "art/wall.obj:1: script gone.mtl (models lie in models/)"));
    run_well({"build", scratch.path("game")});
    CHECK(has(run_well({"build", scratch.path("game")}), "up to date"));

    // A changed profile is a changed input of the build.
    write_profile("png");
    const Outcome stale = run({"build", scratch.path("game")});
    CHECK(stale.exit_code == 1);
    CHECK(has(stale.err, "textures/wall"));

    // It is for the command line, too, and the verifier enforces it.
    write_profile("ktx2");
    CHECK(run({"audit", scratch.path("game/assets"), "--profile", profile}).exit_code == 0);
    CHECK(run({"audit", scratch.path("game"), "--profile", "quake3"}).exit_code == 1);
    const Outcome verified = run({"verify", scratch.path("game/game.fardel"), "--profile", profile});
    CHECK(verified.exit_code == 1);
    CHECK(has(verified.out, "'art/wall.obj' lies where the game does not read it: models lie in models/"));
    CHECK(run({"verify", scratch.path("game/game.fardel")}).exit_code == 0);

    // Mistakes have their lines; the path stays in the project.
    scratch.write("game/profiles/mygame.toml", "# mine\n[[soft]]\nfiles = \"a//b\"\n");
    const Outcome mistaken = run({"audit", scratch.path("game")});
    CHECK(is_one_clear_line(mistaken, "malformed"));
    CHECK(has(mistaken.err, "mygame.toml:3:9"));
    for (const char* path : {"../mygame.toml", "/tmp/mygame.toml", "profiles//x.toml"}) {
        scratch.write("game/fardel.toml",
                      "name = \"game\"\nsources = [\"assets\"]\n[link]\nprofile = \"" + std::string(path) + "\"\n");
        const Outcome outside = run({"audit", scratch.path("game")});
        CHECK(is_one_clear_line(outside, "malformed"));
        CHECK(has(outside.err, "fardel.toml:4:11"));
    }
}

}  // namespace fardel::tests::audit_test
