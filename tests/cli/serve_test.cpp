// fardel serve as people start it: what it prints, and the mistakes they make. tests/delivery has what it answers.
#include "sample.h"

#include "kit/files.h"
#include "kit/nginx.h"

#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <csignal>

namespace fardel::tests::serve_test {

using nlohmann::json;

// Starts the verb, stops it when it has printed so many lines, and returns everything that it printed.
std::string started(Arguments words, int lines) {
    words.insert(words.begin(), "serve");
    Running program(words);
    wait_until([&] { return std::ranges::count(program.output(), '\n') >= lines; });
    program.send(SIGTERM);
    const Outcome outcome = program.wait();
    CHECK(outcome.exit_code == 0);
    return outcome.out;
}

TEST_CASE("serve: it prints where it listens, with the port that the system chose") {
    const ScratchFolder scratch;
    const std::string tree = scratch.path("tree");
    run_well({"publish", make_bundle(scratch), tree});
    const std::string text = started({tree, "--listen", "127.0.0.1:0", "--listen", "[::1]:0"}, 2);
    CHECK(text.find("serving " + tree + " at http://127.0.0.1:") == 0);
    CHECK(text.find(" at http://[::1]:") != std::string::npos);
    const json line = json::parse(started({tree, "--listen", "127.0.0.1:0", "--json"}, 1));
    CHECK(line["serving"] == tree);
    REQUIRE(line["urls"].size() == 1);
    CHECK(line["metrics"].is_null());
}

TEST_CASE("serve: systemd accepts the unit of the manual, and its command line is one that starts") {
    const ScratchFolder scratch;
    const std::string tree = scratch.path("tree");
    run_well({"publish", make_bundle(scratch), tree});
    const std::string unit = document_block(FARDEL_SOURCE_DIR "/docs/serving.md", "ini");
    const std::string start = "\nExecStart=/usr/bin/fardel serve ";
    const auto begin = unit.find(start);
    REQUIRE(begin != std::string::npos);
    const auto end = unit.find('\n', begin + 1);
    const std::string words = unit.substr(begin + start.size(), end - begin - start.size());
    REQUIRE(words == "/srv/www/mygame --access-log -");
    started({tree, "--access-log", "-", "--listen", "127.0.0.1:0"}, 1);

    // The program is not installed; any other that exists is one for systemd.
    const std::string file =
        scratch.write("fardel-serve.service", unit.substr(0, begin) + "\nExecStart=/bin/true" + unit.substr(end));
    const Outcome verified = run_program({"systemd-analyze", "verify", file});
    CAPTURE(verified.err);
    CHECK(verified.exit_code == 0);
    CHECK(verified.err.empty());
}

TEST_CASE("serve: the mistakes that people make") {
    const ScratchFolder scratch;
    Running wrong_folder({"serve", scratch.root().string(), "--listen", "127.0.0.1:0"});
    wait_until([&] { return !wrong_folder.output().empty(); });
    wrong_folder.send(SIGTERM);
    check_has(wrong_folder.wait().err, "nothing is published in " + scratch.root().string());
    const std::string tree = scratch.path("tree");
    run_well({"publish", make_bundle(scratch), tree});
    CHECK(is_one_clear_line(run({"serve", scratch.path("none")}), "missing"));
    CHECK(is_one_clear_line(run({"serve", "--store", scratch.path("none")}), "missing"));
    CHECK(is_one_clear_line(run({"serve"}), "missing"));
    for (const char* const address :
         {"", "8080", "localhost:8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:x", "::1:80", ":80"})
        CHECK(is_one_clear_line(run({"serve", tree, "--listen", address}), "malformed"));
    CHECK(is_one_clear_line(run({"serve", tree, "--listen", "127.0.0.1:0", "--upload-tokens", scratch.path("no")}),
                            "missing"));
    const std::string tokens = scratch.write("tokens", "secret\n");
    REQUIRE(::chmod(tokens.c_str(), 0640) == 0);  // A151
    const Outcome open_to_others = run({"serve", tree, "--listen", "127.0.0.1:0", "--upload-tokens", tokens});
    CHECK(is_one_clear_line(open_to_others, "denied"));
    check_has(open_to_others.err, "others than its owner may use this token file; run chmod 600 on it");
    REQUIRE(::chmod(tokens.c_str(), 0600) == 0);
    const Outcome wrong = run({"serve", tree, "--listen", "127.0.0.1:0", "--upload-tokens", tokens});
    CHECK(is_one_clear_line(wrong, "malformed"));
    CHECK(wrong.err.find("secret") == std::string::npos);
    CHECK(run({"serve", tree, "--store", tree}).exit_code == 2);
    CHECK(run({"serve", tree, "--log-form", "xml"}).exit_code == 2);
    CHECK(run({"serve", tree, "--per-address", "many"}).exit_code == 2);
    CHECK(run({"serve", tree, "--upload-quota", "5"}).exit_code == 2);
    const Nginx other(scratch);
    CHECK(is_one_clear_line(run({"serve", tree, "--listen", "127.0.0.1:" + std::to_string(other.port())}), "conflict"));
}

}  // namespace fardel::tests::serve_test
