#include "sample.h"

#include "kit/sarif_schema.h"

#include "bundle_forge/bundle_forge.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::verify_test {

using nlohmann::json;

TEST_CASE_FIXTURE(PackedGame, "verify: reports what was verified, and that no signature was required") {
    const Outcome outcome = run({"verify", bundle});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err == "");
    CHECK(outcome.out.starts_with(bundle + ": good\n"));
    CHECK(outcome.out.find("\nverdict: the bundle is good (0 errors, ") != std::string::npos);
    CHECK(outcome.out.ends_with("no signature was required; --trust POLICY requires those of a policy\n"));
    const json report = json::parse(run_well({"verify", bundle, "--json"}));
    CHECK(report["good"] == true);
    CHECK(report["policy"].is_null());
    CHECK(report["bundles"][0]["raw_bytes_proved"] == report["bundles"][0]["raw_bytes"]);
    CHECK(report["bundles"][0]["trust"].is_null());
}

TEST_CASE_FIXTURE(PackedGame, "verify: a policy refuses a bundle that is unsigned or signed by an unknown key") {
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

TEST_CASE("verify: with a policy, core is not good if it was signed as maps/x; the signed name is printed") {  // A123
    namespace forge = fardel::forge;
    const ScratchFolder scratch;
    forge::ForgedBundle bundle = forge::forge(forge::small_recipe());
    const auto signer = fardel::make_key_signer(forge::test_key(1));
    const auto key = forge::test_key(1).public_key().hex();
    const std::string maps =
        scratch.write("maps.trust", "fardel-trust 1\nkey bob " + key + "\nallow maps/* author=1:bob\n");
    forge::append_envelope(bundle, fardel::sign_statement(forge::statement_about(bundle, "maps/x"), *signer).value());
    const std::string renamed = scratch.write("renamed.fardel", std::span<const std::byte>(bundle.bytes));
    const Outcome refused = run({"verify", renamed, "--trust", maps});
    CHECK(refused.exit_code == 1);
    CHECK(refused.out.find("signed as 'maps/x'") != std::string::npos);
    CHECK(refused.out.find("tests/small") != std::string::npos);
    CHECK(run({"verify", renamed}).exit_code == 1);  // the statement is untrue, whoever believes it

    forge::ForgedBundle good = forge::forge(forge::small_recipe());
    forge::append_envelope(good, fardel::sign_statement(forge::statement_about(good), *signer).value());
    const std::string file = scratch.write("good.fardel", std::span<const std::byte>(good.bytes));
    const std::string all = scratch.write("all.trust", "fardel-trust 1\nkey bob " + key + "\nallow ** author=1:bob\n");
    CHECK(run_well({"verify", file, "--trust", all}).find("\n  signed as tests/small 1.0\n") != std::string::npos);
    const json trust = json::parse(run_well({"verify", file, "--trust", all, "--json"}))["bundles"][0]["trust"];
    CHECK(trust["name"] == "tests/small");
    CHECK(trust["version"] == "1.0");
    CHECK(trust["rule"] == "**");
    CHECK(
        json::parse(run({"verify", renamed, "--trust", maps, "--json"}).out)["bundles"][0]["trust"]["name"].is_null());
}

TEST_CASE_FIXTURE(PackedGame, "verify: one changed bit anywhere is found") {
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

TEST_CASE("verify: several files are also checked together") {
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

// What Python's XML parser finds: "suite failures tests" per line, then the failures' messages. Fails if the text is
// not well-formed.
std::string read_junit(const ScratchFolder& scratch, const std::string& path) {
    scratch.write("read.py",
                  "import sys, xml.etree.ElementTree as tree\n"
                  "for suite in tree.parse(sys.argv[1]).getroot():\n"
                  "    print(suite.get('name'), suite.get('failures'), len(suite.findall('testcase')))\n"
                  "    for failure in suite.iter('failure'):\n"
                  "        print(failure.get('type'), failure.get('message'))\n");
    const Outcome outcome = run_program({"python3", scratch.path("read.py"), path});
    CHECK(outcome.exit_code == 0);
    return outcome.out;
}

TEST_CASE("verify: findings for code hosts and build servers, with names that need escaping") {
    const ScratchFolder scratch;
    fs::create_directory(scratch.path("a & \"b\" <c>"));
    const std::string good = make_bundle(scratch, "good");
    const std::string bad = scratch.path("a & \"b\" <c>/bad.fardel");
    fs::copy_file(good, bad);
    flip_bit(bad, fs::file_size(bad) / 2);
    const std::string sarif = scratch.path("out.sarif"), junit = scratch.path("out.xml");
    CHECK(run({"verify", bad, "--sarif", sarif, "--junit", junit}).exit_code == 1);
    const json findings = json::parse(run({"verify", bad, "--json"}).out)["bundles"][0]["findings"];
    REQUIRE_FALSE(findings.empty());

    const json log = json::parse(read_file(sarif));
    CHECK(log["version"] == "2.1.0");
    const json& one_run = log["runs"][0];
    REQUIRE(one_run["results"].size() == findings.size());
    for (std::size_t i = 0; i < findings.size(); ++i) {
        const json& result = one_run["results"][i];
        CHECK(result["ruleId"] == findings[i]["rule"]);
        CHECK(result["level"] == findings[i]["severity"]);
        CHECK(one_run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"] == findings[i]["rule"]);
        CHECK(result["message"]["text"].get<std::string>().ends_with(findings[i]["text"].get<std::string>()));
        const std::string uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        CHECK(uri.ends_with("/a%20%26%20%22b%22%20%3Cc%3E/bad.fardel"));
        CHECK(result["partialFingerprints"]["fardel/1"].get<std::string>().size() == 32);
    }
    const std::string first = read_file(sarif);
    CHECK(sarif_mistakes(scratch, sarif) == "");
    run({"verify", bad, "--sarif", sarif, "-j", "1"});
    CHECK(read_file(sarif) == first);

    const std::string errors = std::to_string(std::ranges::count(
        findings, "error", [](const json& finding) { return finding["severity"].get<std::string>(); }));
    std::string read = read_junit(scratch, junit);
    CHECK(read.starts_with(bad + " " + errors + " " + errors + "\n"));
    CHECK(read.find(findings[0]["text"].get<std::string>()) != std::string::npos);

    // A good bundle passes one test; several have a suite for what they are together.
    CHECK(run({"verify", good, "--sarif", sarif, "--junit", junit}).exit_code == 0);
    CHECK(read_junit(scratch, junit) == good + " 0 1\n");
    CHECK(sarif_mistakes(scratch, sarif) == "");
    run({"verify", good, bad, "--junit", junit, "--sarif", sarif});
    CHECK(sarif_mistakes(scratch, sarif) == "");
    read = read_junit(scratch, junit);
    CHECK(read.find("\ntogether ") != std::string::npos);
    // What cannot be written is an error.
    CHECK(run({"verify", good, "--junit", scratch.path("absent/out.xml")}).exit_code == 3);
}

TEST_CASE("verify: a log that breaks the schema of SARIF is distinguished from one that keeps it") {
    const ScratchFolder scratch;
    const std::string sarif = scratch.path("out.sarif");
    run_well({"verify", make_bundle(scratch), "--sarif", sarif});
    const std::string good = sarif_mistakes(scratch, sarif);
    if (!fs::exists(scratch.path("sarif_mistakes.py")))
        return;  // no schema
    CHECK(good == "");
    json log = json::parse(read_file(sarif));
    log["runs"][0]["results"][0]["level"] = "fatal";
    log["runs"][0]["artifacts"][0]["location"]["uri"] = "a b";
    log["runs"][0]["tool"]["driver"].erase("name");
    write_file(sarif, log.dump());
    const std::string mistakes = sarif_mistakes(scratch, sarif);
    for (const char* const place : {"results/0/level: ", "artifacts/0/location/uri: ", "tool/driver: "})
        CHECK_MESSAGE(mistakes.find(place) != std::string::npos, mistakes);
}

}  // namespace fardel::tests::verify_test
