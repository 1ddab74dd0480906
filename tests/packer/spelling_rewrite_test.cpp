// [link] rewrite, by the program on real projects: the rewritten texts, their link tables, and refusals.
#include "built_game.h"

#include "kit/ids.h"

#include <fardel/format/bundle.h>
#include <fardel/format/hash.h>
#include <fardel/verifier/bundle_contents.h>
#include "scan/reference_scanners.h"

#include <map>

namespace fardel::tests::spelling_rewrite_test {

using nlohmann::json;

std::string project(std::string_view link, std::string_view more = "") {
    return "name = \"game\"\nsources = [\"assets\"]\n\n[link]\n" + std::string(link) + "\n" + std::string(more);
}

std::string id_path(std::string_view text) { return "/assets/" + id_of(text).hex(); }

// Maps each spelling to its target: "id HEX" or "name NAME".
std::map<std::string, std::string> table_of(const BuiltGame& game, std::string_view name) {
    auto source = open_file_source(game.path("game.fardel"));
    REQUIRE(source);
    const auto bundle = Bundle::open(*std::move(source), {.label = "game"});
    REQUIRE(bundle);
    const auto contents = read_contents(**bundle);
    REQUIRE(contents);
    std::map<std::string, std::string> table;
    for (const ContentName& one : contents->names)
        if (one.text == name)
            for (const ContentReference& reference : contents->assets[one.variants.front().asset].references)
                table.emplace(reference.spelling, reference.kind == ReferenceKind::dynamic
                                                      ? "name " + reference.name
                                                      : "id " + reference.asset.hex());
    return table;
}

void check_refused(const BuiltGame& game, std::string_view code, std::initializer_list<std::string_view> parts) {
    const Outcome outcome = game.run_build();
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err.find("[" + std::string(code) + "]") != std::string::npos);
    for (const std::string_view part : parts) {
        CAPTURE(std::string(part));
        CHECK(outcome.err.find(part) != std::string::npos);
    }
}

constexpr std::string_view kTriangle =
    R"({"asset":{"version":"2.0"},"buffers":[{"uri":"tri angle.bin","byteLength":1},{"uri":"data:,x"}],)"
    R"("images":[{"uri":"..\/pic\/a%20b.png","name":"uri"},{"uri":"gone.png"}],)"
    R"("extras":{"uri":"tri angle.bin"}})";

BuiltGame make_game(std::string_view text) {
    BuiltGame game(text);
    game.write("assets/env/sky.tga", "sky");
    game.write("assets/env/Fire.jpg", "fire");
    game.write("assets/pic/a b.png", "picture");
    game.write("assets/snd/hit.wav", "hit");
    game.write("assets/models/box.md3", "not really");
    game.write("assets/models/tri angle.bin", "\1");
    game.write("assets/models/tri.gltf", kTriangle);
    game.write("assets/models/tri.mtl",
               "newmtl a\nmap_Kd -s 1 1 ../pic/a b.png\nbump ..\\env\\sky.tga # no comment\nmap_Ks ../env/sky.tga\n");
    game.write("assets/models/tri.obj", "# mtllib no.mtl\nmtllib tri.mtl gone.mtl\nv 0 0 0\n");
    game.write("assets/scripts/x.shader",
               "wall\n{\n  skyparms env/none - -\n  {\n    map env/SKY // as it is\n    map $lightmap\n  }\n  {\n    "
               "animMap 2 env/sky.tga \"env/fire\"\n  }\n}\n");
    game.write("assets/a.skin", "head,wall\nlegs,env/sky\ntag_x,\n");
    game.write("assets/ui/x.menu", "{ itemDef { background \"env/sky\" playlooped \"snd/hit\" } }\n");
    game.write("assets/maps/m.map",
               "{\n\"music\" \"snd/hit snd/hit.wav\"\n\"model\" \"*1\"\n{\n( 0 0 0 ) ( 0 0 1 ) ( 0 1 0 ) env/sky 0 0 0 "
               "1 1\n}\n}\n");
    game.write("assets/scripts/l.arena", "{\nmap \"m\"\n}\n");
    game.write("assets/f.fx", "image=\"env/sky.tga\" image=\"ENV/sky.tga\"\nimage=\"gone\"\n");
    return game;
}

constexpr std::string_view kPattern =
    "[[scanner]]\nmatch = \"*.fx\"\npattern = 'image=\"{reference}\"'\nuse = \"texture\"\n";

TEST_CASE("rewrite: in every text format a spelling becomes the id of its target, and nothing else changes") {
    const BuiltGame game =
        make_game(project("rewrite = [\"scripts/*\", \"*.skin\", \"ui/*\", \"maps/*\", \"*.fx\", \"models/*.gltf\", "
                          "\"models/*.mtl\", \"models/*.obj\"]",
                          kPattern));
    const json report = game.build();
    CHECK(report["link"]["rewritten"] == 8);
    const std::string sky = id_path("sky"), fire = id_path("fire"), picture = id_path("picture"), hit = id_path("hit");
    CHECK(game.cat("scripts/x.shader") == "wall\n{\n  skyparms env/none - -\n  {\n    map " + sky +
                                              " // as it is\n    map $lightmap\n  }\n  {\n    animMap 2 " + sky +
                                              " \"" + fire + "\"\n  }\n}\n");
    CHECK(game.cat("a.skin") == "head,wall\nlegs," + sky + "\ntag_x,\n");  // a shader's name is not a file
    CHECK(game.cat("ui/x.menu") == "{ itemDef { background \"" + sky + "\" playlooped \"" + hit + "\" } }\n");
    CHECK(game.cat("maps/m.map") ==
          "{\n\"music\" \"" + hit + " " + hit +
              "\"\n\"model\" \"*1\"\n{\n( 0 0 0 ) ( 0 0 1 ) ( 0 1 0 ) env/sky 0 0 0 1 1\n}\n}\n");
    CHECK(game.cat("scripts/l.arena") == "{\nmap \"m\"\n}\n");
    CHECK(game.cat("f.fx") == "image=\"" + sky + "\" image=\"" + sky + "\"\nimage=\"gone\"\n");
    std::string triangle(kTriangle);
    triangle.replace(triangle.find("tri angle.bin"), 13, id_path("\1"));
    triangle.replace(triangle.find("..\\/pic\\/a%20b.png"), 18, picture);
    CHECK(game.cat("models/tri.gltf") == triangle);
    const std::string material =
        "newmtl a\nmap_Kd -s 1 1 " + picture + "\nbump " + sky + " # no comment\nmap_Ks " + sky + "\n";
    CHECK(game.cat("models/tri.mtl") == material);
    CHECK(game.cat("models/tri.obj") ==
          "# mtllib no.mtl\nmtllib " + id_path(material) + " gone.mtl\nv 0 0 0\n");  // the id of the rewritten material

    CHECK(table_of(game, "models/tri.obj") ==
          std::map<std::string, std::string>{{id_path(material), "id " + id_path(material).substr(8)}});
    CHECK(table_of(game, "f.fx") == std::map<std::string, std::string>{{sky, "id " + sky.substr(8)}});
    CHECK(table_of(game, "a.skin").contains("wall"));
    run_well({"verify", game.path("game.fardel")});
    CHECK(run_well({"cat", game.path("game.fardel"), id_path(material)}) == material);
}

TEST_CASE("rewrite: the images of a sky box, which no text spells, stay in the link table") {
    BuiltGame game(project("rewrite = [\"scripts/*\"]"));
    game.write("assets/env/a_rt.tga", "right");
    game.write("assets/env/a_up.tga", "up");
    game.write("assets/env/wall.tga", "wall");
    game.write("assets/scripts/x.shader", "sky\n{\n  skyparms env/a - -\n  {\n    map env/wall\n  }\n}\n");
    game.build();
    const std::string wall = id_path("wall");
    CHECK(game.cat("scripts/x.shader") == "sky\n{\n  skyparms env/a - -\n  {\n    map " + wall + "\n  }\n}\n");
    CHECK(table_of(game, "scripts/x.shader") ==
          std::map<std::string, std::string>{{wall, "id " + wall.substr(8)},
                                             {"env/a_rt", "id " + id_path("right").substr(8)},
                                             {"env/a_up", "id " + id_path("up").substr(8)}});
}

TEST_CASE("rewrite: names are spelled exactly, as each format spells them") {
    const BuiltGame game =
        make_game(project("rewrite = [\"**/*.shader\", \"*.skin\", \"ui/*\", \"maps/*\", \"*.fx\", \"models/*.gltf\", "
                          "\"models/*.mtl\", \"models/*.obj\"]\nrewrite_to = \"names\"",
                          kPattern));
    const json report = game.build();
    CHECK(game.cat("scripts/x.shader") ==
          "wall\n{\n  skyparms env/none - -\n  {\n    map env/sky.tga // as it is\n    map $lightmap\n  }\n  {\n    "
          "animMap 2 env/sky.tga \"env/Fire.jpg\"\n  }\n}\n");
    CHECK(game.cat("a.skin") == "head,wall\nlegs,env/sky.tga\ntag_x,\n");
    CHECK(game.cat("ui/x.menu") == "{ itemDef { background \"env/sky.tga\" playlooped \"snd/hit.wav\" } }\n");
    CHECK(game.cat("maps/m.map").find("\"snd/hit.wav snd/hit.wav\"") != std::string::npos);
    CHECK(game.cat("f.fx") == "image=\"env/sky.tga\" image=\"env/sky.tga\"\nimage=\"gone\"\n");
    CHECK(game.cat("models/tri.obj") == game.read("assets/models/tri.obj"));
    std::string triangle(kTriangle);
    CHECK(game.cat("models/tri.gltf") == triangle.replace(triangle.find("tri angle.bin"), 13, "tri%20angle.bin"));
    CHECK(table_of(game, "f.fx").size() == 1);
    CHECK(table_of(game, "f.fx").contains("env/sky.tga"));
    CHECK(report["link"]["missing"].size() == json::parse(run({"audit", game.path(), "--json"}).out)["missing"].size());
}

TEST_CASE(
    "rewrite: the result is the same for any number of threads, and after any edit equals that of a clean build") {
    const BuiltGame game = make_game(project("rewrite = [\"models/*.mtl\", \"models/*.obj\", \"*.fx\"]", kPattern));
    game.build({"--jobs", "1"});
    const std::string first = game.bundle();
    game.build({"--anew", "--jobs", "4"});
    CHECK(game.bundle() == first);
    grow_old();
    CHECK(game.build()["up_to_date"] == true);
    game.write("assets/env/sky.tga", "another sky");  // its id is in the material, whose id is in the model
    const json changed = game.build();
    CHECK(changed["up_to_date"] == false);
    CHECK(changed["assets_scanned"] == 0);
    CHECK(game.bundle() != first);
    CHECK(game.bundle() == game.clean_bundle());
    CHECK(game.cat("f.fx").find(id_path("another sky")) != std::string::npos);
}

TEST_CASE("rewrite: assets that would contain one another's ids are reported with the cycle; names can be written") {
    BuiltGame game(project("rewrite = [\"**/*.fx\"]", kPattern));
    game.replace("fardel.toml", "use = \"texture\"", "use = \"file\"");
    game.replace("fardel.toml", "match = \"*.fx\"", "match = \"**/*.fx\"");
    game.write("assets/a.fx", "image=\"sub/b.fx\"\n");
    game.write("assets/sub/b.fx", "image=\"C.fx\"\n");
    game.write("assets/c.fx", "image=\"a.fx\"\n");
    game.write("assets/apart.fx", "image=\"a.fx\"\n");
    check_refused(game, "conflict",
                  {"fardel.toml:5: rewrite: 'a.fx' → 'sub/b.fx' → 'c.fx' → 'a.fx': none can hold the next one's id",
                   "write rewrite_to = \"names\""});
    game.replace("fardel.toml", "rewrite = ", "rewrite_to = \"names\"\nrewrite = ");
    game.build();
    CHECK(game.cat("sub/b.fx") == "image=\"c.fx\"\n");
    game.replace("fardel.toml", "rewrite_to = \"names\"\n", "");
    game.write("assets/a.fx", "image=\"a.fx\"\n");
    check_refused(game, "conflict", {"'a.fx' → 'a.fx': none can hold"});
    game.replace("fardel.toml", "**/*.fx\"]", "sub/*.fx\"]");
    game.build();
    CHECK(game.cat("sub/b.fx") == "image=\"" + id_path("image=\"a.fx\"\n") + "\"\n");
}

TEST_CASE("rewrite: what cannot be rewritten is refused, with what to do") {
    {
        const BuiltGame game = make_game(project("rewrite = [\"**\"]"));
        check_refused(
            game, "unsupported",
            {"fardel.toml:5: rewrite: 'models/box.md3' is model/x-md3, a binary format", "take it out of 'rewrite'"});
    }
    {
        const BuiltGame game =
            make_game(project("rewrite = [\"*.fx\"]", "[[scanner]]\nmatch = \"*.fx\"\ncommand = [\"true\"]\n"));
        check_refused(game, "unsupported",
                      {"fardel.toml:5: rewrite: 'f.fx' is scanned by a program alone", "[[scanner]] with 'pattern'"});
    }
    {
        const BuiltGame game =
            make_game(project("rewrite = [\"w.txt\"]\nrewrite_to = \"names\"",
                              "[[scanner]]\nmatch = \"w.txt\"\npattern = 'see {reference}'\nuse = \"texture\"\n"));
        game.write("assets/w.txt", "see env/fire\nsee env/sky\n");
        game.build();
        CHECK(game.cat("w.txt") == "see env/Fire.jpg\nsee env/sky.tga\n");
        game.replace("fardel.toml", "pattern = 'see {reference}'", "pattern = 'see {reference}.'");
        game.write("assets/w.txt", "see env/fire.\n");  // with the extension, the pattern would end at its dot
        check_refused(game, "unsupported",
                      {"'w.txt': line 1: 'env/Fire.jpg' cannot replace 'env/fire'", "rename the file"});
    }
    {
        const BuiltGame game = make_game(project("rewrite_to = \"names\""));
        check_refused(game, "malformed", {"fardel.toml:5:", "'rewrite_to' applies to texts that match 'rewrite'"});
        game.replace("fardel.toml", "rewrite_to = \"names\"", "rewrite = [\"*.skin\"]\nrewrite_to = \"hash\"");
        check_refused(game, "malformed", {"fardel.toml:6:", "write rewrite_to = \"ids\" or rewrite_to = \"names\""});
    }
    {
        const BuiltGame game = make_game(project("rewrite = [\"*.nothing\"]"));
        CHECK(game.build()["link"]["idle_patterns"] == json({"*.nothing"}));
    }
}

TEST_CASE("references: every location of every spelling is reported, in all text formats") {
    const auto check = [](std::string_view name, std::string_view type, std::string_view text, std::size_t locations) {
        CAPTURE(std::string(name));
        const std::string with_mark = "\xef\xbb\xbf" + std::string(text);
        for (const std::string& one : {std::string(text), with_mark}) {
            const auto bytes = std::as_bytes(std::span(one));
            const auto found = scan_references(name, type, bytes, true);
            REQUIRE(found);
            CHECK(found->locations.size() == locations);
            for (const SpellingLocation& location : found->locations)
                CHECK(one.substr(location.offset, location.length) == found->references[location.reference].spelling);
            const auto without = scan_references(name, type, bytes);
            CHECK(without->locations.empty());
            CHECK(without->references == found->references);
            CHECK(scans_text(name, type));
        }
    };
    check("x", "text/x-quake-shader", "a\n{\nskyparms env/x - -\n{\nmap b.tga\n}\n{\nmap b.tga\n}\n}\n", 2);
    check("x", "text/x-quake-skin", "a,b\nc, \"b\" // d\n", 2);
    check("x", "text/x-quake-menu", "background \"a\" cursor a #include \"b\"", 3);
    check("x", "text/x-quake-arena", "{\nmap a\n}\n", 1);
    check("x", "text/x-quake-map",
          "{\n\"noise\" \"a\"\n\"music\" \"b  c\"\n{\n( 0 0 0 ) ( 0 0 0 ) ( 0 0 0 ) d 0 0 0 1 1\n}\n}", 4);
    check("x", "model/obj", "mtllib a b\nmtllib  a\n", 4);                       // "a b" may be one name
    check("x", "model/mtl", "map_Kd -bm 2 a b.png \nrefl -type sphere c\n", 4);  // options may be a name
    check("x", "model/gltf+json",
          R"({"images":[{"uri":"a","x":"a\"uri"},{"uri":"b"}],"uri":"c","buffers":[{"uri":"a"}]})", 3);
    CHECK_FALSE(scans_text("x", "model/x-md3"));
    CHECK_FALSE(scans_text("x", "image/png"));
}

}  // namespace fardel::tests::spelling_rewrite_test
