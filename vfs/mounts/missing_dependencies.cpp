#include "missing_dependencies.h"

#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace fardel {

const NamedBundles& MissingDependencies::named() const {
    if (!named_) {
        named_.emplace();
        // A mount that shows some of its paths only provides its bundle to nobody, as for dependencies by id.
        for (const Mount& mount : set_.mounts())
            if (!mount.paths)
                named_->add(mount.bundle());
    }
    return *named_;
}

Result<std::vector<MissingDependency>> MissingDependencies::unmet_requirements(const Mount& mount) const {
    std::vector<MissingDependency> unmet;
    if (mount.content.resolved)
        return unmet;
    FARDEL_TRY_ASSIGN(const std::vector<Requirement> requirements, requirements_of(mount.bundle()));
    for (const Requirement& requirement : requirements)
        if (Status met = named().verify_meet(requirement); !met)
            unmet.push_back({.mount = mount.id,
                             .bundle = {},
                             .requirement = requirement.text(),
                             .reason = std::move(met).error().message()});
    return unmet;
}

Result<std::vector<MissingDependency>> MissingDependencies::of(const Mount& mount) const {
    const Bundle& bundle = mount.bundle();
    std::vector<MissingDependency> missing;
    const auto need = [&](const BundleId& id) {
        if (set_.find_bundle(id) == nullptr)
            missing.push_back({.mount = mount.id, .bundle = id, .requirement = {}, .reason = {}});
    };
    const std::uint64_t count =
        std::min<std::uint64_t>(bundle.table_count(TableKind::dependencies), limits::kDependenciesMax);
    for (std::uint32_t i = 0; i < count; ++i) {
        FARDEL_TRY_ASSIGN(const DependencyRecord dependency, bundle.dependency(i));
        if ((dependency.flags & DependencyRecord::is_static) != 0)
            need(dependency.bundle);
    }
    if (mount.content.resolved)
        for (const BundleId& id : *mount.content.resolved)
            need(id);
    FARDEL_TRY_ASSIGN(std::vector<MissingDependency> unmet, unmet_requirements(mount));
    std::ranges::move(unmet, std::back_inserter(missing));
    return missing;
}

bool MissingDependencies::has(const MissingDependency& missing) const {
    if (missing.requirement.empty())
        return set_.find_bundle(missing.bundle) == nullptr;
    const auto requirement = Requirement::parse(missing.requirement);
    return requirement && !named().verify_meet(*requirement);
}

}  // namespace fardel
