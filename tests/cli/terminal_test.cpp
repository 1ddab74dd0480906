// The program on a terminal: questions, colours, progress, and Ctrl-C.

#include "sample.h"

#include <csignal>

namespace fardel::tests::terminal_test {

TEST_CASE_FIXTURE(PackedGame,
                  "passphrases: are asked for without echo, twice for a new key, and not for an unencrypted key") {
    const std::string key = scratch.path("author.key");
    const Outcome made = run_at_terminal({"keygen", "-o", key}, {{"New passphrase for " + key, "correct horse\n"},
                                                                 {"Repeat the passphrase: ", "correct horse\n"}});
    CHECK(made.exit_code == 0);
    CHECK(made.out.find("horse") == std::string::npos);
    CHECK(made.out.find("created a key pair") != std::string::npos);

    const Outcome wrong =
        run_at_terminal({"sign", bundle, "--key", key, "--role", "author"}, {{"Passphrase of " + key, "wrong\n"}});
    CHECK(wrong.exit_code == 3);
    CHECK(wrong.out.find("wrong passphrase") != std::string::npos);
    const Outcome right = run_at_terminal({"sign", bundle, "--key", key, "--role", "author"},
                                          {{"Passphrase of " + key, "correct horse\n"}});
    CHECK(right.exit_code == 0);

    const Outcome differ = run_at_terminal({"keygen", "-o", scratch.path("b.key")},
                                           {{"New passphrase", "one\n"}, {"Repeat the passphrase", "two\n"}});
    CHECK(differ.exit_code == 1);
    CHECK(differ.out.find("the two passphrases differ") != std::string::npos);
    const Outcome empty = run_at_terminal({"keygen", "-o", scratch.path("b.key")}, {{"New passphrase", "\n"}});
    CHECK(empty.exit_code == 1);
    CHECK_FALSE(fs::exists(scratch.path("b.key")));
    CHECK(run_at_terminal({"keygen", "-o", scratch.path("c.key"), "--no-passphrase"}).exit_code == 0);
}

TEST_CASE("passphrases: Ctrl-C at the question ends the program, and nothing is written") {
    const ScratchFolder scratch;
    const Outcome outcome = run_at_terminal({"keygen", "-o", scratch.path("a.key")}, {{"New passphrase", "\x03"}});
    CHECK(outcome.signal == SIGINT);
    CHECK(list_folder(scratch.root()) == "");
}

TEST_CASE_FIXTURE(PackedGame, "colours: at a terminal, unless NO_COLOR is set or the terminal is dumb") {
    CHECK(run_at_terminal({"verify", bundle}).out.find("\x1b[32m") != std::string::npos);
    CHECK(run_at_terminal({"verify", bundle}, {}, {.variables = {{"NO_COLOR", "1"}}}).out.find("\x1b[3") ==
          std::string::npos);
    CHECK(run({"verify", bundle}, {.variables = {{"TERM", "xterm"}}}).out.find('\x1b') == std::string::npos);
}

TEST_CASE("progress: long work shows a bar at a terminal and clears it; elsewhere there is none") {
    const ScratchFolder scratch;
    for (int i = 0; i < 40; ++i)
        scratch.write("big/" + std::to_string(i) + ".dat", noise_text(500'000, static_cast<std::uint64_t>(i)));
    const Arguments arguments{"pack", scratch.path("big"), "-o", scratch.path("big.fardel"), "--level", "19", "--jobs",
                              "1"};
    const Outcome watched = run_at_terminal(arguments);
    CHECK(watched.exit_code == 0);
    CHECK(watched.out.find("packing [") != std::string::npos);
    CHECK(watched.out.find(" of 40 assets") != std::string::npos);
    CHECK(run(arguments).err == "");
}

TEST_CASE("Ctrl-C during pack: leaves no files, and an existing bundle unchanged") {
    const ScratchFolder scratch;
    for (int i = 0; i < 60; ++i)
        scratch.write("big/" + std::to_string(i) + ".dat", noise_text(1'000'000, static_cast<std::uint64_t>(i)));
    fs::create_directory(scratch.path("out"));
    const std::string out = scratch.path("out/big.fardel");
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        Running packing({"pack", scratch.path("big"), "-o", out, "--level", "19", "--jobs", "1"});
        wait_until([&] { return !list_folder(scratch.path("out")).empty(); });  // its temporary file
        packing.send(signal);
        const Outcome outcome = packing.wait();
        CAPTURE(signal);
        CAPTURE(outcome.err);
        CHECK(outcome.signal == signal);
        CHECK(outcome.err.starts_with("fardel: "));
        CHECK(outcome.err.ends_with("[cancelled]\n"));
        CHECK(list_folder(scratch.path("out")) == "");
    }
}

}  // namespace fardel::tests::terminal_test
