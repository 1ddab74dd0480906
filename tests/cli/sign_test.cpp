#include "sample.h"

#include "bundle_forge/bundle_forge.h"

#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>

#include <nlohmann/json.hpp>

namespace fardel::tests::sign_test {

using nlohmann::json;

TEST_CASE_FIXTURE(PackedGame, "sign: as author, then as registry, satisfies a policy that requires both") {
    const std::string author = make_key(scratch, "author");
    const std::string hub = make_key(scratch, "hub");
    const std::string before = read_file(bundle);

    const Outcome early = run({"sign", bundle, "--key", hub, "--role", "registry"});
    CHECK(early.exit_code == 1);
    CHECK(is_one_clear_line(early, "untrusted"));
    CHECK(read_file(bundle) == before);

    sign(bundle, author, "author");
    CHECK(read_file(bundle).starts_with(before));  // only appended to
    const std::string both =
        make_policy(scratch, "both.trust", {"--author", author + ".pub", "--registry", hub + ".pub"});
    const Outcome half = run({"verify", bundle, "--trust", both});
    CHECK(half.exit_code == 1);
    CHECK(half.out.find("error: ") != std::string::npos);

    const json report =
        json::parse(run_well({"sign", bundle, "--key", hub, "--role", "registry", "--comment", "reviewed", "--json"}));
    CHECK(report["role"] == "registry");
    CHECK(report["bundle"] == json::parse(facts_of(bundle))["bundle"]);
    const std::string good = run_well({"verify", bundle, "--trust", both});
    CHECK(good.find("signed by author as author") != std::string::npos);
    CHECK(good.find("signed by hub as registry") != std::string::npos);

    const json signatures = json::parse(facts_of(bundle))["signatures"];
    REQUIRE(signatures.size() == 2);
    CHECK(signatures[0]["good"] == true);
    CHECK(signatures[1]["good"] == true);
    CHECK(signatures[1]["author"] == signatures[0]["key"]);
    CHECK(signatures[1]["comment"] == "reviewed");
    CHECK(run_well({"id", "--all", bundle}).find("\"reviewed\"") != std::string::npos);
}

TEST_CASE_FIXTURE(PackedGame, "sign: signing the same twice is refused, a renewal is not") {
    const std::string author = make_key(scratch, "author");
    const std::string hub = make_key(scratch, "hub");
    sign(bundle, author, "author");
    sign(bundle, hub, "release");
    for (const Arguments& arguments : {Arguments{"sign", bundle, "--key", author},  // as author, which is the default
                                       Arguments{"sign", bundle, "--key", author, "--role", "author"},
                                       Arguments{"sign", bundle, "--key", hub, "--role", "release"}}) {
        const std::string before = read_file(bundle);
        const Outcome again = run(arguments);
        CHECK(again.exit_code == 1);
        CHECK(is_one_clear_line(again, "conflict"));
        CHECK(read_file(bundle) == before);
    }
    run_well({"sign", bundle, "--key", author, "--role", "author", "--expires", "2100-01-01", "--epoch", "2"});
    CHECK(json::parse(facts_of(bundle))["signatures"][2]["expires"] == 4102444800);
    const Outcome over = run({"sign", bundle, "--key", author, "--role", "author", "--expires", "2001-01-01"});
    CHECK(over.exit_code == 1);
    CHECK(is_one_clear_line(over, "expired"));
}

TEST_CASE_FIXTURE(PackedGame, "sign: a second author cosigns; with two statements, a registry has to choose one") {
    const std::string alice = make_key(scratch, "alice");
    const std::string bob = make_key(scratch, "bob");
    const std::string hub = make_key(scratch, "hub");
    sign(bundle, alice, "author");
    run_well({"sign", bundle, "--key", bob, "--role", "author", "--cosign"});
    const Outcome twice = run({"sign", bundle, "--key", alice, "--role", "author", "--cosign"});
    CHECK(is_one_clear_line(twice, "conflict"));
    scratch.write("two.trust",
                  "fardel-trust 1\nkey alice " +
                      read_file(alice + ".pub").substr(read_file(alice + ".pub").find("public-key: ") + 12, 64) +
                      "\nkey bob " +
                      read_file(bob + ".pub").substr(read_file(bob + ".pub").find("public-key: ") + 12, 64) +
                      "\nallow ** author=2:alice,bob\n");
    CHECK(run({"verify", bundle, "--trust", scratch.path("two.trust")}).exit_code == 0);

    sign(bundle, bob, "author");
    const Outcome unclear = run({"sign", bundle, "--key", hub, "--role", "registry"});
    CHECK(is_one_clear_line(unclear, "conflict"));
    run_well({"sign", bundle, "--key", hub, "--role", "registry", "--author", bob + ".pub"});
    const json signatures = json::parse(facts_of(bundle))["signatures"];
    CHECK(signatures.back()["author"] == signatures[2]["key"]);
}

TEST_CASE_FIXTURE(PackedGame, "sign: refuses to add more signatures than a reader accepts") {
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

TEST_CASE_FIXTURE(PackedGame, "sign: the errors of wrong keys differ") {
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
    check(key + ".pub", 1, "malformed");  // and not "denied", because it is readable by all
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

TEST_CASE_FIXTURE(PackedGame, "sign: with --signer, another program keeps the secret key") {
    const std::string key = make_key(scratch, "author");
    const std::string other = make_key(scratch, "other");
    const std::string program = scratch.write("signer", "#!/bin/sh\ncat >/dev/null\necho nonsense\n");
    const Outcome not_executable =
        run({"sign", bundle, "--key", key + ".pub", "--signer", program, "--role", "author"});
    CHECK(not_executable.exit_code == 3);
    CHECK(is_one_clear_line(not_executable, "denied"));
    fs::permissions(program, fs::perms::owner_all);
    const Outcome nonsense = run({"sign", bundle, "--key", key + ".pub", "--signer", program, "--role", "author"});
    CHECK(nonsense.exit_code == 1);
    CHECK(is_one_clear_line(nonsense, "malformed"));
    const Outcome absent =
        run({"sign", bundle, "--key", key + ".pub", "--signer", scratch.path("absent"), "--role", "author"});
    CHECK(absent.exit_code == 3);
    CHECK(is_one_clear_line(absent, "missing"));
    CHECK(json::parse(facts_of(bundle))["signatures"].empty());

    // A signer that always gives the signature which the program itself computed for the same statement.
    const Surroundings then{.variables = {{"SOURCE_DATE_EPOCH", "1700000000"}}};
    const std::string copy = scratch.write("copy.fardel", read_file(bundle));
    run_well({"sign", copy, "--key", key, "--role", "author"}, then);
    auto signed_copy = fardel::Bundle::open(*fardel::open_file_source(copy), {});
    REQUIRE(signed_copy);
    scratch.write("signer", "#!/bin/sh\ncat >/dev/null\necho " +
                                (*signed_copy)->envelopes()[0].signatures[0].signature.hex() + "\n");
    run_well({"sign", bundle, "--key", key + ".pub", "--signer", program, "--role", "author"}, then);
    CHECK(read_file(bundle) == read_file(copy));
    const Outcome of_another =
        run({"sign", bundle, "--key", other + ".pub", "--signer", program, "--role", "author"}, then);
    CHECK(is_one_clear_line(of_another, "corrupt"));
}

// Writes a bundle whose layout stores other bytes than its manifest says, all stored hashes right. Its id is the
// genuine one's.
std::string write_substitute(const ScratchFolder& scratch) {
    namespace forge = fardel::forge;
    forge::Draft draft = forge::draft(forge::small_recipe());
    draft.store_block(0, forge::noise(draft.blocks[0].raw_bytes, 7), fardel::Codec::raw);
    const forge::ForgedBundle evil = forge::forge(draft);
    REQUIRE(evil.id == forge::forge(forge::small_recipe()).id);
    return scratch.write("evil.fardel", std::span<const std::byte>(evil.bytes));
}

TEST_CASE(
    "sign: a file whose blocks differ from its manifest is refused in every role, and nothing is signed") {  // A122
    const ScratchFolder scratch;
    const std::string evil = write_substitute(scratch);
    const std::string key = make_key(scratch, "author");
    const std::string before = read_file(evil);
    for (const char* role : {"author", "registry", "release"}) {
        // The key does not exist: it is not even asked for.
        const Outcome refused = run({"sign", evil, "--key", scratch.path("absent"), "--role", role});
        CHECK(refused.exit_code == 1);
        CHECK(is_one_clear_line(refused, "corrupt"));
        CHECK(refused.err.find("nothing was signed") != std::string::npos);
    }
    CHECK(read_file(evil) == before);

    const std::string bundle = make_bundle(scratch);
    flip_bit(bundle, 9000);
    const std::string damaged = read_file(bundle);
    CHECK(is_one_clear_line(run({"sign", bundle, "--key", key, "--role", "author"}), "corrupt"));
    CHECK(read_file(bundle) == damaged);
}

TEST_CASE("sign: a statement that lists a layout which is not this file's is not countersigned or cosigned") {  // A122
    namespace forge = fardel::forge;
    const ScratchFolder scratch;
    const std::string key = make_key(scratch, "other");
    for (const bool lists_own : {false, true}) {
        CAPTURE(lists_own);
        forge::ForgedBundle bundle = forge::forge(forge::small_recipe());
        fardel::Statement statement = forge::statement_about(bundle);
        if (!lists_own)
            statement.layouts.clear();
        fardel::LayoutId elsewhere;
        elsewhere.bytes.fill(0xff);
        statement.layouts.push_back(elsewhere);
        const auto author = fardel::make_key_signer(forge::test_key(1));
        forge::append_envelope(bundle, fardel::sign_statement(statement, *author).value());
        const std::string file = scratch.write("some.fardel", std::span<const std::byte>(bundle.bytes));
        const std::string before = read_file(file);
        for (const Arguments& how : {Arguments{"--role", "registry"}, Arguments{"--role", "release"},
                                     Arguments{"--role", "author", "--cosign"}}) {
            Arguments arguments{"sign", file, "--key", key};
            arguments.insert(arguments.end(), how.begin(), how.end());
            const Outcome refused = run(arguments);
            CHECK(refused.exit_code == 1);
            CHECK(is_one_clear_line(refused, "untrusted"));
        }
        CHECK(read_file(file) == before);
        // An author may sign a file that was stored again: the new statement lists its layout.
        run_well({"sign", file, "--key", key, "--role", "author"});
    }
}

TEST_CASE_FIXTURE(PackedGame, "sign: the name that is signed is the bundle's, and is printed") {
    const std::string key = make_key(scratch, "author");
    CHECK(run({"sign", bundle, "--key", key, "--role", "author", "--name", "maps/x"}).exit_code == 2);
    CHECK(run_well({"sign", bundle, "--key", key, "--role", "author"}).find("\n  name    game 1.0\n") !=
          std::string::npos);
    const json report =
        json::parse(run_well({"sign", bundle, "--key", key, "--role", "author", "--epoch", "2", "--json"}));
    CHECK(report["name"] == "game");
    CHECK(report["version"] == "1.0");
    const std::string nameless = make_rich_bundle(scratch);
    CHECK(is_one_clear_line(run({"sign", nameless, "--key", key, "--role", "author"}), "unresolved"));
}

TEST_CASE("sign: keys of minisign sign, pack and are trusted like fardel's own") {
    const ScratchFolder scratch;
    const auto copy = [&](const std::string& name) {
        const std::string path = scratch.path(name);
        fs::copy_file(FARDEL_SOURCE_DIR "/tests/bundle-format/keys/" + name, path);
        fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
        return path;
    };
    std::string name = "minisign-plain";
    Surroundings surroundings;
    SUBCASE("without a passphrase") {}
    SUBCASE("with a passphrase") {
        name = "minisign-sealed";
        const std::string passphrase = scratch.write("passphrase", "secret\n");
        fs::permissions(passphrase, fs::perms::owner_read | fs::perms::owner_write);
        surroundings.variables = {{"FARDEL_PASSPHRASE_FILE", passphrase}};
    }
    const std::string secret = copy(name + ".key");
    const std::string trust = make_policy(scratch, "p.trust", {"--author", copy(name + ".pub")});
    const std::string signed_later = make_bundle(scratch);
    CHECK(run({"verify", signed_later, "--trust", trust}).exit_code == 1);
    run_well({"sign", signed_later, "--key", secret, "--role", "author"}, surroundings);
    CHECK(run_well({"verify", signed_later, "--trust", trust}).find(" as author") != std::string::npos);

    const std::string packed = scratch.path("packed.fardel");
    run_well({"pack", scratch.path("game"), "-o", packed, "--name", "packed", "--key", secret}, surroundings);
    run_well({"verify", packed, "--trust", trust});
    const std::string other =
        make_policy(scratch, "other.trust",
                    {"--author", copy(name == "minisign-plain" ? "minisign-sealed.pub" : "minisign-plain.pub")});
    CHECK(run({"verify", packed, "--trust", other}).exit_code == 1);
}

}  // namespace fardel::tests::sign_test
