// What an installation is to bring about: all roots, old and new ones, and what stays if it does. Pure.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/install.h>
#include <fardel/delivery/lock_file.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fardel {

struct WantedSet {
    std::optional<LockFile> before;
    std::vector<Requirement> roots;
    std::set<BundleId> preferred;
};

// Adds the roots; each replaces the one of the same name, which may then get another version. Errors: malformed (not a
// requirement, or a name twice), limit.
Result<WantedSet> plan_roots(std::optional<LockFile> before, const std::vector<std::string>& texts);
// Without names, everything may change; otherwise only bundles with these names, and what has to change with them.
// Error: missing (nothing is installed by that name).
Result<WantedSet> plan_update(LockFile before, const std::vector<std::string>& names);

// What a resolution means, for users of the library.
InstalledBundle installed_bundle(const Resolution& resolution, const ResolvedBundle& one);
std::vector<InstalledBundle> installed_bundles(const Resolution& resolution);
// Those of `resolution` that `other` does not have.
std::vector<InstalledBundle> only_in(const Resolution& resolution, const Resolution& other);

}  // namespace fardel
