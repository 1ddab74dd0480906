// fardel serve --project: the files of a folder are served while they are edited.
#include "sample.h"

#include "kit/raw_connection.h"
#include "kit/serve_program.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::serve_project_test {

using nlohmann::json;

RawConnection::Answer ask_server(const ServeProgram& server, const std::string& request) {
    RawConnection connection(server.port());
    return connection.ask(request);
}

std::string root_of(const ServeProgram& server) {
    const auto answer = ask_server(server, get_request("/project/head"));
    REQUIRE(answer.status == 200);
    REQUIRE(answer.body.size() == 65);
    return answer.body.substr(0, 64);
}

// Waits for another root than `before`.
std::string next_root(const ServeProgram& server, const std::string& before) {
    std::string root;
    const bool has_changed = wait_until([&] {
        root = root_of(server);
        return root != before;
    });
    REQUIRE_MESSAGE(has_changed, "the root stays " << before);
    return root;
}

// Fetches a root into a new store, and returns it as a bundle file.
std::string fetch_root(const ScratchFolder& scratch, const ServeProgram& server, const std::string& root) {
    const std::string store = scratch.path("store-" + root.substr(0, 8));
    const std::string file = scratch.path(root.substr(0, 8) + ".fardel");
    run_well({"fetch", server.url(), root, "--store", store});
    run_well({"store", "export", root, "-o", file, "--store", store});
    run_well({"verify", file});
    return file;
}

std::string post_tables(const std::string& body) {
    return "POST /project/tables HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
}

TEST_CASE("serve --project: of a project with several targets, the named one is served") {
    const ScratchFolder scratch;
    scratch.write("game/assets/a.txt", "for all");
    scratch.write("game/assets/pc.txt", "for one");
    scratch.write("game/fardel.toml",
                  "name = \"game\"\nsources = [\"assets\"]\n[target.pc]\n[target.phone]\n"
                  "[[rule]]\nmatch = \"pc.txt\"\nexclude = true\ntargets = [\"phone\"]\n");
    check_has(run({"serve", "--project", scratch.path("game"), "--listen", "127.0.0.1:0"}).err,
              "several targets (pc, phone)");
    const ServeProgram phone({"--project", scratch.path("game"), "--target", "phone"});
    const std::string bundle = fetch_root(scratch, phone, root_of(phone));
    CHECK(run_well({"cat", bundle, "a.txt"}) == "for all");
    CHECK(run({"cat", bundle, "pc.txt"}).exit_code != 0);
}

TEST_CASE_FIXTURE(GameFolder,
                  "serve --project: a folder is fetched as it is, and what an edit changes with the next root") {
    const ServeProgram server({"--project", game});
    const std::string first = root_of(server);
    const auto same = ask_server(server, get_request("/project/head", "If-None-Match: \"" + first + "\"\r\n"));
    CHECK(same.status == 304);
    CHECK(same.field("etag") == "\"" + first + "\"");
    const std::string bundle = fetch_root(scratch, server, first);
    CHECK(run_well({"cat", bundle, "default.cfg"}) == kConfig);
    CHECK(run_well({"cat", bundle, "maps/dm01.bsp"}) == scratch.read("game/maps/dm01.bsp"));

    scratch.write("game/default.cfg", "set name \"edited\"\n");
    const std::string second = next_root(server, first);
    CHECK(run_well({"cat", fetch_root(scratch, server, second), "default.cfg"}) == "set name \"edited\"\n");
    // The first root is still served, up to the file that changed: its old bytes are nowhere.
    const auto late = ask_server(server, get_request("/bundles/" + first + ".fardel"));
    CHECK(late.status == 200);
    CHECK(late.body.size() < std::stoull(late.field("content-length")));
    CHECK(read_file(bundle).starts_with(late.body));

    scratch.write("game/default.cfg", kConfig);
    CHECK(next_root(server, second) == first);
    CHECK(ask_server(server, get_request("/bundles/" + first + ".fardel")).body == read_file(bundle));
}

TEST_CASE("serve --project: only files of the project are served, and no link leads out of it") {
    const ScratchFolder scratch;
    make_game(scratch);
    scratch.write("secret", "secret");
    scratch.write("game/.git/config", "secret");
    scratch.write("game/draft.psd", "a draft");
    fs::create_symlink(scratch.path("secret"), scratch.path("game/link.cfg"));
    fs::create_directory_symlink(scratch.root(), scratch.path("game/up"));
    std::string names = "default.cfg docs/readme.txt draft.psd";
    SUBCASE("all files of a folder") {}
    SUBCASE("those that fardel.toml takes") {
        scratch.write(
            "game/fardel.toml",
            "name = \"mygame\"\nversion = \"1.0\"\nsources = [\".\"]\nexclude = [\"**/*.psd\", \"fardel.toml\"]\n");
        names = "default.cfg docs/readme.txt maps";
    }
    const ServeProgram server({"--project", scratch.path("game")});
    const std::string listing = run_well({"ls", fetch_root(scratch, server, root_of(server))});
    CHECK(listing.find("default.cfg") != std::string::npos);
    CHECK((listing.find("draft.psd") != std::string::npos) == (names.find("draft") != std::string::npos));
    for (const char* const hidden : {"link", "up", "config", "secret", "fardel.toml"})
        CHECK(listing.find(hidden) == std::string::npos);
    for (const char* const target :
         {"/default.cfg", "/project/default.cfg", "/project/", "/project/../secret", "/project/head/",
          "/project/head?x", "/project/%68ead", "/game/default.cfg", "//project/head"})
        CHECK(ask_server(server, get_request(target)).status == 404);
}

TEST_CASE("serve --project: questions for tables are exactly two ids of roots") {
    // docs/deltas.md: the head of a delta.
    constexpr std::size_t kOldIdOffset = 16, kNewIdOffset = 80, kDeltaHeadBytes = 192;
    const ScratchFolder scratch;
    make_game(scratch);
    const ServeProgram server({"--project", scratch.path("game")});
    const std::string hex = root_of(server);
    std::string root;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        root += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    const auto whole = ask_server(server, post_tables(root + std::string(32, '\0')));
    CHECK(whole.status == 200);
    CHECK(whole.body.starts_with("FARDELDT"));
    CHECK(whole.body.substr(kOldIdOffset, 32) == std::string(32, '\0'));
    CHECK(whole.body.substr(kNewIdOffset, 32) == root);
    const auto against_itself = ask_server(server, post_tables(root + root));
    CHECK(against_itself.status == 200);
    CHECK(against_itself.body.substr(kOldIdOffset, 32) == root);
    CHECK(against_itself.body.size() < kDeltaHeadBytes + 100);
    CHECK(ask_server(server, post_tables(std::string(64, 'x'))).status == 404);
    CHECK(ask_server(server, post_tables(root)).status == 400);
    CHECK(ask_server(server, post_tables(root + root + "x")).status == 400);
    CHECK(ask_server(server, get_request("/project/tables")).status == 405);
    CHECK(ask_server(server, "PUT /project/head HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").status == 405);
}

TEST_CASE_FIXTURE(GameFolder,
                  "serve --project: bundle files that it needs, and those of a store, are served beside it") {
    const std::string base = make_bundle(scratch);
    const std::string base_id = run_well({"id", base}).substr(0, 64);
    scratch.write("other/other.txt", "other");
    run_well({"pack", scratch.path("other"), "-o", scratch.path("other.fardel")});
    const std::string other_id = run_well({"id", scratch.path("other.fardel")}).substr(0, 64);
    run_well({"store", "add", scratch.path("other.fardel"), "--store", scratch.path("shelf")});
    scratch.write("game/fardel.toml",
                  "name = \"mod\"\nsources = [\"docs\"]\n[[dependency]]\nfile = \"" + base + "\"\n");
    const ServeProgram server({"--project", game, "--store", scratch.path("shelf")});
    CHECK(ask_server(server, get_request("/bundles/" + base_id + ".fardel")).body == read_file(base));
    CHECK(ask_server(server, get_request("/bundles/" + other_id + ".fardel")).status == 200);
    CHECK(ask_server(server, get_request("/bundles/" + std::string(64, '0') + ".fardel")).status == 404);
    fetch_root(scratch, server, root_of(server));
}

TEST_CASE("serve --project: it is served without a tree, and a folder that cannot be read is an error") {
    const ScratchFolder scratch;
    make_game(scratch);
    CHECK(run({"serve", scratch.path("game"), "--project", scratch.path("game")}).exit_code == 2);
    CHECK(is_one_clear_line(run({"serve", "--project", scratch.path("none")}), "missing"));
    scratch.write("game/fardel.toml", "nonsense");
    CHECK(is_one_clear_line(run({"serve", "--project", scratch.path("game")}), "malformed"));
}

TEST_CASE_FIXTURE(GameFolder, "serve --project: a folder with a secret is not served") {  // A151
    scratch.write("game/.env", "PASSWORD=1\n");
    const Outcome refused = run({"serve", "--project", game, "--listen", "127.0.0.1:0"});
    CHECK(is_one_clear_line(refused, "denied"));
    check_has(refused.err, ".env");
    scratch.write("game/fardel.toml", "name = \"game\"\nsources = [\".\"]\nexclude = [\"fardel.toml\"]\n");
    CHECK(is_one_clear_line(run({"serve", "--project", game, "--listen", "127.0.0.1:0"}), "denied"));
}

}  // namespace fardel::tests::serve_project_test
