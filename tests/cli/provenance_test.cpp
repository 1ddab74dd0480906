// fardel build --provenance: which bundles came from which sources and programs, as in-toto and SLSA define it; and
// what fardel verify --provenance says of it.
#include "sample.h"

#include <fardel/format/sha256.h>
#include <fardel/format/signer.h>
#include <fardel/packer/provenance.h>
#include <nlohmann/json.hpp>

#include <set>

namespace fardel::tests::provenance_test {

using nlohmann::json;

struct BuiltGame {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("game");
    const std::string out = scratch.path("provenance.json");

    BuiltGame() {
        scratch.write("game/assets/a.txt", "first");
        scratch.write("game/assets/raw.dat", "raw");
        scratch.write("game/tools/up.sh", "tr a-z A-Z < $1 > $2\n");
        write_project("");
    }

    void write_project(std::string_view more) const {
        scratch.write("game/fardel.toml", R"(name = "studio/game"
version = "1.0"
sources = ["assets"]

[processor.up]
command = ["sh", "${code:tools/up.sh}", "${in}", "${out}"]
code = ["tools/up.sh"]
outputs = ["{folder}{stem}.up"]

[[rule]]
match = "*.txt"
process = "up"
)" + std::string(more));
    }

    json build(const Arguments& options = {}) const {
        Arguments words{"build", folder, "--provenance", out};
        words.insert(words.end(), options.begin(), options.end());
        run_well(words, {.variables = {{"SOURCE_DATE_EPOCH", "1700000000"}}});
        return json::parse(read_file(out));
    }
};

// The digest of the only dependency with this name.
std::string digest_of(const json& statement, std::string_view kind, std::string_view name) {
    std::string digest;
    for (const json& one : statement["predicate"]["buildDefinition"]["resolvedDependencies"])
        if (one["name"] == name && one["annotations"]["kind"] == kind) {
            CHECK(digest.empty());
            digest = one["digest"]["blake3"];
        }
    return digest;
}

TEST_CASE_FIXTURE(BuiltGame, "provenance: names the bundle file, its sources, code, programs and jobs") {
    const json statement = build();
    CHECK(statement["_type"] == "https://in-toto.io/Statement/v1");
    CHECK(statement["predicateType"] == "https://slsa.dev/provenance/v1");
    const std::string bundle = folder + "/game.fardel";
    REQUIRE(statement["subject"].size() == 1);
    CHECK(statement["subject"][0]["name"] == "game.fardel");
    CHECK(statement["subject"][0]["digest"]["sha256"] == sha256_hex(bytes_of(read_file(bundle))));
    CHECK(statement["subject"][0]["annotations"]["bundle"] == json::parse(facts_of(bundle))["bundle"]);

    const json& definition = statement["predicate"]["buildDefinition"];
    CHECK(definition["externalParameters"]["project"] == "studio/game");
    CHECK(definition["externalParameters"]["bundles"][0]["version"] == "1.0");
    CHECK(digest_of(statement, "source", "a.txt") == b3sum(folder + "/assets/a.txt"));
    CHECK(digest_of(statement, "source", "raw.dat") == b3sum(folder + "/assets/raw.dat"));
    CHECK(digest_of(statement, "code", "tools/up.sh") == b3sum(folder + "/tools/up.sh"));
    CHECK(digest_of(statement, "program", "sh").size() == 64);
    CHECK(digest_of(statement, "source", "a.up") == "");  // made by a job

    const json& details = statement["predicate"]["runDetails"];
    CHECK(details["builder"]["id"] != "");
    CHECK(details["builder"]["version"]["fardel"] != "");
    REQUIRE(details["byproducts"].size() == 1);
    CHECK(details["byproducts"][0]["name"] == "up → a.up");
    CHECK(std::string(details["byproducts"][0]["digest"]["fardelBuildKey"]).size() == 64);
    CHECK(read_file(out).find(scratch.root()) == std::string::npos);  // no paths of this machine
}

TEST_CASE_FIXTURE(BuiltGame,
                  "provenance: is the same if nothing is built, from scratch, and on any number of threads") {
    build();
    const std::string first = read_file(out);
    build();
    CHECK(read_file(out) == first);
    build({"--anew", "--jobs", "1"});
    CHECK(read_file(out) == first);
    scratch.write("game/assets/raw.dat", "edited");
    build();
    CHECK(read_file(out) != first);
}

TEST_CASE_FIXTURE(BuiltGame, "provenance: has the bundles of all targets, and a source that they share once") {
    write_project("\n[target.pc]\n[target.android]\n");
    const json statement = build();
    CHECK(statement["subject"].size() == 2);
    std::set<std::string> targets;
    for (const json& one : statement["predicate"]["buildDefinition"]["externalParameters"]["bundles"])
        targets.insert(one["target"]);
    CHECK(targets == std::set<std::string>{"android", "pc"});
    CHECK(digest_of(statement, "source", "raw.dat") == b3sum(folder + "/assets/raw.dat"));
}

TEST_CASE_FIXTURE(BuiltGame, "provenance: is not written by a build that fails") {
    scratch.write("game/tools/up.sh", "exit 3\n");
    CHECK(run({"build", folder, "--provenance", out}).exit_code == 1);
    CHECK_FALSE(fs::exists(out));
}

// ---- Signed ---------------------------------------------------------------------------------------------------------

struct SignedGame : BuiltGame {
    const std::string bundle = folder + "/game.fardel";
    const std::string author = make_key(scratch, "author");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", author + ".pub"});

    json sign_and_build() const { return build({"--key", author}); }

    // The bytes that base64 stands for, as openssl reads it.
    std::string decoded(const std::string& base64, const std::string& name) const {
        const std::string path = scratch.path(name);
        const Outcome outcome = run_program(
            {"openssl", "base64", "-d", "-A", "-in", scratch.write(name + ".base64", base64), "-out", path});
        REQUIRE(outcome.exit_code == 0);
        return read_file(path);
    }
    // What somebody with the key can write.
    void sign_statement(const std::string& statement, const std::string& key) const {
        const auto signer = make_key_signer(read_key_file(key, {}).value());
        scratch.write("provenance.json", sign_provenance(statement, *signer).value());
    }
    Outcome verify(const Arguments& options = {}) const {
        Arguments words{"verify", bundle, "--provenance", out};
        words.insert(words.end(), options.begin(), options.end());
        return run(words);
    }
    // The rules of the findings that verify has about the provenance, errors and others.
    std::set<std::string> findings(const Arguments& options = {}) const {
        Arguments words = options;
        words.push_back("--json");
        const Outcome outcome = verify(words);
        const json report = json::parse(outcome.out);
        CHECK(outcome.exit_code == (report["errors"] == 0 ? 0 : 1));
        std::set<std::string> rules;
        for (const json& finding : report["set_findings"])
            rules.insert(finding["rule"]);
        return rules;
    }
    std::set<std::string> trusted_findings() const { return findings({"--trust", policy}); }
};

using Rules = std::set<std::string>;

TEST_CASE_FIXTURE(SignedGame, "provenance: with a key, openssl verifies the signature over the envelope's payload") {
    const std::string plain = build().dump();
    const json envelope = sign_and_build();
    CHECK(envelope["payloadType"] == "application/vnd.in-toto+json");
    const std::string payload = decoded(envelope["payload"], "payload");
    CHECK(json::parse(payload)["subject"][0]["digest"]["sha256"] == sha256_hex(bytes_of(read_file(bundle))));
    CHECK(json::parse(payload)["predicate"] == json::parse(plain)["predicate"]);

    REQUIRE(envelope["signatures"].size() == 1);
    const std::string key = envelope["signatures"][0]["keyid"];
    CHECK(read_file(author + ".pub").find(key) != std::string::npos);
    const std::string type = envelope["payloadType"];
    const std::string message = scratch.write("message", "DSSEv1 " + std::to_string(type.size()) + " " + type + " " +
                                                             std::to_string(payload.size()) + " " + payload);
    decoded(envelope["signatures"][0]["sig"], "signature");
    // RFC 8410: what stands before the key in a SubjectPublicKeyInfo.
    const std::string spki = scratch.write("key.der", text_of(bytes_of_hex("302a300506032b6570032100" + key)));
    const Arguments openssl{"openssl",
                            "pkeyutl",
                            "-verify",
                            "-pubin",
                            "-keyform",
                            "DER",
                            "-inkey",
                            spki,
                            "-rawin",
                            "-in",
                            message,
                            "-sigfile",
                            scratch.path("signature")};
    const Outcome outcome = run_program(openssl);
    CHECK_MESSAGE(outcome.exit_code == 0, outcome.out, outcome.err);
    scratch.write("message", read_file(message) + " ");
    CHECK(run_program(openssl).exit_code == 1);
}

TEST_CASE_FIXTURE(SignedGame, "provenance: is signed by the project's key, and the same bytes each time") {
    write_project("\n[target.pc]\n[target.android]\n");
    const json first = sign_and_build();
    CHECK((build({"--key", author, "--anew", "--jobs", "1"}) == first));
    scratch.write("game/fardel.toml", "key = \"../author.key\"\n" + read_file(folder + "/fardel.toml"));
    CHECK((build({"--anew"}) == first));
}

TEST_CASE_FIXTURE(SignedGame, "provenance: verify says whose it is, and of which bundles") {
    sign_and_build();
    const Outcome outcome = verify({"--trust", policy});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out.find(out + ": a provenance of 1 bundle, from 4 files and 1 job\n  signed by author, key ") !=
          std::string::npos);
    const json report = json::parse(verify({"--trust", policy, "--json"}).out)["provenance"];
    CHECK(report["signers"][0]["label"] == "author");
    CHECK(report["bundles"] == 1);
    CHECK(trusted_findings() == Rules{});
    CHECK(findings() == Rules{});
    CHECK(json::parse(run_well({"verify", bundle, "--json"}))["provenance"].is_null());
}

TEST_CASE_FIXTURE(SignedGame, "provenance: an unsigned one is a remark, and with a policy an error") {
    sign_and_build();
    const json envelope = json::parse(read_file(out));
    write_file(out, decoded(envelope["payload"], "payload"));
    CHECK(findings() == Rules{"provenance-unsigned"});
    CHECK(trusted_findings() == Rules{"provenance-untrusted"});
    json bare = envelope;
    bare["signatures"] = json::array();
    write_file(out, bare.dump());
    CHECK(findings() == Rules{"provenance-unsigned"});
    CHECK(trusted_findings() == Rules{"provenance-untrusted"});
}

TEST_CASE_FIXTURE(SignedGame, "provenance: one of an unknown or revoked key, or for other names, is untrusted") {
    sign_and_build();
    const json good = json::parse(read_file(out));
    const std::string payload = decoded(good["payload"], "payload");
    sign_statement(payload, make_key(scratch, "stranger"));
    CHECK(findings() == Rules{});  // the signature fits, and nobody said whose it has to be
    CHECK(trusted_findings() == Rules{"provenance-untrusted"});
    CHECK(verify({"--trust", policy}).out.find("does not list this key") != std::string::npos);

    // The bundle counts by the rule about its name, which lists another author.
    sign_statement(payload, author);
    const std::string editor = make_key(scratch, "editor");
    sign(bundle, editor, "author");
    const auto key_of = [](const std::string& key) { return word_after(read_file(key + ".pub"), "public-key:"); };
    scratch.write("narrow.trust", "fardel-trust 1\nkey author " + key_of(author) + "\nkey editor " + key_of(editor) +
                                      "\nallow studio/* author=1:editor\nallow ** author=1:author\n");
    CHECK(findings({"--trust", scratch.path("narrow.trust")}) ==
          Rules{"provenance-of-another-file", "provenance-untrusted"});
}

TEST_CASE_FIXTURE(SignedGame, "provenance: a change of the payload or of the signature is found") {
    json envelope = sign_and_build();
    const json good = envelope;
    json statement = json::parse(decoded(envelope["payload"], "payload"));
    statement["predicate"]["buildDefinition"]["resolvedDependencies"][0]["digest"]["blake3"] = std::string(64, '1');
    scratch.write("changed", statement.dump());
    const Outcome base64 = run_program({"openssl", "base64", "-A", "-in", scratch.path("changed")});
    envelope["payload"] = base64.out;
    write_file(out, envelope.dump());
    CHECK(findings() == Rules{"provenance-signature-wrong"});
    CHECK(trusted_findings() == Rules{"provenance-signature-wrong", "provenance-untrusted"});

    envelope = good;
    std::string sig = envelope["signatures"][0]["sig"];
    sig[5] = sig[5] == 'A' ? 'B' : 'A';
    envelope["signatures"][0]["sig"] = sig;
    write_file(out, envelope.dump());
    CHECK(findings() == Rules{"provenance-signature-wrong"});

    // A key id is only a hint: other tools write other ones, and the policy's keys are tried.
    envelope = good;
    envelope["signatures"][0]["keyid"] = "";
    write_file(out, envelope.dump());
    CHECK(trusted_findings() == Rules{});
    CHECK(findings() == Rules{"provenance-unsigned"});
}

TEST_CASE_FIXTURE(SignedGame, "provenance: a bundle that is no subject, or was signed again since, is named") {
    sign_and_build();
    const std::string earlier = read_file(out);
    scratch.write("game/assets/raw.dat", "edited");
    sign_and_build();
    write_file(out, earlier);
    CHECK(trusted_findings() == Rules{"provenance-of-another-bundle"});
    CHECK(verify().out.find("; its studio/game 1.0 is ") != std::string::npos);

    sign_and_build();
    sign(bundle, make_key(scratch, "editor"), "author");
    CHECK(trusted_findings() == Rules{"provenance-of-another-file"});
    CHECK(verify().exit_code == 0);  // the content is that of the provenance

    json statement = json::parse(decoded(json::parse(read_file(out))["payload"], "payload"));
    statement["predicate"]["buildDefinition"]["externalParameters"]["bundles"][0]["version"] = "2.0";
    sign_statement(statement.dump(), author);
    CHECK(trusted_findings() == Rules{"provenance-of-another-bundle", "provenance-of-another-file"});
}

TEST_CASE_FIXTURE(SignedGame, "provenance: verify refuses files of another kind, and says what it needs") {
    sign_and_build();
    write_file(out, "{\"payloadType\": 1, \"payloadType\": 2}");
    CHECK(findings() == Rules{"provenance-refused"});
    CHECK(verify().out.find("a key twice") != std::string::npos);
    CHECK(run({"verify", bundle, "--provenance", bundle}).exit_code == 1);
    CHECK(is_one_clear_line(run({"verify", bundle, "--provenance", scratch.path("absent")}), "missing"));
    CHECK(run({"verify", "--store", scratch.path("store"), "--provenance", out}).exit_code == 2);
}

// ---- Built again ----------------------------------------------------------------------------------------------------

struct RebuiltGame : SignedGame {
    std::string rebuilt_text() const { return verify({"--rebuild", folder}).out; }
    Rules rebuilt() const { return findings({"--trust", policy, "--rebuild", folder}); }
};

TEST_CASE_FIXTURE(RebuiltGame,
                  "rebuild: a project makes the same bundle again, without any cache, and stays as it is") {
    write_project("\n[[cache]]\nfolder = \"../shared\"\n");
    build({"--key", author, "--version", "1.7"});
    const auto before = files_below(folder);
    CHECK(rebuilt_text().find("  built again from " + folder + ": 1 of 1 job ran; 1 of 1 bundle is the same\n") !=
          std::string::npos);
    CHECK(rebuilt() == Rules{});
    CHECK(files_below(folder) == before);
    const json report = json::parse(verify({"--rebuild", folder, "--json"}).out)["provenance"]["rebuilt"];
    CHECK(report == json{{"project", folder}, {"jobs", 1}, {"jobs_run", 1}, {"compared", 1}, {"same", 1}});
}

TEST_CASE_FIXTURE(RebuiltGame, "rebuild: what another source, program or parameter changed is named, old and new") {
    sign_and_build();
    const std::string old = b3sum(folder + "/assets/a.txt").substr(0, 12);
    scratch.write("game/assets/a.txt", "second");
    scratch.write("game/assets/new.dat", "new");
    CHECK(rebuilt() == Rules{"provenance-input-differs", "provenance-job-differs", "provenance-bundle-differs"});
    std::string text = rebuilt_text();
    const std::string change = "source a.txt: " + old + "… → " + b3sum(folder + "/assets/a.txt").substr(0, 12) + "…";
    CHECK(text.find("the provenance has another file: " + change + " [provenance-input-differs]") != std::string::npos);
    CHECK(text.find("'up → a.up' has other inputs than in the provenance: " + change) != std::string::npos);
    CHECK(text.find("source new.dat: new, ") != std::string::npos);
    CHECK(text.find("2 names differ [provenance-bundle-differs]") != std::string::npos);

    scratch.write("game/assets/a.txt", "first");
    fs::remove(folder + "/assets/new.dat");
    scratch.write("game/tools/up.sh", "tr a-z A-Z < $1 > $2 #\n");
    CHECK(rebuilt() == Rules{"provenance-input-differs", "provenance-job-differs"});  // which makes the same bytes
    CHECK(rebuilt_text().find("'up → a.up' has other inputs than in the provenance: code tools/up.sh: ") !=
          std::string::npos);

    scratch.write("game/tools/up.sh", "tr a-z A-Z < $1 > $2\n");
    write_project("[processor.up.parameters]\nquality = 3\n");
    CHECK(rebuilt() == Rules{"provenance-job-differs"});
    write_project("");
    CHECK(rebuilt() == Rules{});
}

TEST_CASE_FIXTURE(RebuiltGame, "rebuild: a job that gives other bytes for the same inputs is named") {
    scratch.write("game/tools/up.sh", "date +%s%N > $2\n");
    sign_and_build();
    CHECK(rebuilt() == Rules{"provenance-job-differs", "provenance-bundle-differs"});
    CHECK(rebuilt_text().find("the same inputs gave other bytes: 'up → a.up' made a.up with ") != std::string::npos);
}

TEST_CASE_FIXTURE(RebuiltGame, "rebuild: all targets that the provenance names are built, whichever bundle is given") {
    write_project("\n[target.pc]\noutput = \"game.fardel\"\n[target.android]\n");
    sign_and_build();
    CHECK(rebuilt_text().find(": 1 of 1 job ran; 1 of 1 bundle is the same\n") != std::string::npos);
    CHECK(rebuilt() == Rules{});
    // The targets have jobs of one name that read what other jobs of theirs made.
    write_project(R"(
[target.pc]
output = "game.fardel"
[target.android]
[processor.a]
command = ["cp", "${in}", "${out}"]
outputs = ["{folder}{stem}.mid"]
[processor.b]
command = ["sh", "-c", "echo b > $0", "${out}"]
outputs = ["{folder}{stem}.mid"]
[processor.c]
command = ["cp", "${in}", "${out}"]
outputs = ["{folder}{stem}.end"]
[[rule]]
match = "raw.dat"
process = "a"
targets = ["pc"]
[[rule]]
match = "raw.dat"
process = "b"
targets = ["android"]
[[rule]]
match = "*.mid"
process = "c"
)");
    sign_and_build();
    CHECK(rebuilt_text().find(": 5 of 5 jobs ran; 1 of 1 bundle is the same\n") != std::string::npos);
    CHECK(rebuilt() == Rules{});

    write_project("\n[target.pc]\noutput = \"game.fardel\"\n");
    const Outcome gone = verify({"--rebuild", folder});
    CHECK(is_one_clear_line(gone, "malformed"));
    CHECK(gone.err.find("android") != std::string::npos);
}

TEST_CASE_FIXTURE(RebuiltGame,
                  "rebuild: a provenance with other sources than the bundle was made of is found") {  // A161
    const json envelope = sign_and_build();
    const json honest = json::parse(decoded(envelope["payload"], "payload"));
    json false_one = honest;
    for (json& one : false_one["predicate"]["buildDefinition"]["resolvedDependencies"])
        if (one["name"] == "raw.dat")
            one["digest"]["blake3"] = b3sum(scratch.write("clean.dat", "clean"));
    sign_statement(false_one.dump(), author);
    // A stolen key can state this of its own bundles, and no more than a signature is looked at.
    CHECK(trusted_findings() == Rules{});
    CHECK(rebuilt() == Rules{"provenance-input-differs"});  // from what the bundle was made of
    scratch.write("game/assets/raw.dat", "clean");
    CHECK(rebuilt() == Rules{"provenance-bundle-differs"});  // from what the provenance says
    scratch.write("game/assets/raw.dat", "raw");

    // It cannot make a bundle a subject whose content it does not have, nor speak of names that are not its author's.
    false_one = honest;
    false_one["subject"][0]["annotations"]["bundle"] = std::string(64, 'a');
    sign_statement(false_one.dump(), author);
    CHECK(trusted_findings() == Rules{"provenance-of-another-bundle"});
    sign_statement(honest.dump(), author);
    const std::string narrow =
        make_policy(scratch, "narrow.trust", {"--author", author + ".pub", "--pattern", "maps/*"});
    CHECK(findings({"--trust", narrow}) == Rules{"provenance-untrusted"});
}

TEST_CASE_FIXTURE(RebuiltGame, "rebuild: a share of the jobs is chosen by the bundles or by a seed, and named") {
    for (int i = 0; i < 60; ++i)
        scratch.write("game/assets/more" + std::to_string(i) + ".txt", std::to_string(i));
    scratch.write("game/tools/up.sh", "cat $1 > $2; date +%s%N >> $2\n");  // whatever runs is found
    sign_and_build();
    // The outputs of the jobs that ran.
    const auto ran = [&](const Arguments& options) {
        Arguments words{"--rebuild", folder, "--json"};
        words.insert(words.end(), options.begin(), options.end());
        const json report = json::parse(verify(words).out);
        std::set<std::string> names;
        for (const json& finding : report["set_findings"])
            for (const json& hit : finding["hits"])
                names.insert(hit["name"]);
        CHECK(report["provenance"]["rebuilt"]["jobs_run"] == names.size());
        CHECK(report["provenance"]["rebuilt"]["jobs"] == 61);
        return names;
    };
    const auto before = files_below(folder + "/.fardel/cache");
    const Rules chosen = ran({"--share", "30"});
    CHECK(chosen.size() > 5);
    CHECK(chosen.size() < 40);
    CHECK(ran({"--share", "30"}) == chosen);
    CHECK(ran({"--share", "30", "--seed", "1"}) != ran({"--share", "30", "--seed", "2"}));
    CHECK(ran({}).size() == 61);
    CHECK(files_below(folder + "/.fardel/cache") == before);
    // What no cache has is run, too.
    fs::remove_all(folder + "/.fardel");
    CHECK(ran({"--share", "1"}).size() == 61);
}

TEST_CASE_FIXTURE(RebuiltGame, "rebuild: needs a provenance, and says what of a project cannot be built") {
    sign_and_build();
    CHECK(run({"verify", bundle, "--rebuild", folder}).exit_code == 2);
    CHECK(verify({"--share", "5"}).exit_code == 2);
    CHECK(is_one_clear_line(verify({"--rebuild", scratch.path("absent")}), "missing"));
    fs::remove(folder + "/tools/up.sh");
    CHECK(is_one_clear_line(verify({"--rebuild", folder}), "missing"));
}

}  // namespace fardel::tests::provenance_test
