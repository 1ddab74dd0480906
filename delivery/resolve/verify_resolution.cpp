#include <fardel/delivery/resolve.h>

#include <fardel/format/author.h>
#include <fardel/format/dependencies.h>
#include <fardel/format/name.h>

#include <utility>

namespace fardel {
namespace {

Error states_other(const BundleId& id, std::string_view what) {
    return Error(ErrorCode::conflict, "bundle " + id.hex() + ": it states " + std::string(what) +
                                          " than it was resolved by, so a server or the lock file is wrong; ask "
                                          "another server");
}

// Takes the name, version and author from the bundle.
Status verify_one(ResolvedBundle& one, const Bundle& bundle) {
    BundleNeeds needs{.needs = one.needs, .requirements = {}};
    for (const ResolvedRequirement& wanted : one.requirements)
        needs.requirements.push_back(wanted.requirement);
    FARDEL_TRY(verify_needs(one.bundle, needs, bundle));
    FARDEL_TRY_ASSIGN(const auto name, bundle.find_bundle_text("name"));
    FARDEL_TRY_ASSIGN(const auto text, bundle.find_bundle_text("version"));
    FARDEL_TRY_ASSIGN(BundleVersion version, BundleVersion::parse(text.value_or("")));
    if (!one.name.empty() && (one.name != name || one.version != version))
        return states_other(one.bundle, "another name or version");
    const auto author = author_of(bundle.verdict());
    // A lock file could otherwise name an author whose later bundles nobody would be asked about. A policy that knows
    // no author contradicts none: the lock may have been made with another one.
    if (one.author && author && one.author != author)
        return states_other(one.bundle, "another author");
    one.name = name.value_or("");
    one.version = std::move(version);
    if (author)
        one.author = author;
    return ok();
}

}  // namespace

Status verify_needs(const BundleId& id, const BundleNeeds& needs, const Bundle& bundle) {
    if (bundle.id() != id)
        return Error(ErrorCode::corrupt, "bundle " + id.hex() + ": another bundle was opened for it");
    FARDEL_TRY_ASSIGN(const auto dependencies, static_dependencies(bundle));
    if (dependencies != needs.needs)
        return states_other(id, "other dependencies");
    FARDEL_TRY_ASSIGN(const auto requirements, requirements_of(bundle));
    if (requirements != needs.requirements)
        return states_other(id, "other requirements");
    return ok();
}

Status verify_resolution(Resolution& resolution, const OpenResolved& open) {
    std::unordered_map<BundleId, const ResolvedBundle*> by_id;
    for (ResolvedBundle& one : resolution.bundles) {
        auto bundle = open(one.bundle);
        if (!bundle && !one.name.empty())
            return std::move(bundle).error().with_context(printable(one.name) + " " + one.version.text());
        FARDEL_TRY(bundle);
        FARDEL_TRY(verify_one(one, **bundle));
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
