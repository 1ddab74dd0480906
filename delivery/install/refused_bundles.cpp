#include <fardel/delivery/refused_bundles.h>

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_use.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

bool is_policy_refusal(ErrorCode code) {
    return code == ErrorCode::revoked || code == ErrorCode::expired || code == ErrorCode::untrusted ||
           code == ErrorCode::denied;
}

// Nothing: it may be used, or cannot be read, which is another kind of error.
std::optional<RefusedBundle> find_refusal(const BundleStore& store, const BundleId& id, const TrustPolicy& policy,
                                          const TrustTime& time, const std::vector<Envelope>* licenses) {
    auto source = store.open_bundle(id);
    if (!source)
        return std::nullopt;
    const auto bundle =
        Bundle::open(*std::move(source), {.policy = &policy, .time = time, .cache = {}, .label = "bundle " + id.hex()});
    const Status usable = bundle ? verify_use(**bundle, &policy, time) : Status(bundle.error());
    if (!usable) {
        const ErrorCode code = usable.error().code();
        if (!is_policy_refusal(code))
            return std::nullopt;
        return RefusedBundle{.bundle = id,
                             .reason = usable.error(),
                             .may_be_replaced = code == ErrorCode::revoked || code == ErrorCode::expired};
    }
    if (licenses == nullptr)
        return std::nullopt;
    if (const Status licensed = (*bundle)->verify_license(&policy, *licenses, time);
        !licensed && (is_policy_refusal(licensed.error().code()) || licensed.error().code() == ErrorCode::missing))
        return RefusedBundle{.bundle = id, .reason = licensed.error(), .may_be_replaced = false};
    return std::nullopt;
}

const ResolvedBundle& entry_of(const Resolution& resolution, const BundleId& id) {
    return *std::ranges::find(resolution.bundles, id, &ResolvedBundle::bundle);
}

std::string title_of(const ResolvedBundle& one) {
    return one.name.empty() ? "" : printable(one.name) + " " + one.version.text();
}

// The installed names that need the bundle, or are it.
std::vector<const ResolvedRequirement*> roots_that_need(const Resolution& resolution, const BundleId& id) {
    std::vector<const ResolvedRequirement*> roots;
    for (const ResolvedRequirement& root : resolution.roots) {
        const Resolution closure = reduced_to(resolution, {root});
        if (std::ranges::find(closure.bundles, id, &ResolvedBundle::bundle) != closure.bundles.end())
            roots.push_back(&root);
    }
    return roots;
}

bool shares_a_bundle(const Resolution& a, const Resolution& b) {
    return std::ranges::any_of(a.bundles, [&](const ResolvedBundle& one) {
        return std::ranges::find(b.bundles, one.bundle, &ResolvedBundle::bundle) != b.bundles.end();
    });
}

// Whether what this name requires is the game's: it was installed first, and stands on nothing that others stand on,
// too, as the mods of one base do.
bool may_be_game(const Resolution& resolution, const ResolvedRequirement& root) {
    if (root != resolution.roots.front())
        return false;
    const Resolution closure = reduced_to(resolution, {root});
    return std::ranges::none_of(resolution.roots, [&](const ResolvedRequirement& other) {
        return other != root && shares_a_bundle(closure, reduced_to(resolution, {other}));
    });
}

bool is_replaceable(const Resolution& resolution, const RefusedBundle& refused,
                    const std::vector<ChannelBundle>& offered) {
    const ResolvedBundle& entry = entry_of(resolution, refused.bundle);
    const auto meets_all = [&](const BundleVersion& version) {
        const auto is_met = [&](const ResolvedRequirement& wanted) {
            return wanted.bundle != refused.bundle || wanted.requirement.accepts(version);
        };
        return std::ranges::all_of(resolution.roots, is_met) &&
               std::ranges::all_of(resolution.bundles, [&](const ResolvedBundle& one) {
                   // A static dependency is an id, and no other bundle ever replaces it.
                   return std::ranges::find(one.needs, refused.bundle) == one.needs.end() &&
                          std::ranges::all_of(one.requirements, is_met);
               });
    };
    return std::ranges::any_of(offered, [&](const ChannelBundle& one) {
        if (one.name != entry.name || one.bundle == refused.bundle || one.recall)
            return false;
        const auto version = BundleVersion::parse(one.version);
        return version && meets_all(*version);
    });
}

}  // namespace

std::vector<RefusedBundle> find_refused(const BundleStore& store, const Resolution& resolution,
                                        const TrustPolicy& policy, const TrustTime& time,
                                        const std::vector<Envelope>* licenses) {
    std::vector<RefusedBundle> refused;
    for (const ResolvedBundle& one : resolution.bundles)
        if (auto refusal = find_refusal(store, one.bundle, policy, time, licenses))
            refused.push_back(*std::move(refusal));
    return refused;
}

std::string way_out(const Resolution& resolution, const RefusedBundle& refused,
                    const std::vector<ChannelBundle>& offered) {
    if (refused.may_be_replaced && is_replaceable(resolution, refused, offered))
        return "'fardel update' replaces it";
    std::string command = "'fardel remove";
    bool is_root = false;
    for (const ResolvedRequirement* root : roots_that_need(resolution, refused.bundle)) {
        command += " " + printable(root->requirement.name);
        is_root = is_root || root->bundle == refused.bundle;
    }
    return command + (is_root ? "' takes it out" : "' takes out what needs it");
}

Error explain_refusal(const Resolution& resolution, const RefusedBundle& refused,
                      const std::vector<ChannelBundle>& offered) {
    const std::string title = title_of(entry_of(resolution, refused.bundle));
    const Error named = title.empty() ? refused.reason : Error(refused.reason).with_context(title);
    return Error(named.code(), named.message() + "; " + way_out(resolution, refused, offered));
}

Result<LeftOutPlan> plan_left_out(const Resolution& resolution, const std::vector<RefusedBundle>& refused,
                                  const std::vector<std::string>& needed, const std::vector<ChannelBundle>& offered) {
    std::vector<ResolvedRequirement> roots = resolution.roots;
    LeftOutPlan plan;
    for (const RefusedBundle& one : refused) {
        const Error reason = explain_refusal(resolution, one, offered);
        const auto needing = roots_that_need(resolution, one.bundle);
        if (needing.size() != 1)
            return reason;
        const ResolvedRequirement& root = *needing.front();
        const bool is_needed = std::ranges::find(needed, root.requirement.name) != needed.end();
        if (is_needed || (root.bundle != one.bundle && may_be_game(resolution, root)))
            return reason;
        if (std::erase(roots, root) == 0)
            continue;  // left out already, for another bundle of it
        const ResolvedBundle& entry = entry_of(resolution, root.bundle);
        plan.left_out.push_back(
            {.bundle = entry.bundle, .name = entry.name, .version = entry.version.text(), .reason = reason});
        if (roots.empty())
            return reason;
    }
    plan.rest = reduced_to(resolution, roots);
    return plan;
}

}  // namespace fardel
