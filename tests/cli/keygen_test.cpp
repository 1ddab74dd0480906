// fardel keygen, and the sources of passphrases.

#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::keygen_test {

using nlohmann::json;

TEST_CASE("keygen: writes two files, the secret one readable by its owner only, and overwrites neither") {
    const ScratchFolder scratch;
    const std::string key = scratch.path("author.key");
    const Outcome made = run({"keygen", "-o", key, "--no-passphrase", "--comment", "build farm"});
    CHECK(made.exit_code == 0);
    CHECK(word_after(made.out, "\n  key").size() == 64);
    CHECK(fs::status(key).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    CHECK((fs::status(key + ".pub").permissions() & fs::perms::others_read) != fs::perms::none);
    CHECK(read_file(key + ".pub").find("build farm") != std::string::npos);
    CHECK(made.out.find(read_file(key).substr(read_file(key).find("seed: ") + 6, 64)) == std::string::npos);

    const std::string secret = read_file(key);
    for (const std::string& path : {key, key + ".pub"}) {
        const Outcome again = run({"keygen", "-o", key, "--no-passphrase"});
        CHECK(again.exit_code == 1);
        CHECK(is_one_clear_line(again, "conflict"));
        if (path == key)
            fs::rename(key, scratch.path("kept"));  // now only the public key file exists
    }
    CHECK_FALSE(fs::exists(key));
    CHECK(read_file(scratch.path("kept")) == secret);
}

TEST_CASE("keygen: writes nothing into a missing folder or through a link") {
    const ScratchFolder scratch;
    const Outcome nowhere = run({"keygen", "-o", scratch.path("no/author.key"), "--no-passphrase"});
    CHECK(nowhere.exit_code == 3);
    CHECK(is_one_clear_line(nowhere, "missing"));
    fs::create_symlink(scratch.path("elsewhere"), scratch.path("link.key"));
    CHECK(run({"keygen", "-o", scratch.path("link.key"), "--no-passphrase"}).exit_code == 1);
    CHECK_FALSE(fs::exists(scratch.path("elsewhere")));
    const Outcome bad_comment = run({"keygen", "-o", scratch.path("c.key"), "--no-passphrase", "--comment", "a\nb"});
    CHECK(bad_comment.exit_code == 1);
    CHECK_FALSE(fs::exists(scratch.path("c.key")));
    CHECK_FALSE(fs::exists(scratch.path("c.key.pub")));
}

TEST_CASE_FIXTURE(
    PackedGame,
    "passphrases: come from the file that FARDEL_PASSPHRASE_FILE names; without one and without a terminal there is "
    "none") {
    const std::string key = scratch.path("author.key");
    const auto private_file = [&](const char* name, std::string_view text) {
        const std::string path = scratch.write(name, text);
        fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
        return path;
    };
    const Surroundings with_file{.variables = {{"FARDEL_PASSPHRASE_FILE", private_file("pass", "correct horse\n")}}};
    run_well({"keygen", "-o", key}, with_file);
    CHECK(read_file(key).find("argon2id") != std::string::npos);
    run_well({"sign", bundle, "--key", key, "--role", "author"}, with_file);

    const Outcome none = run({"sign", bundle, "--key", key, "--role", "author", "--epoch", "2"});
    CHECK(none.exit_code == 1);
    CHECK(is_one_clear_line(none, "unresolved"));
    const Outcome wrong = run({"sign", bundle, "--key", key, "--role", "author", "--epoch", "2"},
                              {.variables = {{"FARDEL_PASSPHRASE_FILE", private_file("wrong", "wrong\n")}}});
    CHECK(wrong.exit_code == 3);
    CHECK(is_one_clear_line(wrong, "denied"));
    const Outcome absent = run({"keygen", "-o", scratch.path("b.key")},
                               {.variables = {{"FARDEL_PASSPHRASE_FILE", scratch.path("absent")}}});
    CHECK(absent.exit_code == 3);
    CHECK(is_one_clear_line(absent, "missing"));
    const Outcome endless =
        run({"keygen", "-o", scratch.path("b.key")}, {.variables = {{"FARDEL_PASSPHRASE_FILE", "/dev/zero"}}});
    CHECK(is_one_clear_line(endless, "limit"));
    const Outcome empty =
        run({"keygen", "-o", scratch.path("b.key")}, {.variables = {{"FARDEL_PASSPHRASE_FILE", "/dev/null"}}});
    CHECK(is_one_clear_line(empty, "malformed"));
    CHECK_FALSE(fs::exists(scratch.path("b.key")));

    // A75
    const std::string shared = private_file("shared", "correct horse\n");
    fs::permissions(shared, fs::perms::others_read, fs::perm_options::add);
    const Outcome open_to_all =
        run({"keygen", "-o", scratch.path("b.key")}, {.variables = {{"FARDEL_PASSPHRASE_FILE", shared}}});
    CHECK(open_to_all.exit_code == 3);
    CHECK(is_one_clear_line(open_to_all, "denied"));
    CHECK(open_to_all.err.find("chmod 600") != std::string::npos);
    CHECK_FALSE(fs::exists(scratch.path("b.key")));

    // A pipe will do: FARDEL_PASSPHRASE_FILE=<(pass show game)
    const Outcome piped = run_shell("echo 'correct horse' | FARDEL_PASSPHRASE_FILE=/dev/stdin \"$FARDEL\" sign " +
                                    bundle + " --key " + key + " --role author --epoch 3");
    CHECK(piped.exit_code == 0);
    CHECK(json::parse(facts_of(bundle))["signatures"].size() == 2);
}

}  // namespace fardel::tests::keygen_test
