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

TEST_CASE_FIXTURE(PackedGame, "publish: one command publishes two versions and the delta between them, and no other") {
    const std::string other = make_other_bundle(scratch);
    const std::string tree = scratch.path("tree");
    const std::string text = run_well({"publish", bundle, other, tree, "--delta-from", bundle, "--json"});
    const json published = json::parse(text)["published"];
    REQUIRE(published.size() == 2);
    CHECK(published[0]["deltas"].empty());
    CHECK(published[1]["deltas"].size() == 1);
    CHECK_FALSE(std::filesystem::exists(tree + "/deltas/" + published_id(bundle)));
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

TEST_CASE_FIXTURE(PackedGame, "publish: a token file that others may read, that is a folder, or that has no token") {
    const std::string token = scratch.write("token", "secret of the server\n");  // A151
    const Arguments words{"publish", bundle, "http://127.0.0.1:1", "--token-file"};
    const auto publish_with = [&](const std::string& file) {
        Arguments all = words;
        all.push_back(file);
        return run(all);
    };
    fs::permissions(token, fs::perms::owner_read | fs::perms::others_read);
    const Outcome open_to_others = publish_with(token);
    CHECK(open_to_others.exit_code == 3);
    CHECK(is_one_clear_line(open_to_others, "denied"));
    check_has(open_to_others.err, "others than its owner may use this token file");
    fs::permissions(token, fs::perms::owner_read);
    CHECK(is_one_clear_line(publish_with(token), "unreachable"));
    CHECK(is_one_clear_line(publish_with(scratch.root().string()), "malformed"));
    scratch.write("empty", "\nsecret\n");
    fs::permissions(scratch.path("empty"), fs::perms::owner_read);
    CHECK(is_one_clear_line(publish_with(scratch.path("empty")), "malformed"));
}

}  // namespace fardel::tests::publish_test
