// The static dependencies of bundles, and the order in which a set of bundles is fetched, added or mounted.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <unordered_set>
#include <vector>

namespace fardel {

inline constexpr std::size_t kDependencyWalkMax = 65'536;  // bundles in all

// Returns the ids of the bundles that a bundle's static references lead into, in the order of its table.
Result<std::vector<BundleId>> static_dependencies(const Bundle& bundle);

// Visits bundles depth first: each after those that it needs, and each once. The length of a chain is bounded only by
// kDependencyWalkMax, because whoever wrote the bundles chooses it. One thread.
class DependencyWalk {
public:
    struct Steps {
        // Called before a bundle's dependencies are visited. Returns what it needs, or nothing if it is left out.
        std::function<Result<std::optional<std::vector<BundleId>>>(const BundleId&)> enter;
        // Called after them, for each bundle that is not left out.
        std::function<Status(const BundleId&)> leave;
    };

    // May be called repeatedly: what was visited before is not visited again. Errors: limit, those of the steps.
    Status run(const BundleId& first, const Steps& steps);

private:
    std::unordered_set<BundleId> seen_;
};

}  // namespace fardel
