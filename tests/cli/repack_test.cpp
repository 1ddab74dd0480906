#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::repack_test {

using nlohmann::json;

// The game, with a text that each level compresses to another size.
struct WordyGame {
    const ScratchFolder scratch;
    const std::string bundle = [this] {
        const std::string game = make_game(scratch);
        std::string text;
        std::uint32_t state = 1;
        for (int i = 0; i < 40'000; ++i) {
            state = state * 1'664'525 + 1'013'904'223;
            text += "word" + std::to_string(state >> 22) + (i % 9 == 8 ? ".\n" : " ");
        }
        scratch.write("game/docs/words.txt", text);
        std::string out = scratch.path("game.fardel");
        run_well({"pack", game, "-o", out, "--name", "game", "--version", "1.0", "--license", "MIT"});
        return out;
    }();
};

TEST_CASE_FIXTURE(WordyGame, "repack: another level, the same bundle with its content and its signatures") {
    const std::string author = make_key(scratch, "author");
    sign(bundle, author, "author");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", author + ".pub"});
    const std::string before = read_file(bundle);
    const json facts = json::parse(facts_of(bundle));
    for (const std::string level : {"1", "19"}) {
        CAPTURE(level);
        const std::string out = scratch.path("level" + level + ".fardel");
        const std::string text = run_well({"repack", bundle, "-o", out, "--level", level});
        CHECK(word_after(text, "bundle") == facts["bundle"].get<std::string>() + ",");
        CHECK(text.find(", before ") != std::string::npos);
        CHECK(text.find("'fardel sign'") != std::string::npos);
        CHECK(read_file(bundle) == before);
        const json made = json::parse(facts_of(out));
        CHECK(made["bundle"] == facts["bundle"]);
        CHECK(made["layout"] != facts["layout"]);
        CHECK(made["metadata"] == facts["metadata"]);
        CHECK(made["signatures"] == facts["signatures"]);
        CHECK(run_well({"ls", "--json", out}) == run_well({"ls", "--json", bundle}));
        CHECK(run_well({"cat", out, "maps/dm01.bsp"}) == run_well({"cat", bundle, "maps/dm01.bsp"}));
        CHECK(run_well({"which", "--mount", out, "--trust", policy, "default.cfg"}).find("signed by author") !=
              std::string::npos);
        // At the level that it was packed with, it is the same file again.
        run_well({"repack", out, "-o", scratch.path("again.fardel")});
        CHECK(read_file(scratch.path("again.fardel")) == before);
    }
}

TEST_CASE_FIXTURE(WordyGame, "pack and repack --for: one bundle in three files, each of which is verified and read") {
    std::vector<std::uintmax_t> sizes;
    for (const std::string purpose : {"load", "balanced", "size"}) {
        CAPTURE(purpose);
        const std::string packed = scratch.path(purpose + ".fardel");
        run_well({"pack", scratch.path("game"), "-o", packed, "--name", "game", "--version", "1.0", "--license", "MIT",
                  "--for", purpose});
        run_well({"verify", packed});
        CHECK(run_well({"id", packed}).substr(0, 64) == run_well({"id", bundle}).substr(0, 64));
        CHECK(run_well({"cat", packed, "docs/words.txt"}) == read_file(scratch.path("game/docs/words.txt")));
        const std::string again = scratch.path("again.fardel");
        run_well({"repack", bundle, "-o", again, "--for", purpose});
        CHECK(read_file(again) == read_file(packed));
        sizes.push_back(std::filesystem::file_size(packed));
    }
    CHECK(sizes[0] > sizes[1]);
    CHECK(sizes[1] > sizes[2]);
    CHECK(read_file(scratch.path("balanced.fardel")) == read_file(bundle));

    const Outcome both =
        run({"pack", scratch.path("game"), "-o", scratch.path("x.fardel"), "--for", "load", "--level", "3"});
    CHECK(both.exit_code == 2);
    CHECK(both.err.find("--level is for balanced, not for load") != std::string::npos);
    const Outcome none = run({"repack", bundle, "-o", scratch.path("x.fardel"), "--for", "speed"});
    CHECK(none.exit_code == 2);
    CHECK(none.err.find("'speed' is none of load, balanced, size") != std::string::npos);
}

TEST_CASE_FIXTURE(WordyGame, "repack --key: the author signs the new layout, too, and the report says so") {
    const std::string author = make_key(scratch, "author");
    sign(bundle, author, "author");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", author + ".pub"});
    const std::string out = scratch.path("small.fardel");
    const json unsigned_layout = json::parse(run_well({"repack", bundle, "-o", out, "--level", "19", "--json"}));
    CHECK(unsigned_layout["layout_signed"] == false);
    CHECK(unsigned_layout["envelopes"] == 1);
    CHECK(run({"verify", out, "--trust", policy}).exit_code == 1);
    const json report =
        json::parse(run_well({"repack", bundle, "-o", out, "--level", "19", "--key", author, "--json"}));
    CHECK(report["layout_signed"] == true);
    CHECK(report["envelopes"] == 2);
    CHECK(report["file_bytes"] == fs::file_size(out));
    CHECK(report["file_bytes_before"] == fs::file_size(bundle));
    run_well({"verify", out, "--trust", policy});
}

TEST_CASE_FIXTURE(WordyGame, "repack --key: what the author said of the bundle before stays said") {
    const std::string author = make_key(scratch, "author");
    run_well({"sign", bundle, "--key", author, "--epoch", "7", "--channel", "stable", "--expires", "2999-12-31",
              "--comment", "the seventh"});
    const std::string policy = make_policy(scratch, "p.trust", {"--author", author + ".pub"});
    const std::string out = scratch.path("small.fardel");
    run_well({"repack", bundle, "-o", out, "--level", "19", "--key", author});
    run_well({"verify", out, "--trust", policy});
    const json signatures = json::parse(facts_of(out))["signatures"];
    REQUIRE(signatures.size() == 2);
    for (const char* const said : {"epoch", "channel", "expires", "comment"}) {
        CAPTURE(said);
        CHECK(signatures[0].contains(said));
        CHECK(signatures[0][said] == signatures[1][said]);
    }
    // Who countersigns it next means the statement about this file, also within the same second.
    sign(out, make_key(scratch, "site"), "registry");
}

TEST_CASE_FIXTURE(PackedGame, "repack: what would be lost or is damaged is refused, and nothing is written") {
    const std::string before = read_file(bundle);
    CHECK(run({"repack", bundle, "-o", bundle}).exit_code == 1);
    CHECK(read_file(bundle) == before);
    const std::string text = scratch.write("notes.txt", "mine");
    CHECK(run({"repack", bundle, "-o", text}).exit_code == 1);
    CHECK(read_file(text) == "mine");

    std::string damaged = before;
    damaged.at(damaged.size() - 2000) ^= 1;
    const std::string bad = scratch.write("bad.fardel", damaged);
    const Outcome refused = run({"repack", bad, "-o", scratch.path("out.fardel")});
    CHECK(refused.exit_code != 0);
    CHECK_FALSE(fs::exists(scratch.path("out.fardel")));
    CHECK(run({"repack", bundle}).exit_code == 2);
}

TEST_CASE("repack: variants, tombstones and unpublished names stay as they are") {
    const ScratchFolder scratch;
    const std::string rich = make_rich_bundle(scratch);
    const std::string out = scratch.path("out.fardel");
    run_well({"repack", rich, "-o", out, "--level", "1"});
    CHECK(run_well({"id", out}) == run_well({"id", rich}));
    CHECK(run_well({"ls", "--json", out}) == run_well({"ls", "--json", rich}));
}

}  // namespace fardel::tests::repack_test
