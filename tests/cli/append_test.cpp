#include "sample.h"

#include <nlohmann/json.hpp>

#include <sys/stat.h>

namespace fardel::tests::append_test {

using nlohmann::json;

// A game to which a bundle is appended: a shell that prints what it is given runs on any system of POSIX.
struct GameProgram : PackedGame {
    const std::string program = scratch.path("mygame");
    GameProgram() {
        fs::copy_file("/bin/echo", program);
        fs::permissions(program, fs::perms{0750});
    }
    unsigned mode() const { return static_cast<unsigned>(fs::status(program).permissions()); }
};

TEST_CASE_FIXTURE(GameProgram, "append: the program still runs, and the verbs read the bundle in it") {
    const std::string before = read_file(program);
    const json done = json::parse(run_well({"append", program, bundle, "--json"}));
    const std::string after = read_file(program);
    CHECK(after.starts_with(before));
    CHECK(done["program_bytes"] == before.size());
    CHECK(done["bundle_offset"].get<std::size_t>() % 4096 == 0);
    CHECK(after.substr(done["bundle_offset"], done["bundle_bytes"]) == read_file(bundle));
    CHECK(done["file_bytes"] == after.size());
    CHECK(done["replaced"] == false);
    CHECK(mode() == 0750);

    const Outcome ran = run_program({program, "still", "runs"});
    CHECK(ran.exit_code == 0);
    CHECK(ran.out == "still runs\n");
    const std::string id = run_well({"id", bundle});
    CHECK(run_well({"id", program}) == id);
    CHECK(done["bundle"] == id.substr(0, 64));
    CHECK(run_well({"ls", program}) == run_well({"ls", bundle}));
    CHECK(run_well({"cat", program, "default.cfg"}) == kConfig);
    CHECK(run_well({"which", "--mount", program, "default.cfg"}).find(id.substr(0, 64)) != std::string::npos);
    CHECK(run_well({"conflicts", program}) == run_well({"conflicts", bundle}));
    CHECK(run({"links", program}).exit_code == run({"links", bundle}).exit_code);
    run_well({"report", program, "-o", scratch.path("page.html")});
    CHECK(run({"verify", program}).exit_code == run({"verify", bundle}).exit_code);
}

TEST_CASE_FIXTURE(GameProgram, "append: again, it replaces the bundle, and the bytes are those of appending once") {
    const std::string before = read_file(program);
    run_well({"append", program, bundle, "-o", scratch.path("once")});
    CHECK(read_file(program) == before);
    const std::string other = make_rich_bundle(scratch);
    run_well({"append", program, other});
    CHECK(json::parse(run_well({"append", program, bundle, "--json"}))["replaced"] == true);
    CHECK(read_file(program) == read_file(scratch.path("once")));
    // The bundle of another program.
    run_well({"append", scratch.path("once"), other});
    run_well({"append", scratch.path("once"), program});
    CHECK(read_file(program) == read_file(scratch.path("once")));
}

TEST_CASE_FIXTURE(GameProgram, "append: a link is followed, and stays one") {
    fs::create_symlink("mygame", scratch.path("link"));
    run_well({"append", scratch.path("link"), bundle});
    CHECK(fs::is_symlink(scratch.path("link")));
    CHECK(run_well({"id", program}) == run_well({"id", bundle}));
}

TEST_CASE_FIXTURE(GameProgram, "append: what is no program, and what is no good bundle, changes nothing") {
    const std::string before = read_file(program);
    const Outcome exchanged = run({"append", bundle, program});
    CHECK(is_one_clear_line(exchanged, "malformed"));
    CHECK(exchanged.err.find("the program is named first") != std::string::npos);
    CHECK(is_one_clear_line(run({"append", program, "/bin/echo"}), "malformed"));
    CHECK(is_one_clear_line(run({"append", scratch.path("none"), bundle}), "missing"));
    std::string damaged = read_file(bundle);
    damaged[9000] = static_cast<char>(damaged[9000] ^ 1);
    write_file(scratch.path("damaged.fardel"), damaged);
    const Outcome refused = run({"append", program, scratch.path("damaged.fardel")});
    CHECK(refused.exit_code == 1);
    CHECK(refused.err.find("nothing was appended") != std::string::npos);
    CHECK(read_file(program) == before);
}

TEST_CASE_FIXTURE(GameProgram,
                  "append: a record that does not fit its file is named; one byte of the bundle is found") {
    run_well({"append", program, bundle});
    const std::string good = read_file(program);
    std::string bad = good;
    bad[bad.size() - 14] = static_cast<char>(bad[bad.size() - 14] ^ 1);  // program_bytes, by 65,536
    write_file(program, bad);
    for (const Arguments& arguments : {Arguments{"id", program}, Arguments{"append", program, bundle}}) {
        const Outcome outcome = run(arguments);
        CHECK(is_one_clear_line(outcome, "malformed"));
        CHECK(outcome.err.find("append the bundle to the program again") != std::string::npos);
    }
    bad = good;
    bad[bad.size() - 32 - read_file(bundle).size() + 9000] ^= 1;
    write_file(program, bad);
    CHECK(run({"verify", program}).exit_code == 1);
}

TEST_CASE_FIXTURE(GameProgram, "append: the bundle in a program is not signed there") {
    run_well({"append", program, bundle});
    const std::string before = read_file(program);
    const Outcome outcome = run({"sign", program, "--key", make_key(scratch, "author")});
    CHECK(is_one_clear_line(outcome, "unsupported"));
    CHECK(read_file(program) == before);
    // Appended afterwards, a signature counts.
    sign(bundle, scratch.path("author.key"), "author");
    run_well({"append", program, bundle});
    const std::string policy = make_policy(scratch, "author.trust", {"--author", scratch.path("author.key.pub")});
    run_well({"verify", program, "--trust", policy});
}

}  // namespace fardel::tests::append_test
