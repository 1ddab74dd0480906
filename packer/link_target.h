// Whether two references lead to the same thing. Pure.
#pragma once

#include <fardel/format/bundle_plan.h>

#include <variant>

namespace fardel {

using LinkTarget = decltype(PlannedReference::target);

inline bool equal_targets(const LinkTarget& a, const LinkTarget& b) {
    if (a.index() != b.index())
        return false;
    if (const auto* internal = std::get_if<PlannedReference::Internal>(&a))
        return internal->asset == std::get<PlannedReference::Internal>(b).asset;
    if (const auto* foreign = std::get_if<PlannedReference::Foreign>(&a))
        return foreign->asset == std::get<PlannedReference::Foreign>(b).asset && foreign->dependency == std::get<PlannedReference::Foreign>(b).dependency;
    return std::get<PlannedReference::Dynamic>(a).name == std::get<PlannedReference::Dynamic>(b).name;
}

}  // namespace fardel
