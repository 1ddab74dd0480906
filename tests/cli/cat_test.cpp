#include "sample.h"

namespace fardel::tests::cat_test {

TEST_CASE_FIXTURE(PackedGame,
                  "cat: prints the bytes of an asset by name, published name, asset id and path in the bundle") {
    const std::string map = read_file(scratch.path("game/maps/dm01.bsp"));
    const std::string asset = b3sum(scratch.path("game/maps/dm01.bsp"));
    const std::string id = run_well({"id", bundle}).substr(0, 64);
    for (const std::string& path : {std::string("maps/dm01.bsp"), std::string("/maps/dm01.bsp"), "/assets/" + asset,
                                    "/bundles/" + id + "/maps/dm01.bsp"}) {
        CAPTURE(path);
        CHECK(run_well({"cat", bundle, path}) == map);
    }
}

TEST_CASE_FIXTURE(PackedGame, "cat: only whole ids and exact names are found") {  // A18, A61
    const std::string asset = b3sum(scratch.path("game/maps/dm01.bsp"));
    std::string upper = asset;
    for (char& c : upper)
        c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c;
    for (const std::string& path : {"/assets/" + asset.substr(0, 16), "/assets/" + asset.substr(0, 16) + "…",
                                    "/assets/" + upper, "/assets/0x" + asset, "/assets/" + std::string(64, '0'), asset,
                                    std::string("Maps/dm01.bsp"), std::string("maps"), std::string("/"),
                                    std::string("nosuch"), "/bundles/" + std::string(64, '0') + "/default.cfg"}) {
        CAPTURE(path);
        const Outcome outcome = run({"cat", bundle, path});
        CHECK(outcome.exit_code == 1);
        CHECK(is_one_clear_line(outcome, "unresolved"));
    }
    for (const char* path :
         {"", "../default.cfg", "maps//dm01.bsp", "/maps/../default.cfg", "maps\\dm01.bsp", "a\x1b[31m\nb"}) {
        CAPTURE(path);
        const Outcome outcome = run({"cat", bundle, path});
        CHECK(outcome.exit_code != 0);
        CHECK(outcome.out == "");
        CHECK(outcome.err.find('\x1b') == std::string::npos);
        CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    }
}

TEST_CASE("cat: an empty asset prints nothing and succeeds") {
    const ScratchFolder scratch;
    scratch.write("game/empty.txt", "");
    const std::string bundle = make_bundle(scratch);
    CHECK(run_well({"cat", bundle, "empty.txt"}) == "");
}

TEST_CASE_FIXTURE(PackedGame, "cat: ends without a message when its reader is gone") {
    const Outcome outcome = run_shell("\"$FARDEL\" cat " + bundle + " maps/dm01.bsp | head -c 1 >/dev/null");
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err == "");
    const Outcome status = run_shell("{ \"$FARDEL\" cat " + bundle + " maps/dm01.bsp; echo \"exit $?\" >&2; } | true");
    CHECK(status.err == "exit 0\n");
}

TEST_CASE_FIXTURE(PackedGame, "cat, ls and id: a full standard output is reported") {
    for (const Arguments& arguments : {Arguments{"cat", bundle, "maps/dm01.bsp"}, Arguments{"ls", bundle},
                                       Arguments{"id", bundle}, Arguments{"--help"}, Arguments{"verify", bundle}}) {
        const Outcome outcome = run(arguments, {.output_path = "/dev/full"});
        CHECK(outcome.exit_code == 3);
        CHECK(is_one_clear_line(outcome, "no_space"));
    }
}

}  // namespace fardel::tests::cat_test
