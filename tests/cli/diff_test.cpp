#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::diff_test {

using nlohmann::json;

TEST_CASE("diff: lists added, removed, renamed and changed names, and the bytes to fetch") {
    const ScratchFolder scratch;
    const std::string before = make_bundle(scratch, "one");
    make_game(scratch, "two");
    scratch.write("two/default.cfg", "set name \"nobody\"\n");
    scratch.write("two/maps/dm02.bsp", noise_text(70'000, 3));
    std::filesystem::rename(scratch.path("two/maps/dm01.bsp"), scratch.path("two/maps/dm03.bsp"));
    std::filesystem::remove(scratch.path("two/textures/base/wasser.jpg"));
    run_well({"pack", scratch.path("two"), "-o", scratch.path("two.fardel"), "--name", "game", "--version", "1.1"});
    const std::string after = scratch.path("two.fardel");

    const Outcome outcome = run({"diff", before, after});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out.find("- textures/base/wasser.jpg  (5.0 kB") != std::string::npos);
    CHECK(outcome.out.find("+ maps/dm02.bsp  (70.0 kB") != std::string::npos);
    CHECK(outcome.out.find("> maps/dm03.bsp  (300.0 kB") != std::string::npos);
    CHECK(outcome.out.find("    was maps/dm01.bsp\n") != std::string::npos);
    CHECK(outcome.out.find("~ default.cfg  (content)\n    - asset ") != std::string::npos);
    CHECK(outcome.out.find("- metadata version = 1.0\n+ metadata version = 1.1\n") != std::string::npos);
    CHECK(outcome.out.find("\n1 added, 1 removed, 1 renamed, 1 changed\n") != std::string::npos);
    const Outcome summary = run({"diff", before, after, "--summary"});
    CHECK(summary.out.starts_with("1 added, 1 removed"));
    CHECK(outcome.out.ends_with(summary.out));

    const json report = json::parse(run({"diff", before, after, "--json"}).out);
    CHECK(report["same"] == false);
    CHECK(report["added"][0]["variants"][0]["asset"] == b3sum(scratch.path("two/maps/dm02.bsp")));
    CHECK(report["renamed"][0]["from"] == "maps/dm01.bsp");
    CHECK(report["changed"][0]["aspects"] == json::array({"content"}));
    CHECK(report["changed"][0]["before"]["variants"][0]["asset"] == b3sum(scratch.path("one/default.cfg")));
    CHECK(report["fetch_bytes"] > 70'000);
    CHECK(report["fetch_bytes"] < 150'000);
    CHECK(report["metadata"][0]["after"]["value"] == "1.1");
}

TEST_CASE("diff: the same bundle ends with 0, one with another layout or signature with 1") {
    const ScratchFolder scratch;
    std::string prose;  // text that compression levels compress differently
    for (int i = 0; i < 30'000; ++i)
        prose += std::to_string(i * i % 977) + " words ";
    scratch.write("game/prose.txt", prose);
    const std::string bundle = scratch.path("game.fardel");
    run_well({"pack", scratch.path("game"), "-o", bundle, "--level", "1"});
    run_well({"pack", scratch.path("game"), "-o", scratch.path("small.fardel"), "--name", "game", "--level", "19"});
    CHECK(run_well({"diff", bundle, bundle}) == "no difference\n");
    std::filesystem::copy(bundle, scratch.path("signed.fardel"));
    sign(scratch.path("signed.fardel"), make_key(scratch, "author"), "author");

    const Outcome layout = run({"diff", bundle, scratch.path("small.fardel")});
    CHECK(layout.exit_code == 1);
    CHECK(layout.out.starts_with("the same bundle; only its layout differs\n"));
    CHECK(layout.out.find("fetches 0 B of the second, in 0 blocks\n") != std::string::npos);
    const Outcome signatures = run({"diff", bundle, scratch.path("signed.fardel")});
    CHECK(signatures.exit_code == 1);
    CHECK(signatures.out.starts_with("the same bundle; only its signatures differ\n"));
}

TEST_CASE("diff: variants and tombstones are listed; a file that cannot be read is one clear line") {
    const ScratchFolder scratch;
    const Outcome outcome = run({"diff", make_bundle(scratch), make_rich_bundle(scratch)});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out.find("+ old.cfg  (tombstone)\n") != std::string::npos);
    CHECK(outcome.out.find("+ textures/wall  (19 B, image/png, 2 variants)\n") != std::string::npos);
    CHECK(outcome.out.find("+ private.dat  (13 B, image/png, not published)\n") != std::string::npos);
    CHECK(is_one_clear_line(run({"diff", scratch.path("game.fardel"), scratch.path("absent")}), "missing"));
}

}  // namespace fardel::tests::diff_test
