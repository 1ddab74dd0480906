// Bundles that are right: the verifier finds nothing in them, whoever made them.
#include <fardel/verifier/verify_bundle.h>

#include "bundle_forge/bundle_forge.h"

#include <doctest/doctest.h>

#include <iostream>

using namespace fardel;

TEST_CASE("verifier: a forged bundle of every kind of record has no findings") {
    for (const auto& recipe :
         {forge::small_recipe(), forge::recipe_with_raw_pieces(), forge::wide_recipe(5), forge::wide_recipe(2000)}) {
        auto bundle = forge::forge(recipe);
        forge::sign(bundle);
        const TrustPolicy policy = forge::test_policy();
        VerifyOptions options;
        options.policy = &policy;
        options.now_s = 1'800'000'000;
        const auto report = verify_bundle(make_memory_source(bundle.bytes), options);
        REQUIRE(report);
        for (const Finding& finding : report->findings)
            std::cout << format_finding(finding) << "\n";
        CHECK(report->findings.empty());
        CHECK(report->raw_bytes_proved == bundle.raw_bytes);
        std::cout << bundle.bytes.size() << "\n";
    }
}
