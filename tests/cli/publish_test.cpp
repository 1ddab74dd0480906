// fardel publish: trees in folders, and what is said before a server is asked.
#include "sample.h"

#include "kit/raw_connection.h"
#include "kit/serve_program.h"

#include <fardel/format/hash.h>

#include <nlohmann/json.hpp>

#include <memory>
#include <span>
#include <sstream>

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

// A `fardel serve` that takes uploads, and who may send them.
struct UploadServer {
    explicit UploadServer(const Arguments& more = {}) {
        for (const auto& [name, text] :
             {std::pair(std::string("token"), token + "\n"), std::pair(std::string("tokens"), tokens)}) {
            scratch.write(name, text);
            fs::permissions(scratch.path(name), fs::perms::owner_read | fs::perms::owner_write);
        }
        fs::create_directories(tree);
        Arguments words{tree, "--upload-tokens", scratch.path("tokens"), "--access-log", scratch.path("log")};
        words.insert(words.end(), more.begin(), more.end());
        server = std::make_unique<ServeProgram>(words);
    }
    Outcome publish(const std::string& file, const std::string& with = "token", const Arguments& more = {}) const {
        Arguments words{"publish", file, server->url(), "--token-file", scratch.path(with)};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
    // What has gone over the line in both directions since the last call, as the log has it.
    std::uint64_t sent_bytes() const {
        std::uint64_t bytes = 0;
        std::istringstream log(read_file(scratch.path("log")));
        for (std::string line; std::getline(log, line);) {
            CHECK(line.find("PUT") == std::string::npos);
            bytes += std::stoull("0" + line.substr(line.rfind(' ') + 1));
        }
        return bytes;
    }

    const ScratchFolder scratch;
    const std::string token = "correct-horse-battery-staple";
    const std::string tokens = blake3(std::as_bytes(std::span(token))).hex() + " the build farm\n";
    const std::string tree = scratch.path("tree");
    std::unique_ptr<ServeProgram> server;
};

TEST_CASE("publish: what a server has is compared by its heads, and neither sent nor fetched") {
    const UploadServer site;
    site.scratch.write("game/a.bin", noise_text(3'000'000, 1));
    const std::string bundle = site.scratch.path("game.fardel");
    run_well({"pack", site.scratch.path("game"), "-o", bundle, "--name", "game", "--version", "1"});
    REQUIRE(site.publish(bundle).exit_code == 0);
    const std::string first = read_file(site.scratch.path("log"));
    fs::resize_file(site.scratch.path("log"), 0);
    const Outcome again = site.publish(bundle);
    CAPTURE(again.err);
    CHECK(again.exit_code == 0);
    check_has(again.out, "was there");
    CHECK(site.sent_bytes() < 64'000);
}

TEST_CASE("publish: a bundle that was signed again brings a server its new signature, and nothing else") {
    const UploadServer site;
    const std::string bundle = make_bundle(site.scratch);
    const std::string ann = make_key(site.scratch, "ann"), bob = make_key(site.scratch, "bob");
    sign(bundle, ann, "author");
    REQUIRE(site.publish(bundle).exit_code == 0);
    const std::string id = run_well({"id", bundle}).substr(0, 64);
    const std::string stem = site.tree + "/bundles/" + id;
    const std::string file = read_file(stem + ".fardel");
    sign(bundle, bob, "author");
    const Outcome signed_again = site.publish(bundle);
    CAPTURE(signed_again.err);
    CHECK(signed_again.exit_code == 0);
    check_has(signed_again.out, "1 signature beside it, which the published file lacks");
    CHECK(read_file(stem + ".fardel") == file);
    const std::string beside = read_file(stem + ".signatures");
    CHECK(beside.size() > 100);
    CHECK(site.publish(bundle).exit_code == 0);
    CHECK(read_file(stem + ".signatures") == beside);
    // The place is for signatures about this bundle, by whoever has a token.
    const auto put = [&](const std::string& target, const std::string& body, bool has_token = true) {
        RawConnection client(site.server->port());
        return client
            .ask("PUT " + target + " HTTP/1.1\r\nHost: h\r\n" +
                 (has_token ? "Authorization: Bearer " + site.token + "\r\n" : "") +
                 "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body)
            .status;
    };
    const std::string target = "/bundles/" + id + ".signatures";
    CHECK(put(target, beside, false) == 401);
    CHECK(put(target, beside) == 200);  // is there
    CHECK(put(target, "no signatures") == 422);
    CHECK(put(target, std::string(2'000'000, 'x')) == 413);
    std::string forged = beside;
    forged.back() ^= 1;
    CHECK(put(target, forged) == 422);
    CHECK(put("/bundles/" + std::string(64, 'a') + ".signatures", beside) == 422);  // about another bundle
    CHECK(read_file(stem + ".signatures") == beside);
}

TEST_CASE("publish: a policy bounds whose later signatures a server takes") {
    ScratchFolder keys;
    const std::string ann = make_key(keys, "ann"), bob = make_key(keys, "bob"), eve = make_key(keys, "eve");
    make_policy(keys, "t.trust", {"--author", ann + ".pub", "--author", bob + ".pub"});
    const UploadServer site({"--trust", keys.path("t.trust")});
    const std::string bundle = make_bundle(site.scratch);
    sign(bundle, ann, "author");
    REQUIRE(site.publish(bundle).exit_code == 0);
    const std::string copy = site.scratch.write("copy.fardel", read_file(bundle));
    sign(copy, eve, "author");
    const Outcome refused = site.publish(copy);
    CHECK(is_one_clear_line(refused, "denied"));
    check_has(refused.err, "the trust policy of this server has no such key");
    sign(bundle, bob, "author");
    CHECK(site.publish(bundle).exit_code == 0);
}

TEST_CASE("publish: a server says which limit of its own an upload exceeds, and which token it does not know") {
    const UploadServer site({"--upload-quota", "2K"});
    const std::string bundle = make_bundle(site.scratch);
    const Outcome full = site.publish(bundle);
    CAPTURE(full.err);
    CHECK(is_one_clear_line(full, "no_space"));
    check_has(full.err, "the quota of this server (--upload-quota) is full: 0 B of 2.0 kB are used, and the file has ");
    site.scratch.write("wrong", "another-horse-battery-staple\n");
    fs::permissions(site.scratch.path("wrong"), fs::perms::owner_read | fs::perms::owner_write);
    const Outcome unknown = site.publish(bundle, "wrong");
    CHECK(is_one_clear_line(unknown, "denied"));
    check_has(unknown.err, "this server knows no such token");
}

}  // namespace fardel::tests::publish_test
