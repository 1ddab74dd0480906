#include "install/wanted_set.h"

#include <fardel/format/name.h>

#include <algorithm>
#include <utility>

namespace fardel {

Result<WantedSet> plan_roots(std::optional<LockFile> before, const std::vector<std::string>& texts) {
    WantedSet wanted;
    std::set<std::string> renewed;
    std::vector<Requirement> added;
    for (const std::string& text : texts) {
        FARDEL_TRY_ASSIGN(Requirement root, Requirement::parse(text));
        if (!renewed.insert(root.name).second)
            return Error(ErrorCode::malformed, "'" + root.name + "' is named twice; write all bounds in one text");
        added.push_back(std::move(root));
    }
    if (before) {
        for (const ResolvedRequirement& root : before->resolution.roots) {
            // A renewed one keeps its position: what was installed first may be the game.
            const auto again = std::ranges::find(added, root.requirement.name, &Requirement::name);
            wanted.roots.push_back(again == added.end() ? root.requirement : *again);
            if (again != added.end())
                added.erase(again);
        }
        for (const ResolvedBundle& one : before->resolution.bundles)
            if (!renewed.contains(one.name))
                // An installation leaves what is installed as it is, unless a new requirement cannot be met otherwise.
                wanted.preferred.insert(one.bundle);
    }
    wanted.roots.insert(wanted.roots.end(), added.begin(), added.end());
    if (wanted.roots.size() > kLockRootsMax)
        return Error(ErrorCode::limit, "a lock file has at most " + std::to_string(kLockRootsMax) + " roots");
    wanted.before = std::move(before);
    return wanted;
}

Result<WantedSet> plan_update(LockFile before, const std::vector<std::string>& names) {
    WantedSet wanted;
    const Resolution& installed = before.resolution;
    for (const ResolvedRequirement& root : installed.roots)
        wanted.roots.push_back(root.requirement);
    for (const std::string& name : names)
        if (std::ranges::find(installed.bundles, name, &ResolvedBundle::name) == installed.bundles.end())
            return Error(ErrorCode::missing,
                         "no bundle named " + printable(name) + " is installed; 'fardel list' shows what is");
    for (const ResolvedBundle& one : installed.bundles)
        if (!names.empty() && std::ranges::find(names, one.name) == names.end())
            wanted.preferred.insert(one.bundle);
    wanted.before = std::move(before);
    return wanted;
}

InstalledBundle installed_bundle(const Resolution& resolution, const ResolvedBundle& one) {
    InstalledBundle installed{.bundle = one.bundle,
                              .name = one.name,
                              .version = one.version.text(),
                              .root = {},
                              .resolved = {},
                              .author = one.author};
    for (const ResolvedRequirement& root : resolution.roots)
        if (root.bundle == one.bundle)
            installed.root = root.requirement.text();
    for (const ResolvedRequirement& wanted : one.requirements)
        installed.resolved.push_back(wanted.bundle);
    return installed;
}

std::vector<InstalledBundle> installed_bundles(const Resolution& resolution) {
    std::vector<InstalledBundle> installed;
    for (const ResolvedBundle& one : resolution.bundles)
        installed.push_back(installed_bundle(resolution, one));
    return installed;
}

std::vector<InstalledBundle> only_in(const Resolution& resolution, const Resolution& other) {
    std::set<BundleId> there;
    for (const ResolvedBundle& one : other.bundles)
        there.insert(one.bundle);
    std::vector<InstalledBundle> only;
    for (const ResolvedBundle& one : resolution.bundles)
        if (!there.contains(one.bundle))
            only.push_back(installed_bundle(resolution, one));
    return only;
}

}  // namespace fardel
