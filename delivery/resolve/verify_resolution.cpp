#include <fardel/delivery/resolve.h>

#include <fardel/format/dependencies.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

Error states_other(const ResolvedBundle& one, std::string_view what) {
    return Error(ErrorCode::conflict, "bundle " + one.bundle.hex() + ", " + in_short_quotes(one.name) + ": it states " +
                                          std::string(what) +
                                          " than it was resolved by, so a server or the lock file is wrong; ask "
                                          "another server");
}

// Takes the name and version from the bundle.
Status verify_one(ResolvedBundle& one, const Bundle& bundle) {
    if (bundle.id() != one.bundle)
        return Error(ErrorCode::corrupt, "bundle " + one.bundle.hex() + ": another bundle was opened for it");
    FARDEL_TRY_ASSIGN(const auto name, bundle.find_bundle_text("name"));
    FARDEL_TRY_ASSIGN(const auto text, bundle.find_bundle_text("version"));
    FARDEL_TRY_ASSIGN(BundleVersion version, BundleVersion::parse(text.value_or("")));
    if (!one.name.empty() && (one.name != name || one.version != version))
        return states_other(one, "another name or version");
    one.name = name.value_or("");
    one.version = std::move(version);
    FARDEL_TRY_ASSIGN(const auto needs, static_dependencies(bundle));
    if (needs != one.needs)
        return states_other(one, "other dependencies");
    FARDEL_TRY_ASSIGN(const auto requirements, requirements_of(bundle));
    const auto same = [](const Requirement& a, const ResolvedRequirement& b) { return a == b.requirement; };
    if (!std::ranges::equal(requirements, one.requirements, same))
        return states_other(one, "other requirements");
    return ok();
}

}  // namespace

Status verify_resolution(Resolution& resolution, const OpenResolved& open) {
    std::unordered_map<BundleId, const ResolvedBundle*> by_id;
    for (ResolvedBundle& one : resolution.bundles) {
        FARDEL_TRY_ASSIGN(const auto bundle, open(one.bundle));
        FARDEL_TRY(verify_one(one, *bundle));
        by_id.emplace(one.bundle, &one);
    }
    const auto verify_met = [&](const ResolvedRequirement& wanted) -> Status {
        const auto found = by_id.find(wanted.bundle);
        const bool is_met = found != by_id.end() && !wanted.requirement.signer &&
                            found->second->name == wanted.requirement.name && !found->second->version.empty() &&
                            wanted.requirement.accepts(found->second->version);
        if (is_met)
            return ok();
        FARDEL_TRY_ASSIGN(const auto bundle, open(wanted.bundle));
        return verify_meets(wanted.requirement, *bundle);
    };
    for (const ResolvedRequirement& root : resolution.roots)
        FARDEL_TRY(verify_met(root));
    for (const ResolvedBundle& one : resolution.bundles)
        for (const ResolvedRequirement& wanted : one.requirements)
            FARDEL_TRY(verify_met(wanted));
    return ok();
}

}  // namespace fardel
