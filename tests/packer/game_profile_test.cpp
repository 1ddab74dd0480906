// Profiles: their texts, and what resolve_plan makes of the conventions of Quake III and of a game with glTF.
#include <fardel/packer/game_profile.h>

#include <fardel/format/bundle_plan.h>
#include <fardel/packer/resolve.h>
#include "scan/reference_scanners.h"

#include "kit/files.h"
#include "reference_bytes.h"

namespace fardel::tests::game_profile_test {

using Lines = std::vector<std::string>;

// A game of small real files; each is scanned as the packer does it.
struct ScannedGame {
    BundlePlan plan;
    std::vector<AssetScan> assets;
    ResolveOptions options;

    explicit ScannedGame(std::string_view profile) {
        auto found = find_game_profile(profile);
        REQUIRE_MESSAGE(found, found.error().message());
        options.profile = *std::move(found);
    }

    // `listed`: as AssetScan::listed.
    void add(const std::string& name, std::string_view type, std::string_view text = "", std::uint64_t listed = 0) {
        const auto asset = static_cast<std::uint32_t>(plan.assets.size());
        plan.assets.push_back({.key = name, .content_type = std::string(type)});
        auto findings = scan_references(name, type, tests::bytes_of(text));
        REQUIRE_MESSAGE(findings, findings.error().message());
        assets.push_back({.size_bytes = text.size(), .findings = *std::move(findings), .listed = listed});
        plan.names.push_back({.name = *AssetName::parse(name), .variants = {{.asset = asset}}});
    }

    void add_shader(const std::string& name, std::string_view text, std::uint64_t listed = 0) {
        add(name, "text/x-quake-shader", text, listed);
    }

    void add_files(std::initializer_list<const char*> names) {
        for (const char* name : names)
            add(name, "");
    }

    ResolveResult resolve() const {
        auto result = resolve_plan(plan, assets, options);
        REQUIRE_MESSAGE(result, result.error().message());
        return *std::move(result);
    }

    // "scripts/a.shader textures/x", and the reason if it is soft.
    static Lines lines_of(const std::vector<MissingReference>& missing) {
        Lines lines;
        for (const MissingReference& one : missing)
            lines.push_back(one.from + " " + one.reference.spelling +
                            (one.why_soft.empty() ? "" : ": " + one.why_soft));
        return lines;
    }
    Lines hard() const { return lines_of(resolve().audit.missing); }
    Lines soft() const { return lines_of(resolve().audit.soft); }

    Lines closure(std::string_view root) const {
        const ResolveResult result = resolve();
        const auto at = std::ranges::find(result.audit.roots, root, &RootClosure::root);
        REQUIRE(at != result.audit.roots.end());
        Lines names;
        for (const std::uint32_t name : at->names)
            names.push_back(plan.names[name].name.text());
        std::ranges::sort(names);
        return names;
    }
};

Lines names_of(const std::vector<NameCandidate>& candidates) {
    Lines lines;
    for (const NameCandidate& one : candidates)
        lines.push_back(one.kind == CandidateKind::shader ? "<" + one.name + ">" : one.name);
    return lines;
}

GameProfile quake3() {
    const auto profile = find_game_profile("quake3");
    REQUIRE(profile);
    return **profile;
}

// ---- The text of a profile ------------------------------------------------------------------------------------------

TEST_CASE("game profile: every profile of the program is well formed; an unknown name is refused with the known ones") {
    for (const std::string_view name : {"daemon", "darkplaces", "gltf", "quake3"}) {
        const auto profile = find_game_profile(name);
        REQUIRE_MESSAGE(profile, profile.error().message());
        CHECK((*profile)->name == name);
    }
    check_error(find_game_profile("quake4"), ErrorCode::missing, "the profiles are: daemon, darkplaces, gltf, quake3;");
}

TEST_CASE("game profile: scanners that are switched off read nothing, and their names are checked") {
    const auto profile = parse_game_profile("[scanners]\noff = [\"map\", \"bots\"]\n", "p.toml");
    REQUIRE(profile);
    CHECK(scanner_for("a.map", "text/x-quake-map", *profile).empty());
    CHECK(scanner_for("scripts/a.bot", "", *profile).empty());
    CHECK_FALSE(scanner_for("a.map", "text/x-quake-map").empty());
    CHECK_FALSE(scanner_for("a.shader", "text/x-quake-shader", *profile).empty());
    const auto bytes = std::as_bytes(std::span(std::string_view("no map")));
    CHECK(scan_references("a.map", "text/x-quake-map", bytes, false, *profile)->other_format.empty());
    check_error(parse_game_profile("[scanners]\noff = [\"maps\"]\n", "p.toml"), ErrorCode::malformed,
                "did you mean 'map'?");
}

TEST_CASE("game profile: Daemon's words and DarkPlaces' suffixes are those of their profiles") {
    CHECK_FALSE((*find_game_profile("daemon"))->image_words.empty());
    CHECK((*find_game_profile("quake3"))->image_words.empty());
    const auto companions = companions_of("textures/a.tga", **find_game_profile("darkplaces"));
    const auto has = [&](std::string_view name) {
        return std::ranges::find(companions, name, &FoundReference::spelling) != companions.end();
    };
    for (const char* name : {"textures/a_norm", "textures/a_gloss", "textures/a_glow"})
        CHECK(has(name));
}

TEST_CASE("game profile: a mistake in a profile is reported with its position") {
    const auto message = [](std::string_view text) {
        const auto profile = parse_game_profile(text, "mine.toml");
        return profile ? std::string() : profile.error().message();
    };
    CHECK(message("[extensions]\ntexture = [\"png\"]\n").empty());
    CHECK(message("[extensions]\ntexture = [\".png\"]\n").find("mine.toml:2:12") != std::string::npos);
    CHECK(message("[extensions]\ntextures = [\"png\"]\n").find("did you mean 'texture'?") != std::string::npos);
    CHECK(message("[[soft]]\nfiles = \"**/*.map\"\n").find("'why'") != std::string::npos);
    CHECK(message("[[companion]]\nof = \"maps/*.bsp\"\nname = \"x\"\nuse = \"bsp\"\n").find("no use 'bsp'") !=
          std::string::npos);
    CHECK(message("[[placement]]\nfiles = \"a//b\"\n").find("mine.toml:2:9") != std::string::npos);
}

TEST_CASE("game profile: a hostile text is bounded, and what it says is safe to print") {
    const auto outcome = [](std::string_view text) {
        const auto profile = parse_game_profile(text, "mine.toml");
        return profile ? "ok" : std::string(error_code_name(profile.error().code()));
    };
    const auto placements = [](std::size_t globs) {
        std::string within = "\"a0\"";
        for (std::size_t i = 1; i < globs - 1; ++i)
            within += ", \"a" + std::to_string(i) + "\"";
        return "[[placement]]\nfiles = \"**\"\nwithin = [" + within + "]\nwhy = \"x\"\n";
    };
    CHECK(outcome(placements(kProfileGlobsMax)) == "ok");
    CHECK(outcome(placements(kProfileGlobsMax + 1)) == "limit");
    std::string extensions = "\"e0\"";
    for (std::size_t i = 1; i < kProfileExtensionsMax; ++i)
        extensions += ", \"e" + std::to_string(i) + "\"";
    CHECK(outcome("[extensions]\nsound = [" + extensions + "]\n") == "ok");
    CHECK(outcome("[extensions]\nsound = [" + extensions + ", \"more\"]\n") == "limit");
    CHECK(outcome("#" + std::string(kProfileBytesMax, ' ')) == "limit");
    CHECK(outcome("[shaders]\nnamed_by_code = [\"" + std::string(100'000, '*') + "\"]\n") != "ok");
    CHECK(outcome("[[soft]]\nfiles = \"a\"\nwhy = 1\n") == "malformed");
    CHECK(outcome("\xff\x00[") == "malformed");

    const GameProfile profile = parse_game_profile(
                                    "[[soft]]\nfiles = \"a\"\nwhy = \"x\\u001b[31m\"\n[[placement]]\nfiles = \"a\"\n"
                                    "within = [\"b\"]\nwhy = \"y\\u001b[31m\"\n",
                                    "mine.toml")
                                    .value();
    CHECK(profile.soft.front().why.find('\x1b') == std::string::npos);
    CHECK(profile.placements.front().why.find('\x1b') == std::string::npos);
}

TEST_CASE("game profile: a file is read if it is a regular one; a project's is no link") {
    const tests::ScratchFolder scratch;
    const std::string path = scratch.write("mygame.toml", "[extensions]\ntexture = [\"ktx2\"]\n");
    const auto profile = load_game_profile(path);
    REQUIRE(profile);
    CHECK((*profile)->name == "mygame");
    CHECK((*profile)->texture_extensions == Lines{"ktx2"});
    CHECK(is_profile_file(path));
    CHECK_FALSE(is_profile_file("quake3"));

    std::filesystem::create_symlink(path, scratch.path("link.toml"));
    CHECK(read_game_profile(scratch.path("link.toml"), ProfileLinks::followed));
    CHECK_FALSE(read_game_profile(scratch.path("link.toml"), ProfileLinks::refused));
    std::filesystem::create_directory(scratch.path("folder.toml"));
    CHECK_FALSE(load_game_profile(scratch.path("folder.toml")));
    CHECK(code_of(load_game_profile(scratch.path("none.toml"))) == ErrorCode::missing);
    const auto bad = load_game_profile(scratch.write("bad.toml", "[[soft]]\nfile = \"a\"\n"));
    REQUIRE_FALSE(bad);
    CHECK(bad.error().message().find("bad.toml:2:1") != std::string::npos);
}

// ---- Quake III ------------------------------------------------------------------------------------------------------

TEST_CASE("quake3 profile: only scripts in scripts/ and one folder deeper define shaders") {
    ScannedGame game("quake3");
    game.add_shader("scripts/a.shader", "textures/a\n{\n{\nmap textures/gone_a.tga\n}\n}\n");
    game.add_shader("Scripts/sub/b.shader", "textures/b\n{\n{\nmap textures/gone_b.tga\n}\n}\n");
    game.add_shader("scripts/sub/sub/c.shader", "textures/c\n{\n{\nmap textures/gone_c.tga\n}\n}\n");
    game.add_shader("old/d.shader", "textures/d\n{\n{\nmap textures/gone_d.tga\n}\n}\n");
    game.add("models/m.md3", "model/x-md3", tests::md3_of({{"textures/a", "textures/b", "textures/c", "textures/d"}}));
    CHECK(game.hard() == Lines{"Scripts/sub/b.shader textures/gone_b.tga", "models/m.md3 textures/c",
                               "models/m.md3 textures/d", "scripts/a.shader textures/gone_a.tga"});
    CHECK(
        game.soft() ==
        Lines{"old/d.shader textures/gone_d.tga: the game reads shader scripts in scripts/ and one folder deeper",
              "scripts/sub/sub/c.shader textures/gone_c.tga: the game reads shader scripts in scripts/ and one folder "
              "deeper"});
}

TEST_CASE("quake3 profile: of several definitions the one of the script that is listed last counts, there the first") {
    ScannedGame game("quake3");
    const auto script = [](const char* image) { return std::string("textures/wall\n{\n{\nmap ") + image + "\n}\n}\n"; };
    game.add_shader("scripts/z.shader", script("textures/of_mod.tga"), 1);
    game.add_shader("scripts/m.shader", script("textures/first.tga") + script("textures/second.tga"), 7);
    game.add_shader("scripts/a.shader", script("textures/early.tga"), 5);
    game.add("models/m.md3", "model/x-md3", tests::md3_of({{"textures/wall"}}));
    CHECK(game.hard() == Lines{"scripts/m.shader textures/first.tga"});
    CHECK(game.soft() ==
          Lines{"scripts/a.shader textures/early.tga: another script's definition of the shader counts",
                "scripts/m.shader textures/second.tga: another script's definition of the shader counts",
                "scripts/z.shader textures/of_mod.tga: another script's definition of the shader counts"});
    const ResolveResult result = game.resolve();
    REQUIRE(result.assets[3].references.size() == 1);
    CHECK(std::get<PlannedReference::Internal>(result.assets[3].references[0].target).asset == 1);
}

TEST_CASE("quake3 profile: a shader that nothing draws is soft, unless code may name it or a script is in use") {
    ScannedGame game("quake3");
    game.add_shader("scripts/a.shader",
                    "textures/drawn\n{\n{\nmap textures/gone1.tga\n}\n}\n"
                    "textures/spare\n{\n{\nmap textures/gone2.tga\n}\n}\n"
                    "gfx/2d/cursor\n{\n{\nmap gfx/gone3.tga\n}\n}\n");
    game.add("maps/m.bsp", "application/x-bsp", tests::bsp_of({"textures/drawn", "textures/spare"}, {}, "", 1));
    CHECK(game.hard() == Lines{"scripts/a.shader gfx/gone3.tga", "scripts/a.shader textures/gone1.tga"});
    CHECK(game.soft() == Lines{"scripts/a.shader textures/gone2.tga: nothing here draws the shader"});
    game.options.used = {"scripts/a.shader"};
    CHECK(game.hard().size() == 3);
}

TEST_CASE("quake3 profile: the shaders of a player's model are soft, those of other models and of skins are hard") {
    ScannedGame game("quake3");
    game.add("models/players/sarge/head.md3", "model/x-md3", tests::md3_of({{"D:\\art\\lambert2SG"}}));
    game.add("models/players/sarge/head_default.skin", "text/x-quake-skin", "h_head,models/players/sarge/band.tga\n");
    game.add("models/flags/flag.md3", "model/x-md3", tests::md3_of({{"b_flag"}}));
    CHECK(game.hard() == Lines{"models/flags/flag.md3 b_flag",
                               "models/players/sarge/head_default.skin models/players/sarge/band.tga"});
    CHECK(game.soft() ==
          Lines{"models/players/sarge/head.md3 D:\\art\\lambert2SG: a skin replaces the model's own shaders"});
}

TEST_CASE("quake3 profile: in a folder below a player's, skins of heads are read, and those of bodies for teams only") {
    ScannedGame game("quake3");
    const auto add_skin = [&](const std::string& name, const char* image) {
        game.add("models/players/" + name, "text/x-quake-skin", "part," + std::string(image) + "\n");
    };
    add_skin("arachna/upper_blue.skin", "gone/player");
    add_skin("arachna/widowe/head_blue.skin", "gone/head");
    add_skin("arachna/widowe/upper_blue.skin", "gone/upper");
    add_skin("arachna/widowe/lower_blue.skin", "gone/lower");
    add_skin("arachna/stroggs/upper_red.skin", "gone/team");
    add_skin("characters/james/lower_red.skin", "gone/character");
    add_skin("characters/james/pagans/lower_red.skin", "gone/character_team");
    CHECK(game.hard().size() == 5);
    const std::string why = ": the game reads skins of bodies in the player's folder or in that of a team";
    CHECK(game.soft() == Lines{"models/players/arachna/widowe/lower_blue.skin gone/lower" + why,
                               "models/players/arachna/widowe/upper_blue.skin gone/upper" + why});
}

TEST_CASE("quake3 profile: \\ in a name of an MD3 leads to images, never to a shader whose name has /") {
    ScannedGame game("quake3");
    game.add_shader("scripts/a.shader", "models/tree\n{\n{\nmap models/bark.tga\n}\n}\n");
    game.add_files({"models/bark.tga", "models/leaf.jpg"});
    game.add("models/t.md3", "model/x-md3", tests::md3_of({{"models\\tree", "models\\leaf.tga"}}));
    CHECK(game.hard() == Lines{"models/t.md3 models\\tree"});
    CHECK(names_of(candidate_names({.spelling = "models\\leaf", .use = ReferenceUse::shader}, "", quake3()))[0] ==
          "<models\\leaf>");
}

TEST_CASE("quake3 profile: the sound of a speaker gets .wav unless it contains it, then the other extensions follow") {
    const auto speaker = [](std::string spelling) {
        return names_of(candidate_names(
            {.spelling = std::move(spelling), .use = ReferenceUse::sound, .form = ReferenceForm::speaker}, "",
            quake3()));
    };
    CHECK(speaker("sound/wind") == Lines{"sound/wind.wav", "sound/wind.ogg", "sound/wind.opus", "sound/wind"});
    CHECK(speaker("sound/wind.wav") == Lines{"sound/wind.wav", "sound/wind.ogg", "sound/wind.opus", "sound/wind"});
    CHECK(speaker("sound/wind.ogg") ==
          Lines{"sound/wind.ogg.wav", "sound/wind.ogg.ogg", "sound/wind.ogg.opus", "sound/wind.ogg"});
    CHECK(names_of(candidate_names({.spelling = "music/a.ogg", .use = ReferenceUse::sound}, "", quake3())) ==
          Lines{"music/a.ogg", "music/a.wav", "music/a.opus", "music/a"});
}

TEST_CASE("quake3 profile: a film has the name that is spelled, with its extension") {
    CHECK(names_of(candidate_names({.spelling = "intro.roq", .use = ReferenceUse::video}, "", quake3())) ==
          Lines{"video/intro.roq", "video/intro"});
    CHECK(names_of(candidate_names({.spelling = "a\\intro", .use = ReferenceUse::video}, "", quake3())) ==
          Lines{"a/intro"});
}

TEST_CASE("quake3 profile: sources of maps and models for tools are soft, whatever they name") {
    ScannedGame game("quake3");
    game.add("maps/m.map", "text/x-quake-map", "{\n\"classname\" \"worldspawn\"\n\"music\" \"music/gone.wav\"\n}\n");
    game.add("models/tree.obj", "model/obj", "mtllib gone.mtl\n");
    CHECK(game.hard().empty());
    CHECK(game.soft() == Lines{"maps/m.map music/gone.wav: only editors and map compilers read it",
                               "models/tree.obj gone.mtl: only editors and map compilers read it"});
}

TEST_CASE("quake3 profile: a map's closure has its .aas, its picture and its arena file; none of them is missing") {
    ScannedGame game("quake3");
    game.options.roots = {"maps/*.bsp"};
    game.add("maps/Dm1.bsp", "application/x-bsp", tests::bsp_of({}, {}, ""));
    game.add("maps/dm2.bsp", "application/x-bsp", tests::bsp_of({}, {}, ""));
    game.add_files({"maps/dm1.aas", "levelshots/dm1.jpg", "scripts/dm1.arena", "levelshots/dm10.jpg"});
    CHECK(game.closure("maps/Dm1.bsp") ==
          Lines{"levelshots/dm1.jpg", "maps/Dm1.bsp", "maps/dm1.aas", "scripts/dm1.arena"});
    CHECK(game.closure("maps/dm2.bsp") == Lines{"maps/dm2.bsp"});
    CHECK(game.hard().empty());
    CHECK(game.soft().empty());
}

TEST_CASE("quake3 profile: a model's coarser forms are in the closure of what names the model") {
    ScannedGame game("quake3");
    game.options.roots = {"maps/*.bsp"};
    game.add("maps/m.bsp", "application/x-bsp",
             tests::bsp_of({}, {}, "{ \"classname\" \"func_door\" \"model2\" \"models/fan.md3\" }"));
    for (const char* name : {"models/fan.md3", "models/fan_1.md3", "models/fan_2.md3"})
        game.add(name, "model/x-md3", tests::md3_of({}));
    CHECK(game.closure("maps/m.bsp") == Lines{"maps/m.bsp", "models/fan.md3", "models/fan_1.md3", "models/fan_2.md3"});
}

TEST_CASE("quake3 profile: an optional reference is soft, and exists as such in the report") {
    ScannedGame game("quake3");
    game.add_shader("scripts/a.shader", "gfx/a\n{\nqer_editorimage textures/gone.tga\n}\n");
    CHECK(game.hard().empty());
    CHECK(game.soft() == Lines{"scripts/a.shader textures/gone.tga: the game runs without it"});
}

TEST_CASE("quake3 profile: a bot's files are found in the folders of characters and heads, too, and are hard") {
    ScannedGame game("quake3");
    game.add_files({"models/players/sarge/lower.md3", "models/players/characters/sarge/upper.md3",
                    "models/players/heads/sarge/sarge.md3", "models/players/sarge/red/head_default.skin",
                    "models/players/sarge/icon_red.tga", "models/players/sarge/lower_red.skin",
                    "models/players/sarge/upper_red.skin"});
    game.add("scripts/bots.txt", "text/plain", "{\nmodel sarge/red\naifile bots/sarge_c.c\n}\n");
    CHECK(game.hard() ==
          Lines{"scripts/bots.txt botfiles/bots/sarge_c.c", "scripts/bots.txt models/players/sarge/animation.cfg"});
}

// ---- glTF -----------------------------------------------------------------------------------------------------------

TEST_CASE("gltf profile: a name without extension means the first file by the profile's order") {
    const auto profile = find_game_profile("gltf");
    REQUIRE(profile);
    CHECK(names_of(candidate_names({.spelling = "textures/base/water", .use = ReferenceUse::texture}, "", **profile)) ==
          Lines{"textures/base/water", "textures/base/water.ktx2", "textures/base/water.ktx", "textures/base/water.png",
                "textures/base/water.jpg", "textures/base/water.jpeg", "textures/base/water.webp"});
    CHECK(names_of(
              candidate_names({.spelling = "skin", .use = ReferenceUse::texture, .form = ReferenceForm::relative_uri},
                              "models/a.gltf", **profile))
              .front() == "models/skin");
    ScannedGame game("gltf");
    game.add("models/a.gltf", "model/gltf+json", R"({"images":[{"uri":"skin"},{"uri":"coat.png"}]})");
    game.add_files({"models/skin.png", "models/skin.ktx"});
    const ResolveResult result = game.resolve();
    REQUIRE(result.assets[0].references.size() == 1);
    CHECK(std::get<PlannedReference::Internal>(result.assets[0].references[0].target).asset == 2);
    CHECK(game.hard() == Lines{"models/a.gltf coat.png"});
}

}  // namespace fardel::tests::game_profile_test
