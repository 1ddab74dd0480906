// MissingDependencies: the one judge of what mounted bundles need from each other and is not mounted.
#pragma once

#include "mount_set.h"

#include <fardel/base/result.h>
#include <fardel/format/requirement.h>
#include <fardel/vfs/mount.h>

#include <optional>
#include <vector>

namespace fardel {

// Of one set, to which it refers. Not thread-safe.
class MissingDependencies {
public:
    explicit MissingDependencies(const MountSet& set) noexcept : set_(set) {}

    // The static dependencies of the mount that are missing, then those that its requirements mean
    // (MountContent::resolved), or, if nobody says what they mean, the requirements that no bundle of the set meets.
    // Errors: those of reading its tables.
    Result<std::vector<MissingDependency>> of(const Mount& mount) const;
    // The last of these alone.
    Result<std::vector<MissingDependency>> unmet_requirements(const Mount& mount) const;
    // Whether the set lacks what was missing in another set.
    bool has(const MissingDependency& missing) const;

private:
    const NamedBundles& named() const;

    const MountSet& set_;
    mutable std::optional<NamedBundles> named_;  // made for the first requirement; most bundles have none
};

}  // namespace fardel
