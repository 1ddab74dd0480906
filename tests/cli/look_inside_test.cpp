// fardel id, ls and cat.

#include "sample.h"

#include <fardel/format/bundle_writer.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

using namespace fardel;
using namespace fardel::tests;
using nlohmann::json;

namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

// What `fardel pack` does not make yet: variants, a tombstone, an unpublished name.
std::string make_rich_bundle(const ScratchFolder& scratch) {
    BundlePlan plan;
    std::uint32_t count = 0;
    for (const std::string_view text : {"astc bytes", "png bytes", "private bytes"})
        plan.assets.push_back({.source = make_memory_blob(bytes_of(text)), .key = "asset" + std::to_string(count++), .content_type = "image/png"});
    const auto name = [](std::string_view text) { return *AssetName::parse(text); };
    plan.names.push_back({.name = name("textures/wall"), .variants = {{.asset = 0, .tags = {{"texture", "astc"}}}, {.asset = 1, .tags = {{"texture", "png"}}}}});
    plan.names.push_back({.name = name("old.cfg"), .variants = {}});
    plan.names.push_back({.name = name("private.dat"), .variants = {{.asset = 2, .tags = {}}}, .published = false});
    const std::string path = scratch.path("rich.fardel");
    auto staged = write_bundle(plan, *stage_file(path), {});
    REQUIRE(staged);
    REQUIRE(staged->commit());
    return path;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

}  // namespace

TEST_CASE("id: prints what b3sum says about the first 4096 bytes, and nothing else") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const Outcome sum = run_shell("head -c 4096 " + bundle + " | b3sum --no-names");
    CHECK(run_well({"id", bundle}) == sum.out);
    CHECK(run_well({"id", bundle}).size() == 65);
}

TEST_CASE("id --all: also layout id, name, version and that nobody has signed") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string text = run_well({"id", "--all", bundle});
    CHECK(word_behind(text, "bundle") == run_well({"id", bundle}).substr(0, 64));
    CHECK(word_behind(text, "layout").size() == 64);
    CHECK(word_behind(text, "name") == "game");
    CHECK(word_behind(text, "version") == "1.0");
    CHECK(text.ends_with("unsigned\n"));
    const json told = json::parse(run_well({"id", "--json", bundle}));
    CHECK(told["bundle"] == word_behind(text, "bundle"));
    CHECK(told["layout"] == word_behind(text, "layout"));
    CHECK(told["assets"] == 4);
    CHECK(told["names"] == 5);
    CHECK(told["signatures"].empty());
}

TEST_CASE("ls: names one a line, in order; a folder, a name, or published names only") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    CHECK(run_well({"ls", bundle}) == "default.cfg\ndocs/readme.txt\nmaps/dm01.bsp\ntextures/base/wasser.jpg\ntextures/base/water.jpg\n");
    CHECK(run_well({"ls", bundle, "textures"}) == "textures/base/wasser.jpg\ntextures/base/water.jpg\n");
    CHECK(run_well({"ls", bundle, "textures/base/"}) == "textures/base/wasser.jpg\ntextures/base/water.jpg\n");
    CHECK(run_well({"ls", bundle, "default.cfg"}) == "default.cfg\n");
    CHECK(run_well({"ls", bundle, "/"}) == run_well({"ls", bundle}));
    CHECK(run_well({"ls", bundle, "/maps"}) == "maps/dm01.bsp\n");
    const std::string id = run_well({"id", bundle}).substr(0, 64);
    CHECK(run_well({"ls", bundle, "/bundles/" + id + "/maps"}) == "maps/dm01.bsp\n");

    for (const char* path : {"text", "textures/base/water.jpg/x", "/assets", "../x", "default.cfg/", "/bundles/0000"}) {
        CAPTURE(path);
        if (std::string_view(path) == "default.cfg/")
            continue;   // as good as without the '/'
        const Outcome outcome = run({"ls", bundle, path});
        CHECK(outcome.exit_code == 1);
        CHECK(outcome.out == "");
        CHECK(outcome.err.starts_with("fardel: " + bundle + ": "));
    }
}

TEST_CASE("ls -l: size, type, the start of the asset id, name") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const auto lines = lines_of(run_well({"ls", "-l", bundle}));
    REQUIRE(lines.size() == 5);
    CHECK(lines[2].find(" 300,000  ") != std::string::npos);
    CHECK(lines[2].ends_with("  maps/dm01.bsp"));
    CHECK(lines[3].find("image/jpeg") != std::string::npos);
    CHECK(lines[0].find(b3sum(scratch.path("game/default.cfg")).substr(0, 16) + "…") != std::string::npos);
}

TEST_CASE("ls --json: whole ids, which are what b3sum prints") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const json list = json::parse(run_well({"ls", "--json", bundle}));
    CHECK(list["bundle"].get<std::string>() + "\n" == run_well({"id", bundle}));
    REQUIRE(list["names"].size() == 5);
    for (const json& name : list["names"]) {
        CHECK(name["asset"] == b3sum(scratch.path("game/" + name["name"].get<std::string>())));
        CHECK(name["published"] == true);
        CHECK(name["tombstone"] == false);
        CHECK(name["variants"].empty());
    }
    CHECK(list["names"][3]["asset"] == list["names"][4]["asset"]);
    CHECK(json::parse(run_well({"ls", "--json", bundle, "maps"}))["names"].size() == 1);
}

TEST_CASE("ls: variants, tombstones and names that are not published") {
    const ScratchFolder scratch;
    const std::string bundle = make_rich_bundle(scratch);
    CHECK(run_well({"ls", bundle}) == "old.cfg\nprivate.dat\ntextures/wall\n");
    CHECK(run_well({"ls", bundle, "/"}) == "old.cfg\ntextures/wall\n");
    const std::string text = run_well({"ls", "-l", bundle});
    CHECK(text.find("(tombstone)") != std::string::npos);
    CHECK(text.find("private.dat  (not published)") != std::string::npos);
    CHECK(text.find("textures/wall  (2 variants)") != std::string::npos);
    const json list = json::parse(run_well({"ls", "--json", bundle}))["names"];
    CHECK(list[0]["tombstone"] == true);
    CHECK(list[0]["asset"].is_null());
    CHECK(list[1]["published"] == false);
    REQUIRE(list[2]["variants"].size() == 2);
    CHECK(list[2]["variants"][1]["tags"]["texture"] == "png");
    CHECK(list[2]["asset"] == list[2]["variants"][0]["asset"]);

    CHECK(run_well({"cat", bundle, "textures/wall"}) == "astc bytes");
    CHECK(run_well({"cat", bundle, "/assets/" + list[2]["variants"][1]["asset"].get<std::string>()}) == "png bytes");
    CHECK(run_well({"cat", bundle, "private.dat"}) == "private bytes");
    CHECK(is_one_clear_line(run({"cat", bundle, "/private.dat"}), "unresolved"));
    CHECK(is_one_clear_line(run({"cat", bundle, "old.cfg"}), "unresolved"));

    const Outcome extracted = run({"extract", bundle, "-C", scratch.path("out")});
    CHECK(extracted.exit_code == 0);
    CHECK(extracted.out.find("1 name has more than one variant") != std::string::npos);
    CHECK(extracted.out.find("1 name has no content") != std::string::npos);
    CHECK(list_folder(scratch.path("out")) == "private.dat textures/ textures/wall");
}

TEST_CASE("cat: an asset's bytes by name, published name, asset id and path in the bundle") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string map = read_file(scratch.path("game/maps/dm01.bsp"));
    const std::string asset = b3sum(scratch.path("game/maps/dm01.bsp"));
    const std::string id = run_well({"id", bundle}).substr(0, 64);
    for (const std::string& path : {std::string("maps/dm01.bsp"), std::string("/maps/dm01.bsp"), "/assets/" + asset, "/bundles/" + id + "/maps/dm01.bsp"}) {
        CAPTURE(path);
        CHECK(run_well({"cat", bundle, path}) == map);
    }
}

TEST_CASE("cat: only whole ids and exact names are found") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string asset = b3sum(scratch.path("game/maps/dm01.bsp"));
    std::string upper = asset;
    for (char& c : upper)
        c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c;
    for (const std::string& path : {"/assets/" + asset.substr(0, 16), "/assets/" + asset.substr(0, 16) + "…", "/assets/" + upper, "/assets/0x" + asset,
                                    "/assets/" + std::string(64, '0'), asset, std::string("Maps/dm01.bsp"), std::string("maps"), std::string("/"), std::string("nosuch"),
                                    "/bundles/" + std::string(64, '0') + "/default.cfg"}) {
        CAPTURE(path);
        const Outcome outcome = run({"cat", bundle, path});
        CHECK(outcome.exit_code == 1);
        CHECK(is_one_clear_line(outcome, "unresolved"));
    }
    for (const char* path : {"", "../default.cfg", "maps//dm01.bsp", "/maps/../default.cfg", "maps\\dm01.bsp", "a\x1b[31m\nb"}) {
        CAPTURE(path);
        const Outcome outcome = run({"cat", bundle, path});
        CHECK(outcome.exit_code != 0);
        CHECK(outcome.out == "");
        CHECK(outcome.err.find('\x1b') == std::string::npos);
        CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    }
}

TEST_CASE("cat: an empty asset prints nothing, and that is fine") {
    const ScratchFolder scratch;
    scratch.write("game/empty.txt", "");
    const std::string bundle = make_bundle(scratch);
    CHECK(run_well({"cat", bundle, "empty.txt"}) == "");
}

TEST_CASE("cat: ends quietly when nobody reads any more") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const Outcome outcome = run_shell("\"$FARDEL\" cat " + bundle + " maps/dm01.bsp | head -c 1 >/dev/null");
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err == "");
    const Outcome status = run_shell("{ \"$FARDEL\" cat " + bundle + " maps/dm01.bsp; echo \"exit $?\" >&2; } | true");
    CHECK(status.err == "exit 0\n");
}

TEST_CASE("cat, ls and id: standard output that is full is told") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    for (const Arguments& arguments : {Arguments{"cat", bundle, "maps/dm01.bsp"}, Arguments{"ls", bundle}, Arguments{"id", bundle}, Arguments{"--help"}, Arguments{"verify", bundle}}) {
        const Outcome outcome = run(arguments, {.output_path = "/dev/full"});
        CHECK(outcome.exit_code == 3);
        CHECK(is_one_clear_line(outcome, "no_space"));
    }
}
