// fardel publish: trees in folders, and what is said before a server is asked.
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::publish_test {

using nlohmann::json;

std::string published_id(const std::string& bundle) { return json::parse(facts_of(bundle))["bundle"]; }

// The same game with another file in it.
std::string make_other_bundle(const ScratchFolder& scratch) {
    const std::string game = make_game(scratch, "other");
    scratch.write("other/more.txt", "more");
    const std::string bundle = scratch.path("other.fardel");
    run_well({"pack", game, "-o", bundle, "--name", "other", "--version", "1.0"});
    return bundle;
}

TEST_CASE_FIXTURE(PackedGame, "publish: a dry run writes nothing and says what would be written") {
    const std::string tree = scratch.path("tree");
    json result = json::parse(run_well({"publish", bundle, tree, "--dry-run", "--json"}));
    CHECK(result["dry_run"] == true);
    CHECK(result["published"][0]["was_there"] == false);
    CHECK_FALSE(std::filesystem::exists(tree));
    run_well({"publish", bundle, tree});
    result = json::parse(run_well({"publish", bundle, tree, "--dry-run", "--json"}));
    CHECK(result["published"][0]["was_there"] == true);
    CHECK(result["published"][0]["bundle"] == published_id(bundle));
}

TEST_CASE_FIXTURE(PackedGame,
                  "publish: several publishers of the same and of different bundles at once end with one whole tree") {
    const std::string other = make_other_bundle(scratch);
    const std::string tree = scratch.path("tree");
    {
        Running first({"publish", bundle, tree});
        Running second({"publish", bundle, tree});
        Running third({"publish", other, bundle, tree});
        for (Running* running : {&first, &second, &third})
            CHECK(running->wait().exit_code == 0);
    }
    for (const std::string& file : {bundle, other})
        CHECK(read_file(tree + "/bundles/" + published_id(file) + ".fardel") == read_file(file));
    const std::string listed = list_folder(tree);
    CHECK(listed.find(".tmp") == std::string::npos);
}

// A version of a game of many small files, with the name "many".
std::string make_version(const ScratchFolder& scratch, const std::string& number) {
    for (int i = 0; i < 150; ++i)
        scratch.write("many/texts/" + std::to_string(1000 + i) + ".txt",
                      "text " + std::to_string(i * i) + (i % 50 == 7 ? " of version " + number : ""));
    const std::string bundle = scratch.path("many-" + number + ".fardel");
    run_well({"pack", scratch.path("many"), "-o", bundle, "--name", "many", "--version", number});
    return bundle;
}

TEST_CASE("publish: tables from earlier versions are published by themselves, unless --no-fronts") {
    const ScratchFolder scratch;
    const std::string first = make_version(scratch, "1.0");
    const std::string second = make_version(scratch, "1.1");
    const std::string third = make_version(scratch, "1.2");
    const std::string tree = scratch.path("tree");
    CHECK(json::parse(run_well({"publish", first, tree, "--json"}))["published"][0]["fronts"].empty());
    CHECK(json::parse(run_well({"publish", second, tree, "--no-fronts", "--json"}))["published"][0]["fronts"].empty());
    CHECK(json::parse(run_well({"publish", second, tree, "--dry-run", "--json"}))["published"][0]["fronts"].empty());
    CHECK_FALSE(std::filesystem::exists(tree + "/deltas"));

    const json fronts = json::parse(run_well({"publish", second, third, tree, "--json"}))["published"];
    REQUIRE(fronts[0]["fronts"].size() == 1);
    const json& front = fronts[0]["fronts"][0];
    CHECK(front["old"] == published_id(first));
    CHECK(front["path"] == "deltas/" + published_id(second) + "/" + published_id(first) + ".front");
    CHECK(front["was_there"] == false);
    CHECK(std::filesystem::file_size(tree + "/" + std::string(front["path"])) == front["delta_bytes"]);
    REQUIRE(fronts[1]["fronts"].size() == 2);
    CHECK(fronts[1]["fronts"][0]["old"] == published_id(second));
    CHECK(run_well({"publish", third, tree}).find("  tables from " + published_id(first).substr(0, 12)) !=
          std::string::npos);
}

TEST_CASE("publish: if earlier versions cannot be read, the bundle is published, and a line says what is missing") {
    const ScratchFolder scratch;
    const std::string first = make_version(scratch, "1.0");
    const std::string second = make_version(scratch, "1.1");
    const std::string tree = scratch.path("tree");
    run_well({"publish", first, tree});
    scratch.write("tree/bundles/" + published_id(first) + ".fardel", "no bundle");
    const Outcome outcome = run({"publish", second, tree, "--json"});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err.find("updates to it may receive all of its tables") != std::string::npos);
    CHECK(outcome.err.find(published_id(first)) != std::string::npos);
    CHECK(json::parse(outcome.out)["published"][0]["fronts"].empty());
    CHECK(read_file(tree + "/bundles/" + published_id(second) + ".fardel") == read_file(second));
}

TEST_CASE_FIXTURE(PackedGame, "publish: --prune condemns first, and its mistakes are named") {
    const std::string other = make_other_bundle(scratch);
    const std::string tree = scratch.path("tree");
    run_well({"publish", bundle, other, tree});
    const Arguments prune{"publish", "--prune", "--keep", published_id(bundle), tree, "--json"};
    const json result = json::parse(run_well(prune));
    CHECK(result["kept_bundles"] == 1);
    REQUIRE(result["files"].size() >= 1);
    for (const json& file : result["files"]) {
        CHECK(file["step"] == "condemned");
        CHECK(std::string(file["path"]).find(published_id(other)) != std::string::npos);
    }
    CHECK(json::parse(run_well(prune))["files"][0]["step"] == "waiting");
    CHECK(std::filesystem::exists(tree + "/bundles/" + published_id(other) + ".fardel"));
    CHECK(run_well({"publish", "--prune", "--keep", published_id(bundle), tree}).find("1 bundles are kept; 0 B") !=
          std::string::npos);
    CHECK(is_one_clear_line(run({"publish", "--prune", tree}), "missing"));
    CHECK(run({"publish", "--prune", bundle, tree}).exit_code == 2);
    CHECK(run({"publish", "--keep", published_id(bundle), other, tree}).exit_code == 2);
    CHECK(is_one_clear_line(run({"publish", "--prune", "--keep", std::string(64, 'a'), tree}), "unresolved"));
    CHECK(is_one_clear_line(run({"publish", "--prune", "--keep", "abc", tree}), "malformed"));
}

TEST_CASE_FIXTURE(PackedGame,
                  "publish: without credentials or with a wrong address, nothing is sent and no secret is shown") {
    CHECK(is_one_clear_line(run({"publish", bundle, "s3://bucket/game"}), "missing"));
    const Surroundings secrets{.variables = {{"AWS_ACCESS_KEY_ID", "AKIDSECRET"},
                                             {"AWS_SECRET_ACCESS_KEY", "very/secret"},
                                             {"FARDEL_DAV_USER", "user"},
                                             {"FARDEL_DAV_PASSWORD", "very-secret"}}};
    for (const char* address : {"s3://Bucket", "s3://bucket?endpoint=http://127.0.0.1:1", "dav+http://example.org/a",
                                "dav+http://127.0.0.1:1/a", "ftp://example.org/a"}) {
        CAPTURE(std::string(address));
        const Outcome outcome = run({"publish", bundle, address}, secrets);
        CHECK(outcome.exit_code != 0);
        CHECK(outcome.err.find("secret") == std::string::npos);
        CHECK(outcome.err.find("SECRET") == std::string::npos);
    }
}

}  // namespace fardel::tests::publish_test
