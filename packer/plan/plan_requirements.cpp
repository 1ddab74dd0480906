#include "plan_requirements.h"

#include <algorithm>
#include <utility>

namespace fardel {

void add_requirements(BundlePlan& plan, std::span<const Requirement> requirements) {
    for (const Requirement& one : requirements)
        plan.metadata.push_back({.key = one.metadata_key(), .value = one.metadata_value()});
}

Status add_requirements(std::vector<Requirement>& requirements, std::span<const std::string> texts) {
    for (const std::string& text : texts) {
        FARDEL_TRY_ASSIGN(Requirement added, Requirement::parse(text));
        std::erase_if(requirements, [&](const Requirement& one) { return one.name == added.name; });
        requirements.push_back(std::move(added));
    }
    if (requirements.size() > kRequirementsMax)
        return Error(ErrorCode::limit, "a bundle has at most " + std::to_string(kRequirementsMax) + " requirements");
    return ok();
}

}  // namespace fardel
