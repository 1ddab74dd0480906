// Selects the references of a link table. Pure.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace fardel {

// Sorts by spelling and keeps one reference per spelling: the first that is not optional; otherwise the first. Removes
// spellings that no bundle can hold.
inline void settle_references(std::vector<PlannedReference>& references) {
    std::erase_if(references, [](const PlannedReference& one) {
        return !is_utf8_text(one.spelling) || one.spelling.find('\0') != std::string::npos;
    });
    std::ranges::stable_sort(references, {},
                             [](const PlannedReference& one) { return std::tie(one.spelling, one.optional); });
    references.erase(std::unique(references.begin(), references.end(),
                                 [](const auto& a, const auto& b) { return a.spelling == b.spelling; }),
                     references.end());
}

}  // namespace fardel
