// Bad bundles: the verifier finds the defect of each.
#include "defects.h"

#include "kit/test.h"

#include <set>

namespace fardel::tests::defects_test {

VerifyReport report_of(const Defect& defect) {
    VerifyOptions options;
    options.jobs = 1;
    if (defect.options)
        defect.options(options);
    return verify(defect.make().bytes, options);
}

bool is_error(std::string_view rule) {
    const auto rules = verifier_rules();
    const auto found = std::ranges::find(rules, rule, &VerifierRuleFacts::id);
    return found != rules.end() && found->severity == FindingSeverity::error;
}

// Rules that need more than the bytes of one bundle: a source that fails, a set, a store, a channel, a pure policy, a
// provenance.
const std::set<std::string_view> kElsewhere{"file-unreadable",
                                            "page-unreadable",
                                            "block-unreadable",
                                            "set-bundle-unusable",
                                            "set-bundle-twice",
                                            "dependency-missing",
                                            "dependency-absent",
                                            "foreign-asset-missing",
                                            "consume-unresolved",
                                            "consume-optional-unresolved",
                                            "name-of-another-rule",
                                            "set-name-twice",
                                            "set-names-fold-equal",
                                            "set-name-is-folder",
                                            "store-damaged",
                                            "store-incomplete",
                                            "channel-wrong",
                                            "channel-bundle-wrong",
                                            "channel-remark",
                                            "requirement-unmet",
                                            "pure-refused",
                                            "provenance-refused",
                                            "provenance-unsigned",
                                            "provenance-signature-wrong",
                                            "provenance-untrusted",
                                            "provenance-of-another-bundle",
                                            "provenance-of-another-file",
                                            "provenance-input-differs",
                                            "provenance-job-differs",
                                            "provenance-bundle-differs"};

TEST_CASE("verifier: each bad bundle has the finding that its defect is named by") {
    for (const Defect& defect : all_defects()) {
        CAPTURE(defect.name);
        CAPTURE(defect.rule);
        const VerifyReport report = report_of(defect);
        CAPTURE(text_of(report));
        CHECK(!of_rule(report, defect.rule).empty());
        if (is_error(defect.rule))
            CHECK(!report.good());
        else
            CHECK(report.good() == std::ranges::none_of(defect.also, is_error));
    }
}

TEST_CASE("verifier: a bad bundle has no findings that do not follow from its defect") {
    for (const Defect& defect : all_defects()) {
        CAPTURE(defect.name);
        const VerifyReport report = report_of(defect);
        for (const VerifyFinding& finding : report.findings) {
            const bool expected = finding.rule == defect.rule ||
                                  std::ranges::find(defect.also, finding.rule) != defect.also.end() ||
                                  finding.rule == "unsigned-bundle";
            CAPTURE(format_finding(finding));
            CHECK(expected);
        }
    }
}

TEST_CASE("verifier: every rule has a bad bundle") {
    std::set<std::string_view> seen = kElsewhere;
    const auto defects = all_defects();
    for (const Defect& defect : defects)
        seen.insert(defect.rule);
    for (const VerifierRuleFacts& rule : verifier_rules()) {
        CAPTURE(rule.id);
        CHECK(seen.contains(rule.id));
    }
}

TEST_CASE("verifier: each defect has its own name") {
    std::set<std::string> names;
    for (const Defect& defect : all_defects())
        CHECK_MESSAGE(names.insert(defect.name).second, defect.name);
}

TEST_CASE("verifier: findings are the same whatever the number of threads") {
    for (const Defect& defect : all_defects()) {
        CAPTURE(defect.name);
        VerifyOptions options;
        if (defect.options)
            defect.options(options);
        const auto bundle = defect.make();
        options.jobs = 1;
        const VerifyReport one = verify(bundle.bytes, options);
        options.jobs = 3;
        CHECK(verify(bundle.bytes, options).findings == one.findings);
    }
}

}  // namespace fardel::tests::defects_test
