// Compares the targets of references, and selects the references of a link table. Pure.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <tuple>
#include <variant>
#include <vector>

namespace fardel {

using ReferenceTarget = decltype(PlannedReference::target);

inline bool equal_targets(const ReferenceTarget& a, const ReferenceTarget& b) {
    if (a.index() != b.index())
        return false;
    if (const auto* internal = std::get_if<PlannedReference::Internal>(&a))
        return internal->asset == std::get<PlannedReference::Internal>(b).asset;
    if (const auto* foreign = std::get_if<PlannedReference::Foreign>(&a))
        return foreign->asset == std::get<PlannedReference::Foreign>(b).asset &&
               foreign->dependency == std::get<PlannedReference::Foreign>(b).dependency;
    return std::get<PlannedReference::Dynamic>(a).name == std::get<PlannedReference::Dynamic>(b).name;
}

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
