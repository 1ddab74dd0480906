#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::which_test {

using nlohmann::json;

TEST_CASE("which: the later mount wins, and each candidate is listed") {
    const ScratchFolder scratch;
    const std::string game = make_bundle(scratch);
    scratch.write("mod/default.cfg", "set name \"modder\"\n");
    const std::string mod = scratch.path("mod.fardel");
    run_well({"pack", scratch.path("mod"), "-o", mod});
    const std::string asset = b3sum(scratch.path("mod/default.cfg"));

    const std::string text = run_well({"which", "--mount", game, "--mount", mod, "default.cfg"});
    CHECK(text.starts_with("/default.cfg → /assets/" + asset + "\n"));
    CHECK(text.find(mod + ": wins\n") != std::string::npos);
    CHECK(text.find(game + ": same priority, mounted earlier\n") != std::string::npos);
    CHECK(text.find("no trusted signature") != std::string::npos);
    CHECK(run_well({"which", "--mount", game, "--mount", mod, "/default.cfg"}) == text);
    CHECK(run_well({"which", "--mount", mod, "--mount", game, "default.cfg"}).find(game + ": wins\n") !=
          std::string::npos);

    const json explained = json::parse(run_well({"which", "--mount", game, "--mount", mod, "default.cfg", "--json"}));
    CHECK(explained["kind"] == "published");
    CHECK(explained["winner"] == 0);
    REQUIRE(explained["candidates"].size() == 2);
    CHECK(explained["candidates"][0]["asset"] == asset);
    CHECK(explained["candidates"][0]["file"] == mod);
    CHECK(explained["candidates"][0]["tainted"] == true);
    CHECK(
        run_well({"which", "--mount", game, "/assets/" + asset.substr(0, 0) + b3sum(scratch.path("game/default.cfg"))})
            .find("wins") != std::string::npos);
}

TEST_CASE("which: a name of which only the case differs is suggested, and --fold finds it") {
    const ScratchFolder scratch;
    scratch.write("f/textures/wall.png", "x");
    for (const std::string& mounted : {make_bundle(scratch), scratch.path("f")}) {
        const bool is_folder = mounted == scratch.path("f");
        const std::string there = is_folder ? "textures/wall.png" : "default.cfg";
        const std::string wanted = is_folder ? "Textures/Wall.PNG" : "Default.CFG";
        const Outcome text = run({"which", "--mount", mounted, wanted});
        CHECK(text.exit_code == 1);
        CHECK(text.out.find("no such name; did you mean '/" + there + "'?") != std::string::npos);
        CHECK(json::parse(run({"which", "--mount", mounted, wanted, "--json"}).out)["other_case"] == "/" + there);
        CHECK(run_well({"which", "--fold", "--mount", mounted, wanted}).find("name " + there) != std::string::npos);
    }
}

TEST_CASE("which: a game whose folders are called assets and bundles is found by every verb") {
    const ScratchFolder scratch;
    scratch.write("pack/assets/minecraft/stone.png", "png");
    scratch.write("pack/bundles/b.txt", "b");
    scratch.write("pack/pack.mcmeta", "{}");
    const std::string bundle = scratch.path("pack.fardel");
    run_well({"pack", scratch.path("pack"), "-o", bundle});
    run_well({"verify", bundle});
    const std::string stone = "assets/minecraft/stone.png";
    const std::string id = b3sum(scratch.path("pack/" + stone));
    for (const std::string& mounted : {bundle, scratch.path("pack")}) {
        const std::string text = run_well({"which", "--mount", mounted, stone});
        CHECK(text.starts_with("/" + stone + " → /assets/" + id + "\n"));
        CHECK(run_well({"which", "--mount", mounted, "bundles"}).starts_with("/bundles: a folder\n"));
        CHECK(run_well({"which", "--mount", mounted, "/assets/" + id}).find("wins") != std::string::npos);
    }
    CHECK(run_well({"cat", bundle, "/" + stone}) == "png");
    CHECK(run_well({"cat", bundle, "bundles/b.txt"}) == "b");
    CHECK(run_well({"ls", bundle, "/assets"}) == stone + "\n");
    CHECK(run_well({"ls", bundle, "/bundles/b.txt"}) == "bundles/b.txt\n");
    run_well({"extract", bundle, "-C", scratch.path("out")});
    CHECK(run_program({"diff", "-r", scratch.path("pack"), scratch.path("out")}).exit_code == 0);
}

TEST_CASE("which: a published name at the path of an id is refused by pack") {
    const ScratchFolder scratch;
    const std::string name = "assets/" + std::string(64, '0');
    scratch.write("game/" + name, "hidden");
    const Outcome outcome = run({"pack", scratch.path("game"), "-o", scratch.path("game.fardel")});
    CHECK(outcome.exit_code == 1);
    CHECK(is_one_clear_line(outcome, "malformed"));
    CHECK(outcome.err.find(name) != std::string::npos);
    CHECK_FALSE(fs::exists(scratch.path("game.fardel")));
}

TEST_CASE("which: digests of a folder are kept in the user's cache folder, and nowhere without one") {
    const ScratchFolder scratch;
    scratch.write("game/default.cfg", "bind x quit\n");
    const Surroundings with_cache{.variables = {{"XDG_CACHE_HOME", scratch.path("cache")}}};
    grow_old();
    const Arguments which{"which", "--mount", scratch.path("game"), "default.cfg"};
    const std::string text = run_well(which, with_cache);
    std::size_t files = 0;
    for (const auto& file : std::filesystem::directory_iterator(scratch.path("cache/fardel/folders")))
        files += file.path().extension() == ".digests" ? 1 : 0;
    CHECK(files == 1);
    CHECK(run_well(which, with_cache) == text);
    CHECK(run_well(which) == text);
}

TEST_CASE("which: folders, absent names and invalid paths") {
    const ScratchFolder scratch;
    const std::string game = make_bundle(scratch);
    CHECK(run_well({"which", "--mount", game, "maps"}).find(": a folder\n") != std::string::npos);
    const Outcome nothing = run({"which", "--mount", game, "nosuch"});
    CHECK(nothing.exit_code == 1);
    CHECK(nothing.out == "/nosuch: no such name\n");
    CHECK(is_one_clear_line(run({"which", "--mount", game, "../x"}), "malformed"));
    CHECK(is_one_clear_line(run({"which", "--mount", scratch.path("absent"), "x"}), "missing"));
    CHECK(is_one_clear_line(run({"which", "--mount", game, "--mount", game, "x"}), "conflict"));
}

TEST_CASE("which --trust: mounts only what the policy trusts, and names the signer") {
    const ScratchFolder scratch;
    const std::string game = make_bundle(scratch);
    const std::string key = make_key(scratch, "author");
    run_well({"trust", "init", scratch.path("p.trust"), "--author", key + ".pub"});
    const Arguments arguments{"which", "--mount", game, "--trust", scratch.path("p.trust"), "default.cfg"};
    const Outcome refused = run(arguments);
    CHECK(refused.exit_code == 1);
    CHECK(is_one_clear_line(refused, "untrusted"));
    run_well({"sign", game, "--key", key, "--role", "author"});
    CHECK(run_well(arguments).find("signed by author\n") != std::string::npos);
}

TEST_CASE("which --trust: a maps/* key hides nothing of the core, and which says so") {  // A124
    const ScratchFolder scratch;
    scratch.write("core/default.cfg", "genuine");
    scratch.write("map/default.cfg", "hostile");
    scratch.write("map/maps/x.bsp", "a map");
    const std::string alice = make_key(scratch, "alice"), bob = make_key(scratch, "bob");
    const std::string core = scratch.path("core.fardel"), map = scratch.path("map.fardel");
    run_well({"pack", scratch.path("core"), "-o", core, "--name", "core", "--version", "1", "--key", alice});
    run_well({"pack", scratch.path("map"), "-o", map, "--name", "maps/x", "--version", "1", "--key", bob});
    const auto key_of = [](const std::string& file) {
        const std::string text = read_file(file + ".pub");
        return text.substr(text.find("public-key: ") + 12, 64);
    };
    const std::string policy =
        scratch.write("t.trust", "fardel-trust 1\nkey alice " + key_of(alice) + "\nkey bob " + key_of(bob) +
                                     "\nallow core author=1:alice\nallow maps/* author=1:bob\n");
    const std::string text = run_well({"which", "--mount", core, "--mount", map, "--trust", policy, "/default.cfg"});
    CHECK(text.find(map + ": not allowed: the trust policy does not let it publish this name\n") != std::string::npos);
    CHECK(text.find(core + ": wins\n") != std::string::npos);
    CHECK(run_well({"which", "--mount", core, "--mount", map, "--trust", policy, "/maps/x.bsp"}).find(": wins\n") !=
          std::string::npos);
    const Outcome verified = run({"verify", map, "--trust", policy});
    CHECK(verified.exit_code == 1);
    CHECK(verified.out.find("'default.cfg' is published; the rule maps/* lets it publish maps/**") !=
          std::string::npos);
    CHECK(run_well({"trust", "show", policy}).find("may publish: maps/**\n") != std::string::npos);
}

TEST_CASE("which --extensions: explains the name that is found, and lists those that were tried before") {
    const ScratchFolder scratch;
    const std::string game = make_bundle(scratch);
    const Arguments arguments{"which", "--mount", game, "textures/base/water", "--extensions", "tga,jpg,png"};
    const std::string text = run_well(arguments);
    CHECK(text.starts_with("/textures/base/water.jpg → /assets/"));
    CHECK(text.find("\n  /textures/base/water: no such name\n  /textures/base/water.tga: no such name\n") !=
          std::string::npos);
    CHECK(text.find(".png") == std::string::npos);
    Arguments as_json = arguments;
    as_json.push_back("--json");
    const json explained = json::parse(run_well(as_json));
    CHECK(explained["path"] == "/textures/base/water.jpg");
    CHECK(explained["tried"] == json({"/textures/base/water", "/textures/base/water.tga"}));
    const Outcome nothing = run({"which", "--mount", game, "textures/none", "--extensions", "tga,jpg"});
    CHECK(nothing.exit_code == 1);
    CHECK(nothing.out ==
          "/textures/none: no such name\n  /textures/none.tga: no such name\n"
          "  /textures/none.jpg: no such name\n");
    CHECK(run({"which", "--mount", game, "x", "--extensions", ".tga"}).exit_code == 2);
}

}  // namespace fardel::tests::which_test
