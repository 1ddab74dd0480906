#include "checks.h"

#include <fardel/format/manifest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace fardel {

void check_dependencies(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings) {
    using enum TableKind;
    std::vector<std::pair<BundleId, std::uint64_t>> seen;
    for (std::uint64_t i = 0; i < tables.count(dependencies); ++i) {
        const auto dependency = tables.find<DependencyRecord>(i);
        if (!dependency)
            continue;
        texts.use(dependency->name, dependencies, i, "name", findings);
        texts.use(dependency->version, dependencies, i, "version", findings);
        seen.emplace_back(dependency->bundle, i);
    }
    std::ranges::sort(seen);
    for (std::size_t i = 1; i < seen.size(); ++i)
        if (seen[i].first == seen[i - 1].first)
            findings.add(
                VerifierRule::dependency_twice, dependencies, seen[i].second,
                "bundle " + seen[i].first.hex() + " is already dependency " + std::to_string(seen[i - 1].second));
}

}  // namespace fardel
