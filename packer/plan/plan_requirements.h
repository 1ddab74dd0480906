// The requirements of a plan: what the bundle states in its metadata.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/requirement.h>

#include <span>
#include <string>
#include <vector>

namespace fardel {

void add_requirements(BundlePlan& plan, std::span<const Requirement> requirements);

// Adds what the texts state; each replaces the one of the same name. Errors: malformed, limit.
Status add_requirements(std::vector<Requirement>& requirements, std::span<const std::string> texts);

}  // namespace fardel
