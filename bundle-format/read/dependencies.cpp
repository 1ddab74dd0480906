#include <fardel/format/dependencies.h>

#include <fardel/format/manifest.h>

#include <string>
#include <utility>

namespace fardel {

Result<std::vector<BundleId>> static_dependencies(const Bundle& bundle) {
    std::vector<BundleId> needed;
    for (std::uint32_t i = 0; i < bundle.table_count(TableKind::dependencies); ++i) {
        FARDEL_TRY_ASSIGN(const DependencyRecord dependency, bundle.dependency(i));
        if ((dependency.flags & DependencyRecord::is_static) != 0)
            needed.push_back(dependency.bundle);
    }
    return needed;
}

Status DependencyWalk::run(const BundleId& first, const Steps& steps) {
    struct Visit {
        BundleId bundle;
        std::vector<BundleId> needed;
        std::size_t next = 0;
    };
    std::vector<Visit> open;
    // A stack of our own: the depth of the walk is up to the authors of bundles.
    const auto enter = [&](const BundleId& id) -> Status {
        if (!seen_.insert(id).second)
            return ok();
        if (seen_.size() > kDependencyWalkMax)
            return Error(ErrorCode::limit,
                         "more than " + std::to_string(kDependencyWalkMax) + " bundles depend on each other");
        FARDEL_TRY_ASSIGN(auto needed, steps.enter(id));
        if (needed)
            open.push_back({.bundle = id, .needed = *std::move(needed)});
        return ok();
    };
    FARDEL_TRY(enter(first));
    while (!open.empty()) {
        Visit& visit = open.back();
        if (visit.next < visit.needed.size()) {
            const BundleId needed = visit.needed[visit.next++];
            FARDEL_TRY(enter(needed));
            continue;
        }
        // All that it needs has been left before, so whoever mounts in this order finds dependencies below.
        const BundleId done = visit.bundle;
        open.pop_back();
        FARDEL_TRY(steps.leave(done));
    }
    return ok();
}

}  // namespace fardel
