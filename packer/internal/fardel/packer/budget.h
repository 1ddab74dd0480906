// What is over the budgets of a project. Pure.
//
// Counted are the bytes of assets as a game reads them, equal ones once: they are known before anything is written.
#pragma once

#include <fardel/packer/pack.h>
#include <fardel/packer/project.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

inline constexpr std::size_t kLargestShownMax = 10;

struct BudgetExcess {
    std::string of;  // "total", "bundle game-common-1", "textures/**"
    std::uint64_t bytes = 0;
    std::uint64_t bytes_max = 0;
    std::vector<std::pair<std::string, std::uint64_t>> largest;  // names and sizes, the largest first
    ProjectPosition at;                                          // of the budget
};

// In the order of the budgets.
std::vector<BudgetExcess> find_over_budget(const Project& project, const PackPlan& packed);
// Error: limit (something is over its budget).
Status verify_budgets(const Project& project, const PackPlan& packed);

}  // namespace fardel
