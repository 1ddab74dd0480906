// fardel store, and bundles of a store that other verbs name by id.
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::store_test {

using nlohmann::json;

std::string id_of(const std::string& bundle) { return json::parse(facts_of(bundle))["bundle"]; }

TEST_CASE_FIXTURE(PackedGame,
                  "store: a bundle that was added is listed, found by its first digits, and exported byte for byte") {
    const std::string store = scratch.path("store");
    const json added = json::parse(run_well({"store", "add", bundle, "--store", store, "--json"}));
    REQUIRE(added["added"].size() == 1);
    CHECK(added["added"][0]["bundle"] == id_of(bundle));
    CHECK(added["added"][0]["was_there"] == false);
    CHECK(run_well({"store", "add", bundle, "--store", store}).find("is there already") != std::string::npos);

    CHECK(run_well({"store", "ls", "--store", store}).find("game 1.0") != std::string::npos);
    const json listed = json::parse(run_well({"store", "ls", "--store", store, "--json"}))["bundles"];
    REQUIRE(listed.size() == 1);
    CHECK(listed[0]["name"] == "game");
    CHECK(listed[0]["file_bytes"] == listed[0]["held_bytes"]);

    const std::string out = scratch.path("out.fardel");
    run_well({"store", "export", id_of(bundle).substr(0, 10), "-o", out, "--store", store});
    CHECK(read_file(out) == read_file(bundle));
    CHECK(run_well({"store", "fsck", "--store", store}).find("everything is intact") != std::string::npos);
}

TEST_CASE_FIXTURE(PackedGame, "store: a file that the verifier refuses is not added") {
    flip_bit(bundle, 10'000);
    const Outcome refused = run({"store", "add", bundle, "--store", scratch.path("store")});
    CHECK(refused.exit_code == 1);
    CHECK(refused.err.find("nothing was added") != std::string::npos);
    CHECK(run_well({"store", "ls", "--store", scratch.path("store")}) == "no bundles\n");
}

TEST_CASE_FIXTURE(PackedGame, "store: fsck finds a damaged pack and says which bundle it concerns") {
    const std::string store = scratch.path("store");
    run_well({"store", "add", bundle, "--store", store});
    for (const auto& entry : std::filesystem::directory_iterator(store + "/packs")) {
        std::filesystem::permissions(entry, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
        flip_bit(entry.path().string(), 20'000);
    }
    const Outcome refused = run({"store", "export", id_of(bundle), "-o", scratch.path("out"), "--store", store});
    CHECK(refused.exit_code == 1);
    CHECK(refused.err.find("nothing was exported") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(scratch.path("out")));
    const Outcome found = run({"store", "fsck", "--store", store, "--json"});
    CHECK(found.exit_code == 1);
    const json report = json::parse(found.out);
    CHECK(report["damaged"] == json::array({id_of(bundle)}));
    CHECK(report["findings"].size() == 2);
    CHECK(run({"store", "fsck", "--store", store, "--quick"}).exit_code == 0);
}

TEST_CASE_FIXTURE(PackedGame, "store: fsck counts what killed programs left, and the next addition removes it") {
    const std::string store = scratch.path("store");
    run_well({"store", "add", bundle, "--store", store});
    scratch.write("store/packs/unnamed-0123456789abcdef0123456789abcdef", "abandoned");
    scratch.write("store/incoming/" + std::string(64, 'a') + ".pack", "received");
    const json report = json::parse(run_well({"store", "fsck", "--store", store, "--json"}));
    CHECK(report["abandoned_files"] == 1);
    CHECK(report["abandoned_bytes"] == 9);
    CHECK(report["incoming"] == 1);
    CHECK(report["incoming_bytes"] == 8);
    const std::string text = run_well({"store", "fsck", "--store", store});
    CHECK(text.find("  incoming    1 bundle, 8 B\n") != std::string::npos);
    CHECK(text.find("  abandoned   1 file, 9 B\n") != std::string::npos);
    run_well({"store", "add", bundle, "--store", store});
    CHECK(json::parse(run_well({"store", "fsck", "--store", store, "--json"}))["abandoned_files"] == 0);
}

TEST_CASE("store ls: a bundle without a version or without a name is shown as such") {
    const ScratchFolder scratch;
    const std::string store = scratch.path("store");
    scratch.write("a/a.txt", "a");
    scratch.write("b/b.txt", "b");
    run_well({"pack", scratch.path("a"), "-o", scratch.path("a.fardel"), "--name", "unversioned"});
    run_well({"pack", scratch.path("b"), "-o", scratch.path("b.fardel")});
    run_well({"store", "add", scratch.path("a.fardel"), scratch.path("b.fardel"), "--store", store});
    const std::string listed = run_well({"store", "ls", "--store", store});
    CHECK(listed.find("  unversioned, used ") != std::string::npos);
    CHECK(listed.find("cannot be read") == std::string::npos);
}

TEST_CASE("store: an unknown id is answered with how to list the ids, not with a path to check") {
    const ScratchFolder scratch;
    const std::string store = scratch.path("store");
    run_well({"store", "add", make_bundle(scratch), "--store", store});
    const std::string id(64, 'a');
    for (const Arguments& words : {Arguments{"store", "rm", id},
                                   {"store", "pin", "aaaaaaaaaa"},
                                   {"which", "--mount", id, "/x"},
                                   {"store", "export", "12345678", "-o", scratch.path("x")}}) {
        Arguments all = words;
        all.insert(all.end(), {"--store", store});
        const Outcome outcome = run(all);
        CAPTURE(outcome.err);
        CHECK(is_one_clear_line(outcome, "missing"));
        CHECK(outcome.err.find("'fardel store ls' lists ") != std::string::npos);
    }
    CHECK(run({"id", scratch.path("absent")}).err.find("absent: No such file or directory") != std::string::npos);
}

TEST_CASE_FIXTURE(PackedGame, "store: the mistakes that people make") {
    CHECK(is_one_clear_line(run({"store", "ls"}), "missing"));
    CHECK(is_one_clear_line(run({"store", "ls", "--store", scratch.path("none")}), "missing"));
    CHECK(is_one_clear_line(run({"store", "add", bundle, "--store", scratch.path("game")}), "malformed"));
    const std::string store = scratch.path("store");
    run_well({"store", "add", bundle, "--store", store});
    CHECK(
        is_one_clear_line(run({"store", "export", "12345678", "-o", scratch.path("x"), "--store", store}), "missing"));
    CHECK(is_one_clear_line(run({"store", "export", "game", "-o", scratch.path("x"), "--store", store}), "malformed"));
    CHECK_FALSE(std::filesystem::exists(scratch.path("x")));
}

TEST_CASE_FIXTURE(PackedGame, "store: which shows a bundle of the store, named by its id") {
    const std::string store = scratch.path("store");
    run_well({"store", "add", bundle, "--store", store});
    const std::string by_id = run_well({"which", "--mount", id_of(bundle), "--store", store, "/default.cfg", "--json"});
    const std::string by_file = run_well({"which", "--mount", bundle, "/default.cfg", "--json"});
    CHECK(json::parse(by_id)["asset"] == json::parse(by_file)["asset"]);
}

TEST_CASE_FIXTURE(PackedGame, "store: add --ref copies nothing, and fsck says which file changed") {
    const std::string id = id_of(bundle);
    const std::string store = scratch.path("store");
    grow_old();
    const json added = json::parse(run_well({"store", "add", "--ref", bundle, "--store", store, "--json"}));
    CHECK(added["added"][0]["referred"] == true);
    CHECK(added["added"][0]["written_bytes"] == 0);
    CHECK(std::filesystem::is_empty(store + "/packs"));
    run_well({"which", "--mount", id, "--store", store, "/default.cfg"});
    CHECK(run_well({"store", "fsck", "--store", store}).find("everything is intact") != std::string::npos);
    flip_bit(bundle, 20'000);
    const Outcome found = run({"store", "fsck", "--store", store, "--json"});
    CHECK(found.exit_code == 1);
    CHECK(json::parse(found.out)["damaged"] == json::array({id}));
    CHECK(found.out.find("game.fardel: the file was changed") != std::string::npos);
    CHECK(run_well({"store", "ls", "--store", store}).find("incomplete: 0 B here") != std::string::npos);
    CHECK(is_one_clear_line(run({"which", "--mount", id, "--store", store, "/default.cfg"}), "corrupt"));
}

TEST_CASE_FIXTURE(PackedGame, "store: gc removes what rm condemned, keeps what is pinned, and says what it would do") {
    const std::string store = scratch.path("store");
    run_well({"store", "add", bundle, "--store", store});
    const std::string id = id_of(bundle);
    run_well({"store", "pin", id.substr(0, 8), "--name", "mine", "--store", store});
    CHECK(run_well({"store", "ls", "--store", store}).find("pinned: mine") != std::string::npos);
    CHECK(is_one_clear_line(run({"store", "rm", id, "--store", store}), "denied"));
    CHECK(is_one_clear_line(run({"store", "unpin", id, "--store", store}), "missing"));
    run_well({"store", "unpin", id, "--name", "mine", "--store", store});
    run_well({"store", "rm", id, "--store", store});
    const std::vector<std::string> gc{"store", "gc", "--grace", "0s", "--store", store, "--json"};
    auto dry = gc;
    dry.push_back("--dry-run");
    CHECK(json::parse(run_well(dry))["removed_packs"] == 1);
    CHECK(json::parse(run_well({"store", "stats", "--store", store, "--json"}))["condemned_bundles"] == 1);
    const json report = json::parse(run_well(gc));
    REQUIRE(report["bundles"].size() == 1);
    CHECK(report["bundles"][0]["reason"] == "removed by hand");
    CHECK(report["removed_packs"] == 1);
    CHECK(report["removed_bytes"] == std::filesystem::file_size(bundle));
    CHECK(run_well({"store", "ls", "--store", store}) == "no bundles\n");
    CHECK(report["repacked_packs"] == 0);
    CHECK(run({"store", "gc", "--size", "much", "--store", store}).exit_code == 2);
    CHECK(run({"store", "gc", "--repack", "101", "--store", store}).exit_code == 2);
}

}  // namespace fardel::tests::store_test
