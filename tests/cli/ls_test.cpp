#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::ls_test {

using nlohmann::json;

TEST_CASE_FIXTURE(PackedGame,
                  "ls: lists names one per line, in order; of a folder, one name, or published names only") {
    CHECK(run_well({"ls", bundle}) ==
          "default.cfg\ndocs/readme.txt\nmaps/dm01.bsp\ntextures/base/wasser.jpg\ntextures/base/water.jpg\n");
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
            continue;  // the same as without the '/'
        const Outcome outcome = run({"ls", bundle, path});
        CHECK(outcome.exit_code == 1);
        CHECK(outcome.out == "");
        CHECK(outcome.err.starts_with("fardel: " + bundle + ": "));
    }
}

TEST_CASE_FIXTURE(PackedGame, "ls -l: prints size, type, the start of the asset id, and name") {
    const auto lines = lines_of(run_well({"ls", "-l", bundle}));
    REQUIRE(lines.size() == 5);
    CHECK(lines[2].find(" 300,000  ") != std::string::npos);
    CHECK(lines[2].ends_with("  maps/dm01.bsp"));
    CHECK(lines[3].find("image/jpeg") != std::string::npos);
    CHECK(lines[0].find(b3sum(scratch.path("game/default.cfg")).substr(0, 16) + "…") != std::string::npos);
}

TEST_CASE_FIXTURE(PackedGame, "ls --json: prints whole ids, as b3sum does") {
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

TEST_CASE("ls: lists variants, tombstones and names that are not published") {
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
    CHECK(extracted.out.find("1 name has several variants") != std::string::npos);
    CHECK(extracted.out.find("1 name has no content") != std::string::npos);
    CHECK(list_folder(scratch.path("out")) == "private.dat textures/ textures/wall");
}

}  // namespace fardel::tests::ls_test
