// The format and the number of findings, and the rules in docs/verifier.md.
#include "defects.h"

#include "findings/verify_findings.h"

#include "kit/test.h"

#include <fstream>
#include <set>
#include <sstream>

namespace fardel::tests::findings_test {

TEST_CASE("finding: formatted as one line with severity, location, text and rule") {
    CHECK(format_finding({FindingSeverity::error,
                          ErrorCode::malformed,
                          "names-not-sorted",
                          "names record 7",
                          "'b' comes after 'a'",
                          {}}) == "error: names record 7: 'b' comes after 'a' [names-not-sorted]");
    CHECK(
        format_finding(
            {FindingSeverity::note, ErrorCode::untrusted, "unsigned-bundle", "", "this bundle has no signature", {}}) ==
        "note: this bundle has no signature [unsigned-bundle]");
}

TEST_CASE("findings: so many of one rule, then one line that counts the rest") {
    VerifyFindings findings(2);
    for (int i = 0; i < 5; ++i)
        findings.add(VerifierRule::names_not_sorted, "names record " + std::to_string(i), "text");
    findings.add(VerifierRule::string_unused, "strings byte 0", "text");
    CHECK(findings.counts().errors == 6);
    CHECK(findings.is_full(VerifierRule::names_not_sorted));
    CHECK(!findings.is_full(VerifierRule::string_unused));
    const auto all = findings.take();
    REQUIRE(all.size() == 4);
    CHECK(all[0].where == "names record 0");
    CHECK(all[1].where == "names record 1");
    CHECK(all[2].rule == "string-unused");
    CHECK(all[3].rule == "names-not-sorted");
    CHECK(all[3].text == "and 3 more of this rule");
}

TEST_CASE("findings: an error underneath gives its code and text") {
    VerifyFindings findings(9);
    findings.add(VerifierRule::head_refused, "head", Error(ErrorCode::unsupported, "format version 2"));
    const auto all = findings.take();
    CHECK(all[0].code == ErrorCode::unsupported);
    CHECK(all[0].text == "format version 2");
}

TEST_CASE("verifier: a bundle with a thousand defects of one rule lists findings_max of them") {
    forge::Draft draft = forge::draft(forge::wide_recipe(1000));
    for (NameRecord& name : draft.names)
        name.target = 5000;
    VerifyOptions options;
    options.findings_max = 10;
    const VerifyReport report = verify(forge::forge(draft).bytes, options);
    CHECK(of_rule(report, "name-target").size() == 11);
    CHECK(report.found.errors >= 1000);
}

TEST_CASE("verifier: no text of a finding holds a raw control character or an escape") {  // A74
    forge::Recipe recipe = forge::small_recipe();
    recipe.names[0].text = "evil\x1b[31m\nname\u202etxt";
    recipe.assets[1].references[0].spelling = "a\x07";
    recipe.metadata.emplace_back("name", "\x1b]0;x\x07");
    const VerifyReport report = verify(forge::forge(recipe).bytes);
    CHECK(!report.findings.empty());
    for (const VerifyFinding& finding : report.findings)
        for (const char c : format_finding(finding))
            CHECK(static_cast<unsigned char>(c) >= 0x20);
}

TEST_CASE("verifier: every rule stands in docs/verifier.md with its severity and code, and no other does") {
    std::ifstream file(FARDEL_SOURCE_DIR "/docs/verifier.md");
    REQUIRE(file);
    std::set<std::string> documented;
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("| `"))
            continue;
        std::istringstream cells(line.substr(1));
        std::string rule, severity, code;
        std::getline(cells, rule, '|');
        std::getline(cells, severity, '|');
        std::getline(cells, code, '|');
        documented.insert(rule + severity + code);
    }
    std::set<std::string> known;
    for (const VerifierRuleFacts& rule : verifier_rules())
        known.insert(" `" + std::string(rule.id) + "`  " + std::string(severity_name(rule.severity)) + "  " +
                     std::string(error_code_name(rule.code)) + " ");
    CHECK(documented == known);
}

}  // namespace fardel::tests::findings_test
