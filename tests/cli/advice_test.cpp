// What the program says about the mistakes that people make: one line that names the cause, and no advice that is
// false.
#include "sample.h"

#include "kit/odd_server.h"

#include <nlohmann/json.hpp>

#include <sys/stat.h>

namespace fardel::tests::advice_test {

struct Mistake {
    Arguments words;
    std::string_view code;
    std::string said;  // a part of the line
};

struct Author {
    ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string key = make_key(scratch, "author");
};

TEST_CASE_FIXTURE(Author, "advice: keys, projects, folders and names that are not there, or are others") {
    const std::string pub = key + ".pub";
    std::filesystem::create_directories(scratch.path("empty"));
    std::filesystem::create_symlink(key, scratch.path("link.key"));
    const std::string other_project = scratch.write("other.toml", "name = \"t/t\"\nsources = [\"game\"]\n");
    const std::string open_key = scratch.write("open.key", read_file(key));
    REQUIRE(::chmod(open_key.c_str(), 0644) == 0);
    const Mistake mistakes[] = {
        {{"sign", bundle, "--key", pub, "--role", "author"}, "malformed", "this is a public key; the secret key is "},
        {{"sign", bundle, "--key", open_key, "--role", "author"},
         "denied",
         "run chmod 600 on it, or, where that is impossible, make a copy "},
        {{"sign", bundle, "--key", scratch.path("link.key"), "--role", "author"},
         "denied",
         "a link; give the file that it leads to, or a copy "},
        {{"sign", bundle, "--key", scratch.path("no.key"), "--role", "author"}, "missing", "'fardel keygen -o FILE' "},
        {{"trust", "init", scratch.path("t"), "--author", key},
         "malformed",
         "this is a secret key; the public key is "},
        {{"build", scratch.path("empty")}, "missing", "'fardel init' begins a project"},
        {{"build", other_project},
         "malformed",
         "give the folder of a fardel.toml; 'fardel pack' packs a project file "},
        {{"graph", other_project}, "malformed", "give the folder of a fardel.toml; "},
        {{"watch", other_project}, "malformed", "give the folder of a fardel.toml; "},
        {{"pack", scratch.path("game"), "-o", scratch.path("none/x.fardel")}, "missing", "there is no folder "},
        {{"cat", bundle, "Default.CFG"}, "unresolved", "did you mean 'default.cfg'?"},
        {{"cat", bundle, "maps/default.cfg"}, "unresolved", "did you mean 'default.cfg'?"},
        {{"cat", bundle, "defualt.cfg"}, "unresolved", "did you mean 'default.cfg'?"},
        {{"ls", bundle, "quite/another"}, "unresolved", "'fardel ls' lists its names"},
        {{"verify", scratch.path("game")},
         "malformed",
         "a folder, not a bundle; 'fardel pack' or 'fardel build' makes "},
        {{"sign", scratch.path("game"), "--key", key, "--role", "author"}, "malformed", "a folder, not a bundle; "},
        {{"publish", scratch.path("game"), scratch.path("tree")}, "malformed", "a folder, not a bundle; "},
        {{"report", scratch.path("game"), "-o", scratch.path("page.html")}, "malformed", "a folder, not a bundle; "},
        {{"publish", bundle, "http://127.0.0.1:1"}, "missing", "a registry wants an author's --key, and any other "},
        {{"channel", "status", "http://127.0.0.1:1", "--channel", "a/b"}, "missing", "give one with --root"},
    };
    for (const Mistake& one : mistakes) {
        const Outcome outcome = run(one.words);
        CAPTURE(outcome.err);
        CHECK(is_one_clear_line(outcome, one.code));
        check_has(outcome.err, one.said);
    }
}

TEST_CASE_FIXTURE(Author, "advice: what servers and proxies answer is said, and where they lead") {
    const std::string id = nlohmann::json::parse(facts_of(bundle))["bundle"];
    struct Answer {
        std::string status;
        std::string fields;
        std::string body;
        std::string_view code;
        std::string said;
    };
    const Answer answers[] = {
        {"302 Found", "Location: https://elsewhere.example/x\r\n", "", "denied",
         "a redirect to https://elsewhere.example/x; "},
        {"400 Bad Request", "Content-Type: text/plain\r\n", "go away\nplease", "io",
         "the server answers 400: go away ["},
        {"403 Forbidden", "Content-Type: text/html\r\n", "<html>", "denied", "the server answers 403 ["},
        {"200 OK", "Content-Type: text/html; charset=utf-8\r\n", "<html>Log in", "corrupt", "of the type text/html"},
    };
    for (const Answer& one : answers) {
        const OddServer server(
            [&](OddServer::Guest& guest) { guest.send(http_answer(one.status, one.body, one.fields)); });
        const Outcome outcome = run({"fetch", server.url(), id, "--store", scratch.path("store"), "--yes"});
        CAPTURE(outcome.err);
        CHECK(is_one_clear_line(outcome, one.code));
        check_has(outcome.err, one.said);
    }
    const Outcome proxied = run({"fetch", "http://127.0.0.2:1", id, "--store", scratch.path("store"), "--yes"},
                                {.variables = {{"http_proxy", "http://127.0.0.1:9"}}});
    CHECK(is_one_clear_line(proxied, "unreachable"));
    check_has(proxied.err, "that is the proxy of the variable http_proxy");
}

TEST_CASE_FIXTURE(Author, "advice: files that people edit may have the line ends of Windows") {
    const std::string pub = scratch.write("windows.pub", with_windows_ends(read_file(key + ".pub")));
    const std::string policy = scratch.path("t.trust");
    run_well({"trust", "init", policy, "--author", pub});
    scratch.write("t.trust", with_windows_ends(read_file(policy)));
    run_well({"sign", bundle, "--key", key, "--role", "author"});
    run_well({"verify", bundle, "--trust", policy});
    // What Fardel changes in such a file is written with line feeds.
    run_well({"trust", "add", policy, "--author", pub, "--pattern", "mods/**"});
    CHECK_FALSE(has(read_file(policy), "\r"));
    run_well({"trust", "show", policy});
    run_well({"init", scratch.path("game"), "--name", "studio/game"});
    scratch.write("game/assets/a.txt", "a");
    scratch.write(
        "game/fardel.toml",
        with_windows_ends("name = \"studio/game\"\nsources = [\"assets\"]\noutput = \"made/here/game.fardel\"\n"));
    run_well({"build", scratch.path("game")});
    CHECK(run_well({"cat", scratch.path("game/made/here/game.fardel"), "a.txt"}) == "a");
}

}  // namespace fardel::tests::advice_test
