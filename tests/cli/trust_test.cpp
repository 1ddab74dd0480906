// fardel keygen, sign, trust and verify: who vouches for what.

#include "sample.h"

#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>

#include <nlohmann/json.hpp>

using namespace fardel::tests;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

json told_by(const std::string& bundle) { return json::parse(run_well({"id", "--json", bundle})); }

std::string make_policy(const ScratchFolder& scratch, const std::string& name, const Arguments& options) {
    const std::string path = scratch.path(name);
    Arguments arguments{"trust", "init", path};
    arguments.insert(arguments.end(), options.begin(), options.end());
    run_well(arguments);
    return path;
}

void sign(const std::string& bundle, const std::string& key, const std::string& role) { run_well({"sign", bundle, "--key", key, "--role", role}); }

}  // namespace

TEST_CASE("keygen: two files, the secret one for nobody else's eyes, and neither ever overwritten") {
    const ScratchFolder scratch;
    const std::string key = scratch.path("author.key");
    const Outcome made = run({"keygen", "-o", key, "--no-passphrase", "--comment", "build farm"});
    CHECK(made.exit_code == 0);
    CHECK(word_behind(made.out, "\n  key").size() == 64);
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
            fs::rename(key, scratch.path("kept"));   // now the public one alone is in the way
    }
    CHECK_FALSE(fs::exists(key));
    CHECK(read_file(scratch.path("kept")) == secret);
}

TEST_CASE("keygen: into a folder that is not there, or onto a link, makes nothing") {
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

TEST_CASE("passphrases: come from the file that FARDEL_PASSPHRASE_FILE names; without one and without a terminal there is none") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string key = scratch.path("author.key");
    const Surroundings with_file{.variables = {{"FARDEL_PASSPHRASE_FILE", scratch.write("pass", "correct horse\n")}}};
    run_well({"keygen", "-o", key}, with_file);
    CHECK(read_file(key).find("argon2id") != std::string::npos);
    run_well({"sign", bundle, "--key", key, "--role", "author"}, with_file);

    const Outcome none = run({"sign", bundle, "--key", key, "--role", "author", "--epoch", "2"});
    CHECK(none.exit_code == 1);
    CHECK(is_one_clear_line(none, "unresolved"));
    const Outcome wrong = run({"sign", bundle, "--key", key, "--role", "author", "--epoch", "2"}, {.variables = {{"FARDEL_PASSPHRASE_FILE", scratch.write("wrong", "wrong\n")}}});
    CHECK(wrong.exit_code == 3);
    CHECK(is_one_clear_line(wrong, "denied"));
    const Outcome absent = run({"keygen", "-o", scratch.path("b.key")}, {.variables = {{"FARDEL_PASSPHRASE_FILE", scratch.path("absent")}}});
    CHECK(absent.exit_code == 3);
    CHECK(is_one_clear_line(absent, "missing"));
    const Outcome endless = run({"keygen", "-o", scratch.path("b.key")}, {.variables = {{"FARDEL_PASSPHRASE_FILE", "/dev/zero"}}});
    CHECK(is_one_clear_line(endless, "limit"));
    const Outcome empty = run({"keygen", "-o", scratch.path("b.key")}, {.variables = {{"FARDEL_PASSPHRASE_FILE", "/dev/null"}}});
    CHECK(is_one_clear_line(empty, "malformed"));
    CHECK_FALSE(fs::exists(scratch.path("b.key")));

    // A pipe will do: FARDEL_PASSPHRASE_FILE=<(pass show game)
    const Outcome piped = run_shell("echo 'correct horse' | FARDEL_PASSPHRASE_FILE=/dev/stdin \"$FARDEL\" sign " + bundle + " --key " + key + " --role author --epoch 3");
    CHECK(piped.exit_code == 0);
    CHECK(told_by(bundle)["signatures"].size() == 2);
}

TEST_CASE("sign: as author, then as registry, and a policy that wants both is content") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string author = make_key(scratch, "author");
    const std::string hub = make_key(scratch, "hub");
    const std::string before = read_file(bundle);

    const Outcome early = run({"sign", bundle, "--key", hub, "--role", "registry"});
    CHECK(early.exit_code == 1);
    CHECK(is_one_clear_line(early, "untrusted"));
    CHECK(read_file(bundle) == before);

    sign(bundle, author, "author");
    CHECK(read_file(bundle).starts_with(before));   // appended, nothing moved
    const std::string both = make_policy(scratch, "both.trust", {"--author", author + ".pub", "--registry", hub + ".pub"});
    const Outcome half = run({"verify", bundle, "--trust", both});
    CHECK(half.exit_code == 1);
    CHECK(half.out.find("error: ") != std::string::npos);

    const json report = json::parse(run_well({"sign", bundle, "--key", hub, "--role", "registry", "--comment", "reviewed", "--json"}));
    CHECK(report["role"] == "registry");
    CHECK(report["bundle"] == told_by(bundle)["bundle"]);
    const std::string good = run_well({"verify", bundle, "--trust", both});
    CHECK(good.find("signed by author as author") != std::string::npos);
    CHECK(good.find("signed by hub as registry") != std::string::npos);

    const json signatures = told_by(bundle)["signatures"];
    REQUIRE(signatures.size() == 2);
    CHECK(signatures[0]["good"] == true);
    CHECK(signatures[1]["good"] == true);
    CHECK(signatures[1]["author"] == signatures[0]["key"]);
    CHECK(signatures[1]["comment"] == "reviewed");
    CHECK(run_well({"id", "--all", bundle}).find("\"reviewed\"") != std::string::npos);
}

TEST_CASE("sign: the same twice is refused; a renewal is not") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string author = make_key(scratch, "author");
    const std::string hub = make_key(scratch, "hub");
    sign(bundle, author, "author");
    sign(bundle, hub, "release");
    for (const Arguments& arguments : {Arguments{"sign", bundle, "--key", author, "--role", "author"}, Arguments{"sign", bundle, "--key", hub, "--role", "release"}}) {
        const std::string before = read_file(bundle);
        const Outcome again = run(arguments);
        CHECK(again.exit_code == 1);
        CHECK(is_one_clear_line(again, "conflict"));
        CHECK(read_file(bundle) == before);
    }
    run_well({"sign", bundle, "--key", author, "--role", "author", "--expires", "2100-01-01", "--epoch", "2"});
    CHECK(told_by(bundle)["signatures"][2]["expires"] == 4102444800);
    const Outcome over = run({"sign", bundle, "--key", author, "--role", "author", "--expires", "2001-01-01"});
    CHECK(over.exit_code == 1);
    CHECK(is_one_clear_line(over, "expired"));
}

TEST_CASE("sign: a second author cosigns; with two statements, a registry says whose it means") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string alice = make_key(scratch, "alice");
    const std::string bob = make_key(scratch, "bob");
    const std::string hub = make_key(scratch, "hub");
    sign(bundle, alice, "author");
    run_well({"sign", bundle, "--key", bob, "--role", "author", "--cosign"});
    const Outcome twice = run({"sign", bundle, "--key", alice, "--role", "author", "--cosign"});
    CHECK(is_one_clear_line(twice, "conflict"));
    scratch.write("two.trust", "fardel-trust 1\nkey alice " + read_file(alice + ".pub").substr(read_file(alice + ".pub").find("public-key: ") + 12, 64) + "\nkey bob " +
                                   read_file(bob + ".pub").substr(read_file(bob + ".pub").find("public-key: ") + 12, 64) + "\nallow ** author=2:alice,bob\n");
    CHECK(run({"verify", bundle, "--trust", scratch.path("two.trust")}).exit_code == 0);

    sign(bundle, bob, "author");
    const Outcome unclear = run({"sign", bundle, "--key", hub, "--role", "registry"});
    CHECK(is_one_clear_line(unclear, "conflict"));
    run_well({"sign", bundle, "--key", hub, "--role", "registry", "--author", bob + ".pub"});
    const json signatures = told_by(bundle)["signatures"];
    CHECK(signatures.back()["author"] == signatures[2]["key"]);
}

TEST_CASE("sign: stops before a bundle has more signatures than a reader accepts") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string author = make_key(scratch, "author");
    int signatures = 0;
    Outcome last;
    for (; signatures < 20; ++signatures) {
        last = run({"sign", bundle, "--key", author, "--role", "author", "--epoch", std::to_string(signatures)});
        if (last.exit_code != 0)
            break;
    }
    CHECK(signatures == 16);
    CHECK(is_one_clear_line(last, "limit"));
    CHECK(run({"verify", bundle}).exit_code == 0);
}

TEST_CASE("sign: wrong keys are told apart") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string key = make_key(scratch, "author");
    const std::string before = read_file(bundle);
    const auto check = [&](const std::string& path, int exit_code, std::string_view code) {
        const Outcome outcome = run({"sign", bundle, "--key", path, "--role", "author"});
        CAPTURE(path);
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code == exit_code);
        CHECK(is_one_clear_line(outcome, code));
        CHECK(read_file(bundle) == before);
    };
    check(scratch.path("absent"), 3, "missing");
    check(key + ".pub", 3, "denied");   // readable by all: no secret key is
    fs::permissions(key + ".pub", fs::perms::owner_read | fs::perms::owner_write);
    check(key + ".pub", 1, "malformed");
    fs::create_symlink(key, scratch.path("link"));
    check(scratch.path("link"), 3, "denied");
    scratch.write("short", read_file(key).substr(0, 100));
    fs::permissions(scratch.path("short"), fs::perms::owner_read);
    check(scratch.path("short"), 1, "malformed");
    fs::permissions(key, fs::perms::owner_read | fs::perms::group_read);
    check(key, 3, "denied");
}

TEST_CASE("sign: with --signer the secret key stays with another program") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string key = make_key(scratch, "author");
    const std::string other = make_key(scratch, "other");
    const std::string program = scratch.write("signer", "#!/bin/sh\ncat >/dev/null\necho nonsense\n");
    const Outcome not_executable = run({"sign", bundle, "--key", key + ".pub", "--signer", program, "--role", "author"});
    CHECK(not_executable.exit_code == 3);
    CHECK(is_one_clear_line(not_executable, "denied"));
    fs::permissions(program, fs::perms::owner_all);
    const Outcome nonsense = run({"sign", bundle, "--key", key + ".pub", "--signer", program, "--role", "author"});
    CHECK(nonsense.exit_code == 1);
    CHECK(is_one_clear_line(nonsense, "malformed"));
    const Outcome absent = run({"sign", bundle, "--key", key + ".pub", "--signer", scratch.path("absent"), "--role", "author"});
    CHECK(absent.exit_code == 3);
    CHECK(is_one_clear_line(absent, "missing"));
    CHECK(told_by(bundle)["signatures"].empty());

    // A signer that knows one answer: the signature that the program itself made of the same statement.
    const Surroundings then{.variables = {{"SOURCE_DATE_EPOCH", "1700000000"}}};
    const std::string copy = scratch.write("copy.fardel", read_file(bundle));
    run_well({"sign", copy, "--key", key, "--role", "author"}, then);
    auto signed_copy = fardel::Bundle::open(*fardel::open_file_source(copy), {});
    REQUIRE(signed_copy);
    scratch.write("signer", "#!/bin/sh\ncat >/dev/null\necho " + (*signed_copy)->envelopes()[0].signatures[0].signature.hex() + "\n");
    run_well({"sign", bundle, "--key", key + ".pub", "--signer", program, "--role", "author"}, then);
    CHECK(read_file(bundle) == read_file(copy));
    const Outcome of_another = run({"sign", bundle, "--key", other + ".pub", "--signer", program, "--role", "author"}, then);
    CHECK(is_one_clear_line(of_another, "corrupt"));
}

TEST_CASE("trust init: writes what trust show and a reader understand, and never overwrites") {
    const ScratchFolder scratch;
    fs::create_directory(scratch.path("other"));
    const std::string a = make_key(scratch, "author");
    const std::string b = make_key(scratch, "other/author");
    const std::string c = make_key(scratch, "h u+b");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", a + ".pub", "--author", b + ".pub", "--registry", c + ".pub", "--registry", a + ".pub", "--pattern", "mods/**"});
    const json rules = json::parse(run_well({"trust", "show", policy, "--json"}));
    CHECK(rules["keys"].size() == 3);
    REQUIRE(rules["allow"].size() == 1);
    CHECK(rules["allow"][0]["pattern"] == "mods/**");
    CHECK(rules["allow"][0]["roles"][0]["labels"] == json({"author", "author-2"}));
    CHECK(rules["allow"][0]["roles"][1]["labels"] == json({"h-u-b", "author"}));
    CHECK(rules["unsigned_allowed"] == false);
    CHECK(run_well({"trust", "show", policy}).starts_with("bundles named mods/**\n  author: 1 of author, author-2\n  registry: 1 of h-u-b, author\nkey "));

    const std::string before = read_file(policy);
    const Outcome again = run({"trust", "init", policy, "--author", a + ".pub"});
    CHECK(again.exit_code == 1);
    CHECK(is_one_clear_line(again, "conflict"));
    CHECK(read_file(policy) == before);
    for (const Arguments& options : {Arguments{"--author", scratch.path("absent.pub")}, Arguments{"--author", a}, Arguments{"--author", a + ".pub", "--pattern", "a//b"}}) {
        Arguments arguments{"trust", "init", scratch.path("q.trust")};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = run(arguments);
        CHECK(outcome.exit_code != 0);
        CHECK(outcome.err.starts_with("fardel: "));
        CHECK_FALSE(fs::exists(scratch.path("q.trust")));
    }
}

TEST_CASE("trust show: a file that is no policy") {
    const ScratchFolder scratch;
    CHECK(is_one_clear_line(run({"trust", "show", scratch.path("absent")}), "missing"));
    CHECK(is_one_clear_line(run({"trust", "show", scratch.write("x", "hello\n")}), "malformed"));
    CHECK(is_one_clear_line(run({"trust", "show", scratch.root()}), "malformed"));
    CHECK(is_one_clear_line(run({"trust", "show", "/dev/zero"}), "malformed"));
}

TEST_CASE("verify: says what was proved, and that nobody's signature was required") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const Outcome outcome = run({"verify", bundle});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err == "");
    CHECK(outcome.out.starts_with(bundle + ": good\n"));
    CHECK(outcome.out.find("\nverdict: the bundle is good (0 errors, ") != std::string::npos);
    CHECK(outcome.out.ends_with("nobody's signature was required; --trust POLICY requires one\n"));
    const json report = json::parse(run_well({"verify", bundle, "--json"}));
    CHECK(report["good"] == true);
    CHECK(report["policy"].is_null());
    CHECK(report["bundles"][0]["raw_bytes_proved"] == report["bundles"][0]["raw_bytes"]);
    CHECK(report["bundles"][0]["trust"].is_null());
}

TEST_CASE("verify: unsigned, or signed by a stranger, is refused by a policy") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string author = make_key(scratch, "author");
    const std::string stranger = make_key(scratch, "stranger");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", author + ".pub"});
    CHECK(run({"verify", bundle, "--trust", policy}).exit_code == 1);
    sign(bundle, stranger, "author");
    const Outcome refused = run({"verify", bundle, "--trust", policy, "--json"});
    CHECK(refused.exit_code == 1);
    const json report = json::parse(refused.out);
    CHECK(report["good"] == false);
    CHECK(report["bundles"][0]["trust"]["trusted"] == false);
    CHECK(run({"verify", bundle}).exit_code == 0);
    sign(bundle, author, "author");
    CHECK(run({"verify", bundle, "--trust", policy}).exit_code == 0);
    const std::string narrow = make_policy(scratch, "n.trust", {"--author", author + ".pub", "--pattern", "othergame"});
    CHECK(run({"verify", bundle, "--trust", narrow}).exit_code == 1);
    CHECK(is_one_clear_line(run({"verify", bundle, "--trust", scratch.path("absent")}), "missing"));
}

TEST_CASE("verify: one changed bit anywhere is found") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::uint64_t size = fs::file_size(bundle);
    for (std::uint64_t at = 0; at < size; at += size / 17) {
        flip_bit(bundle, at);
        CAPTURE(at);
        const Outcome outcome = run({"verify", bundle});
        CHECK(outcome.exit_code == 1);
        CHECK(outcome.out.find("BAD") != std::string::npos);
        flip_bit(bundle, at);
    }
    CHECK(run({"verify", bundle}).exit_code == 0);
}

TEST_CASE("verify: several files are also looked at together") {
    const ScratchFolder scratch;
    const std::string a = make_bundle(scratch, "a");
    const std::string b = make_bundle(scratch, "b");
    scratch.write("c/other.txt", "c");
    run_well({"pack", scratch.path("c"), "-o", scratch.path("c.fardel")});
    const Outcome outcome = run({"verify", a, scratch.path("c.fardel")});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out.find("verdict: the bundles are good") != std::string::npos);
    flip_bit(b, 5000);
    const Outcome one_bad = run({"verify", scratch.path("c.fardel"), b, "--json"});
    CHECK(one_bad.exit_code == 1);
    const json report = json::parse(one_bad.out);
    CHECK(report["bundles"][0]["good"] == true);
    CHECK(report["bundles"][1]["good"] == false);
    CHECK(run({"verify", a, scratch.path("absent")}).exit_code == 3);
}
