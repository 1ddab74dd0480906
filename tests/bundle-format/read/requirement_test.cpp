#include <fardel/format/requirement.h>

#include "kit/bundles.h"
#include "kit/ids.h"

namespace fardel::tests::requirement_test {

BundleVersion version_of(const char* text) { return value_of(BundleVersion::parse(text)); }
Requirement requirement_of(const std::string& text) { return value_of(Requirement::parse(text)); }

const std::string kKey(64, 'a');

TEST_CASE("version: versions have the order that people mean") {
    const std::vector<const char*> rising{"0",
                                          "0.9",
                                          "1.0-alpha",
                                          "1.0-alpha.1",
                                          "1.0-beta",
                                          "1.0-rc2",
                                          "1.0-rc10",
                                          "1.0~z",
                                          "1.0",
                                          "1.0.1",
                                          "1.0a",
                                          "1.9",
                                          "1.10",
                                          "2-beta",
                                          "2",
                                          "10",
                                          "2024-01-05",
                                          "2024-02-01",
                                          "18446744073709551617",
                                          "z1"};
    for (std::size_t a = 0; a < rising.size(); ++a)
        for (std::size_t b = 0; b < rising.size(); ++b) {
            CAPTURE(rising[a]);
            CAPTURE(rising[b]);
            const auto order = compare_versions(version_of(rising[a]), version_of(rising[b]));
            CHECK((order < 0) == (a < b));
            CHECK((order == 0) == (a == b));
        }
}

TEST_CASE("version: versions that people write without dashes and with words have the order that they mean") {
    for (const auto& pair : std::vector<std::pair<const char*, const char*>>{{"v1.9.9", "V1.10.0.0"},
                                                                             {"v1.2.0", "1.3.0"},
                                                                             {"1.2.0", "v1.3"},
                                                                             {"v1.0.5", "1.0.5.1"},
                                                                             {"Beta_1.9f", "1.9g"},
                                                                             {"Beta_1.9f", "1.9f"},
                                                                             {"Alpha_1.7c", "1.8g"},
                                                                             {"alpha3", "beta1"},
                                                                             {"beta2", "beta10"},
                                                                             {"beta2", "0.1"},
                                                                             {"1.0rc1", "1.0"},
                                                                             {"1.0rc9", "1.0rc10"},
                                                                             {"1.0RC1", "1.0rc2"},
                                                                             {"1.0b1", "1.0"},
                                                                             {"1.0b1", "1.0b2"},
                                                                             {"1.0a2", "1.0b1"},
                                                                             {"1.0alpha", "1.0"},
                                                                             {"1.0_beta", "1.0"},
                                                                             {"1.0.rc1", "1.0"},
                                                                             {"1.0.pre", "1.0"},
                                                                             {"1.0-dev", "1.0-rc1"},
                                                                             {"0.9", "1.0pre1"},
                                                                             {"1.0.0.1-rc1", "1.0.0.1"},
                                                                             {"1.0", "1.0-hotfix1"},
                                                                             {"1.0-hotfix1", "1.0.1"},
                                                                             {"1.0-hotfix2", "1.0-hotfix10"},
                                                                             {"1.0rc1", "1.0.post1"},
                                                                             {"1.0", "1.0a"},
                                                                             {"1.9f", "1.9G"},
                                                                             {"release-1.0", "1.1"},
                                                                             {"r5", "r12"},
                                                                             {"1.2.3", "1.2.3.4"}}) {
        CAPTURE(pair.first);
        CAPTURE(pair.second);
        CHECK(compare_versions(version_of(pair.first), version_of(pair.second)) < 0);
        CHECK(compare_versions(version_of(pair.second), version_of(pair.first)) > 0);
    }
    for (const auto& pair : std::vector<std::pair<const char*, const char*>>{
             {"v1.0", "1"}, {"V1", "v1.0"}, {"version-2", "2"}, {"1.0RC1", "1.0-rc1"}, {"1.0A", "1.0a"}}) {
        CAPTURE(pair.first);
        CHECK(compare_versions(version_of(pair.first), version_of(pair.second)) == 0);
    }
    for (const char* const preview : {"1.0rc1", "1.0b2", "Beta_1.9", "beta", "1.0-SNAPSHOT", "v2.0-x"})
        CHECK(version_of(preview).is_preview());
    for (const char* const none : {"1.0b", "1.9f", "1.0.b3f4", "1.0-hotfix1", "v1", "1.0+rc1", "2024.05", "betamax-1"})
        CHECK_FALSE(version_of(none).is_preview());
}

TEST_CASE("version: of one version, what is behind the plus says which is newer, and no requirement asks for it") {
    CHECK(compare_builds(version_of("1.0+build9"), version_of("1.0+build10")) < 0);
    CHECK(compare_builds(version_of("1.0"), version_of("1.0+1")) < 0);
    CHECK(compare_builds(version_of("1.0+9"), version_of("1.1")) < 0);
    CHECK(compare_builds(version_of("1.0+a"), version_of("v1.0+a")) == 0);
    CHECK(requirement_of("base = 1.0").accepts(version_of("1.0+build9")));
}

TEST_CASE("version: zeros at the end and in front and what is behind a plus do not count") {
    for (const auto& pair :
         {std::pair("1", "1.0.0"), std::pair("1.0+a", "1.0+b"), std::pair("1.01", "1.1"), std::pair("1_2", "1.2"),
          std::pair("1.0-rc1", "1.0.0-rc.1"), std::pair("", "0"), std::pair("1.0-1", "1.0.1")}) {
        CAPTURE(pair.first);
        CHECK(compare_versions(version_of(pair.first), version_of(pair.second)) == 0);
    }
}

TEST_CASE("requirement: texts are read, and written in one form") {
    for (const auto& pair : std::vector<std::pair<std::string, std::string>>{
             {"studio/base >= 1.0, < 2", "studio/base >= 1.0, < 2"},
             {"studio/base>=1.0,<2", "studio/base >= 1.0, < 2"},
             {"  base   =  1.0-rc1 ", "base = 1.0-rc1"},
             {"base", "base"},
             {"base *", "base"},
             {"base > 1, <= 3 by " + kKey, "base > 1, <= 3 by " + kKey},
             {"base by " + kKey, "base by " + kKey},
         }) {
        CAPTURE(pair.first);
        const Requirement requirement = requirement_of(pair.first);
        CHECK(requirement.text() == pair.second);
        CHECK(requirement_of(pair.second) == requirement);
        CHECK(value_of(Requirement::of_metadata(requirement.metadata_key(), requirement.metadata_value())) ==
              requirement);
    }
}

TEST_CASE("requirement: what is not one is refused with words that help") {
    for (const std::string text : {"",
                                   " ",
                                   ">= 1",
                                   "base 1.0",
                                   "base >= ",
                                   "base >= 1.0,",
                                   "base >= 1.0,, < 2",
                                   "base >= 1.0 < 2",
                                   "base => 1",
                                   "base >= 1/0",
                                   "base by alice",
                                   "base >= 1 by",
                                   "../base >= 1",
                                   "/base",
                                   "base/ >= 1",
                                   "ba*e >= 1",
                                   "base ~> 1",
                                   "base >= 1 by zz",
                                   "base\n>= 1",
                                   "base >= 1\x1b"}) {
        CAPTURE(text);
        check_error(Requirement::parse(text), ErrorCode::malformed, "studio/base >= 1.0, < 2");
    }
    check_error(Requirement::of_metadata("requires.base", ""), ErrorCode::malformed, "any version");
    check_error(Requirement::of_metadata("requires.", "*"), ErrorCode::malformed, "requirement");
}

TEST_CASE("requirement: names, bounds and texts have limits") {
    CHECK(Requirement::parse(std::string(kRequirementNameBytesMax, 'n')));
    CHECK(code_of(Requirement::parse(std::string(kRequirementNameBytesMax + 1, 'n'))) == ErrorCode::limit);
    std::string bounds = "base >= 1";
    for (std::size_t i = 1; i < kRequirementBoundsMax; ++i)
        bounds += ", < 9";
    CHECK(Requirement::parse(bounds));
    CHECK(code_of(Requirement::parse(bounds + ", < 9")) == ErrorCode::limit);
    CHECK(code_of(Requirement::parse("base" + std::string(kRequirementTextBytesMax, ' '))) == ErrorCode::limit);
}

TEST_CASE("requirement: a version is accepted if all bounds hold") {
    const auto accepted = [](const std::string& text, const char* version) {
        return requirement_of(text).accepts(version_of(version));
    };
    CHECK(accepted("base >= 1.0, < 2", "1.0"));
    CHECK(accepted("base >= 1.0, < 2", "1.99"));
    CHECK_FALSE(accepted("base >= 1.0, < 2", "2"));
    CHECK_FALSE(accepted("base >= 1.0, < 2", "0.9"));
    CHECK(accepted("base = 1", "1.0"));
    CHECK_FALSE(accepted("base = 1", "1.0.1"));
    CHECK_FALSE(accepted("base > 1", "1.0"));
    CHECK(accepted("base <= 1", "1.0"));
    CHECK(accepted("base", "0.1"));
}

TEST_CASE("requirement: a preview is accepted only where a bound names one, and never by a bound below its release") {
    const auto accepted = [](const std::string& text, const char* version) {
        return requirement_of(text).accepts(version_of(version));
    };
    CHECK_FALSE(accepted("base", "1.0-beta"));
    CHECK_FALSE(accepted("base >= 1.0, < 2", "1.5-beta"));
    CHECK_FALSE(accepted("base >= 1.0-rc1, < 2", "2-beta"));
    CHECK_FALSE(accepted("base >= 1.0-rc1, < 2", "2.0.0~a"));
    CHECK(accepted("base >= 1.0-rc1, < 2", "1.0-rc2"));
    CHECK(accepted("base >= 1.0-rc1, < 2", "1.0"));
    CHECK(accepted("base >= 1.0-rc1, < 2", "1.5-beta"));
    CHECK(accepted("base < 2-rc1", "2-beta"));
}

TEST_CASE("requirement: a bundle states what it requires in its metadata, so its id covers it") {
    BundlePlan plan;
    add(plan, "map.cfg", "text");
    const BundleId without = bundle_id_of(written(plan));
    plan.metadata = {{.key = "name", .value = "mods/castle"}, {.key = "zone", .value = "last"}};
    for (const char* text : {"studio/sounds", "studio/base >= 1.0, < 2"}) {
        const Requirement requirement = requirement_of(text);
        plan.metadata.push_back({.key = requirement.metadata_key(), .value = requirement.metadata_value()});
    }
    const auto bundle = open_bundle(written(plan));
    CHECK(bundle->id() != without);
    const auto requirements = value_of(requirements_of(*bundle));
    REQUIRE(requirements.size() == 2);
    CHECK(requirements[0].text() == "studio/base >= 1.0, < 2");
    CHECK(requirements[1].text() == "studio/sounds");
}

TEST_CASE("requirement: a bundle with a wrong one, or with too many, is refused") {
    BundlePlan plan;
    add(plan, "map.cfg", "text");
    plan.metadata = {{.key = "requires.base", .value = std::int64_t{1}}};
    check_error(requirements_of(*open_bundle(written(plan))), ErrorCode::malformed, "is not a text");
    plan.metadata = {{.key = "requires.base", .value = "soon"}};
    check_error(requirements_of(*open_bundle(written(plan))), ErrorCode::malformed, "a bound begins with");
    plan.metadata.clear();
    for (std::size_t i = 0; i < kRequirementsMax; ++i)
        plan.metadata.push_back({.key = "requires.base" + std::to_string(i), .value = "*"});
    CHECK(value_of(requirements_of(*open_bundle(written(plan)))).size() == kRequirementsMax);
    plan.metadata.push_back({.key = "requires.one-more", .value = "*"});
    CHECK(code_of(requirements_of(*open_bundle(written(plan)))) == ErrorCode::limit);
}

}  // namespace fardel::tests::requirement_test
