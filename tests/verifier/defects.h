// Bad bundles, each named by its defect: one thing is wrong with it, and every hash is right all the same (unless the
// defect is a wrong hash). Also lists what the verifier must find in each.
#pragma once

#include "bundle_forge/bundle_forge.h"

#include <fardel/verifier/verify_bundle.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct Defect {
    std::string name;               // a sentence's predicate: "an asset appears twice"
    std::string rule;               // must be found
    std::vector<std::string> also;  // may be found too, because one thing follows from the other
    std::function<forge::ForgedBundle()> make;
    std::function<void(VerifyOptions&)> options = {};
};

// Each list in a file of its own.
std::vector<Defect> string_and_asset_defects();
std::vector<Defect> name_defects();
std::vector<Defect> reference_and_metadata_defects();
std::vector<Defect> layout_and_content_defects();
std::vector<Defect> section_and_trust_defects();
std::vector<Defect> all_defects();

// A draft of `recipe` after `edit`, forged.
template <class Edit>
std::function<forge::ForgedBundle()> drafted(forge::Recipe recipe, Edit edit) {
    return [recipe = std::move(recipe), edit] {
        forge::Draft draft = forge::draft(recipe);
        edit(draft);
        return forge::forge(draft);
    };
}

// `recipe` after `edit`, forged.
template <class Edit>
std::function<forge::ForgedBundle()> cooked(forge::Recipe recipe, Edit edit) {
    edit(recipe);
    return [recipe = std::move(recipe)] { return forge::forge(recipe); };
}

// A small bundle whose only names are these.
std::function<forge::ForgedBundle()> with_names(std::vector<std::string> names);

// Verifies bytes with the options; the test fails if that is not possible at all.
VerifyReport verify(const forge::Bytes& bytes, const VerifyOptions& options = {});

// The findings of one rule.
std::vector<VerifyFinding> of_rule(const VerifyReport& report, std::string_view rule);
// All findings as text, for messages of failed tests.
std::string text_of(const VerifyReport& report);

}  // namespace fardel
