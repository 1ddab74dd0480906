// Bad bundles. Each has one defect and otherwise valid hashes, and lists what the verifier must find.
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
    std::string rule;               // the rule that must be found
    std::vector<std::string> also;  // rules that may be found too, as a consequence
    std::function<forge::ForgedBundle()> make;
    std::function<void(VerifyOptions&)> options = {};
};

// Each list of defects is in its own file.
std::vector<Defect> string_and_asset_defects();
std::vector<Defect> name_defects();
std::vector<Defect> reference_and_metadata_defects();
std::vector<Defect> layout_and_content_defects();
std::vector<Defect> section_and_trust_defects();
std::vector<Defect> all_defects();

// Forges the draft of `recipe` after `edit`.
template <class Edit>
std::function<forge::ForgedBundle()> drafted(forge::Recipe recipe, Edit edit) {
    return [recipe = std::move(recipe), edit] {
        forge::Draft draft = forge::draft(recipe);
        edit(draft);
        return forge::forge(draft);
    };
}

// Forges `recipe` after `edit`.
template <class Edit>
std::function<forge::ForgedBundle()> cooked(forge::Recipe recipe, Edit edit) {
    edit(recipe);
    return [recipe = std::move(recipe)] { return forge::forge(recipe); };
}

// A small bundle whose only names are these.
std::function<forge::ForgedBundle()> with_names(std::vector<std::string> names);

// Verifies the bytes. Ends the program if verify_bundle() returns an error.
VerifyReport verify(const forge::Bytes& bytes, const VerifyOptions& options = {});

// The findings of one rule.
std::vector<VerifyFinding> of_rule(const VerifyReport& report, std::string_view rule);
// All findings as text, for messages of failed tests.
std::string text_of(const VerifyReport& report);

}  // namespace fardel
