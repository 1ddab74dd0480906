#include "defects.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace fardel {

std::vector<Defect> all_defects() {
    std::vector<Defect> all;
    for (auto list : {string_and_asset_defects(), name_defects(), reference_and_metadata_defects(),
                      layout_and_content_defects(), section_and_trust_defects()})
        for (Defect& defect : list)
            all.push_back(std::move(defect));
    return all;
}

std::function<forge::ForgedBundle()> with_names(std::vector<std::string> names) {
    forge::Recipe recipe;
    recipe.assets.push_back({.bytes = forge::bytes_of("the one asset")});
    for (std::string& name : names)
        recipe.names.push_back({std::move(name), {{0, {}}}});
    return [recipe] { return forge::forge(recipe); };
}

VerifyReport verify(const forge::Bytes& bytes, const VerifyOptions& options) {
    auto report = verify_bundle(make_memory_source(bytes), options);
    if (!report) {
        std::cerr << "verify_bundle: " << report.error().text() << "\n";
        std::abort();
    }
    return std::move(report).value();
}

std::vector<VerifyFinding> of_rule(const VerifyReport& report, std::string_view rule) {
    std::vector<VerifyFinding> found;
    std::ranges::copy_if(report.findings, std::back_inserter(found),
                         [&](const VerifyFinding& finding) { return finding.rule == rule; });
    return found;
}

std::string text_of(const VerifyReport& report) {
    std::string text;
    for (const VerifyFinding& finding : report.findings)
        text += format_finding(finding) + "\n";
    return text;
}

}  // namespace fardel
