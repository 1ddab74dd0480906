// fardel delta as people use it: made, looked at, applied, and the mistakes they make. tests/delivery has its formats.
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::delta_test {

using nlohmann::json;

struct Versions {
    explicit Versions(const ScratchFolder& scratch)
        : old_bundle(make_bundle(scratch, "old")), delta(scratch.path("game.delta")) {
        make_game(scratch, "new");
        scratch.write("new/maps/dm02.bsp", scratch.read("new/maps/dm01.bsp") + "one more room");
        new_bundle = scratch.path("new.fardel");
        run_well({"pack", scratch.path("new"), "-o", new_bundle, "--name", "game", "--version", "1.1"});
    }

    std::string old_bundle;
    std::string new_bundle;
    std::string delta;
};

std::string id_of_bundle(const std::string& bundle) { return json::parse(facts_of(bundle))["bundle"]; }

TEST_CASE("delta: made, shown and applied; the new bundle comes out byte for byte") {
    const ScratchFolder scratch;
    const Versions game(scratch);
    const json made = json::parse(run_well({"delta", game.old_bundle, game.new_bundle, "-o", game.delta, "--json"}));
    CHECK(made["old"] == id_of_bundle(game.old_bundle));
    CHECK(made["new"] == id_of_bundle(game.new_bundle));
    CHECK(made["delta_bytes"] == std::filesystem::file_size(game.delta));
    CHECK(made["file_bytes"] == std::filesystem::file_size(game.new_bundle));
    CHECK(made["delta_bytes"] < 20'000);

    const json shown = json::parse(run_well({"delta", "--show", game.delta, "--json"}));
    for (const char* field : {"old", "new", "delta_bytes", "tables_bytes", "file_bytes", "level", "blocks"})
        CHECK(shown[field] == made[field]);
    CHECK_FALSE(shown.contains("shared_blocks"));
    CHECK(run_well({"delta", "--show", game.delta}).find("to      " + id_of_bundle(game.new_bundle)) !=
          std::string::npos);

    const std::string out = scratch.path("out.fardel");
    const std::string text = run_well({"delta", game.old_bundle, "--apply", game.delta, "-o", out});
    CHECK(text.starts_with(id_of_bundle(game.new_bundle)));
    CHECK(read_file(out) == read_file(game.new_bundle));
    run_well({"delta", game.old_bundle, "--apply", game.delta, "-o", out});  // replaces it
    CHECK(read_file(out) == read_file(game.new_bundle));
}

TEST_CASE("delta: a lower effort gives another file that leads to the same bundle") {
    const ScratchFolder scratch;
    const Versions game(scratch);
    const std::string out = scratch.path("out.fardel");
    run_well({"delta", game.old_bundle, game.new_bundle, "-o", game.delta, "--effort", "1"});
    run_well({"delta", game.old_bundle, "--apply", game.delta, "-o", out});
    CHECK(read_file(out) == read_file(game.new_bundle));
}

TEST_CASE("delta: the mistakes that people make give one clear line and no file") {
    const ScratchFolder scratch;
    const Versions game(scratch);
    run_well({"delta", game.old_bundle, game.new_bundle, "-o", game.delta});
    const std::string out = scratch.path("out.fardel");
    const auto refused = [&](const Arguments& words, std::string_view code) {
        const bool clear = is_one_clear_line(run(words), code);
        return clear && !std::filesystem::exists(out);
    };
    const std::string none = scratch.path("none");
    CHECK(refused({"delta", none, game.new_bundle, "-o", out}, "missing"));
    CHECK(refused({"delta", game.old_bundle, none, "-o", out}, "missing"));
    CHECK(refused({"delta", game.old_bundle, "--apply", none, "-o", out}, "missing"));
    CHECK(refused({"delta", "--show", none}, "missing"));
    CHECK(refused({"delta", game.old_bundle, game.new_bundle, "-o", scratch.path("no/folder/delta")}, "missing"));
    // The two files exchanged; the wrong old bundle; a bundle instead of a delta, and the other way round.
    CHECK(refused({"delta", game.new_bundle, "--apply", game.delta, "-o", out}, "conflict"));
    CHECK(refused({"delta", game.old_bundle, "--apply", game.new_bundle, "-o", out}, "malformed"));
    CHECK(refused({"delta", "--show", game.new_bundle}, "malformed"));
    CHECK(run({"delta", game.delta, game.new_bundle, "-o", out}).exit_code == 1);
    CHECK_FALSE(std::filesystem::exists(out));
    // A delta that an earlier version of the program made.
    const std::string whole = read_file(game.delta);
    std::string earlier = whole;
    earlier[8] = 3;
    scratch.write("earlier.delta", earlier);
    CHECK(refused({"delta", game.old_bundle, "--apply", scratch.path("earlier.delta"), "-o", out}, "unsupported"));
    CHECK(run({"delta", "--show", scratch.path("earlier.delta")}).err.find("make it again") != std::string::npos);
    // Damaged files.
    scratch.write("cut.delta", whole.substr(0, whole.size() / 2));
    CHECK(refused({"delta", game.old_bundle, "--apply", scratch.path("cut.delta"), "-o", out}, "malformed"));
    CHECK(refused({"delta", "--show", scratch.path("cut.delta")}, "malformed"));
    scratch.write("damaged.fardel", read_file(game.new_bundle));
    flip_bit(scratch.path("damaged.fardel"), std::filesystem::file_size(game.new_bundle) - 5000);
    const Outcome damaged = run({"delta", game.old_bundle, scratch.path("damaged.fardel"), "-o", out});
    CHECK(damaged.exit_code != 0);
    CHECK_FALSE(std::filesystem::exists(out));
    // Words that do not fit together.
    for (const Arguments& words :
         {Arguments{"delta"}, Arguments{"delta", game.old_bundle}, Arguments{"delta", game.old_bundle, "-o", out},
          Arguments{"delta", game.old_bundle, game.new_bundle},
          Arguments{"delta", game.old_bundle, game.new_bundle, "--apply", game.delta, "-o", out},
          Arguments{"delta", "--show", game.delta, "-o", out},
          Arguments{"delta", game.old_bundle, game.new_bundle, "-o", out, "--effort", "23"}})
        CHECK(run(words).exit_code == 2);
    CHECK_FALSE(std::filesystem::exists(out));
}

}  // namespace fardel::tests::delta_test
