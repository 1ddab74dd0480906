#include <fardel/delivery/refused_bundles.h>

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_use.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

// Bounds for what a hostile release or lock file can cost.
constexpr std::size_t kRootsNotedMax = 8;        // per bundle
constexpr std::size_t kVersionsTriedMax = 1000;  // of one name

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

bool is_replaceable(const Resolution& resolution, const RefusedBundle& refused,
                    const std::vector<ChannelBundle>& offered) {
    std::vector<const Requirement*> wanted;  // what is required of it
    const auto note = [&](const std::vector<ResolvedRequirement>& requirements) {
        for (const ResolvedRequirement& one : requirements)
            if (one.bundle == refused.bundle)
                wanted.push_back(&one.requirement);
    };
    note(resolution.roots);
    for (const ResolvedBundle& one : resolution.bundles) {
        // A static dependency is an id, and no other bundle ever replaces it.
        if (std::ranges::find(one.needs, refused.bundle) != one.needs.end())
            return false;
        note(one.requirements);
    }
    const ResolvedBundle& entry = entry_of(resolution, refused.bundle);
    std::size_t tried = 0;
    for (const ChannelBundle& one : offered) {
        if (one.name != entry.name || one.bundle == refused.bundle || one.recall || ++tried > kVersionsTriedMax)
            continue;
        const auto version = BundleVersion::parse(one.version);
        if (version && std::ranges::all_of(wanted, [&](const Requirement* each) { return each->accepts(*version); }))
            return true;
    }
    return false;
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

InstalledRoots::InstalledRoots(const Resolution& resolution) : resolution_(resolution) {
    for (const ResolvedRequirement& root : resolution.roots)
        for (const ResolvedBundle& one : reduced_to(resolution, {root}).bundles)
            if (auto& roots = needing_[one.bundle]; roots.size() < kRootsNotedMax)
                roots.push_back(&root);
}

const std::vector<const ResolvedRequirement*>& InstalledRoots::that_need(const BundleId& bundle) const {
    return needing_.at(bundle);
}

bool InstalledRoots::may_be_game(const ResolvedRequirement& root) const {
    return root == resolution_.roots.front() && std::ranges::all_of(needing_, [&](const auto& one) {
               return *one.second.front() != root || one.second.size() == 1;
           });
}

std::string way_out(const InstalledRoots& installed, const RefusedBundle& refused,
                    const std::vector<ChannelBundle>& offered) {
    if (refused.may_be_replaced && is_replaceable(installed.resolution(), refused, offered))
        return "'fardel update' replaces it";
    std::string command = "'fardel remove";
    bool is_root = false;
    for (const ResolvedRequirement* root : installed.that_need(refused.bundle)) {
        command += " " + printable(root->requirement.name);
        is_root = is_root || root->bundle == refused.bundle;
    }
    return command + (is_root ? "' takes it out" : "' takes out what needs it");
}

Error explain_refusal(const InstalledRoots& installed, const RefusedBundle& refused,
                      const std::vector<ChannelBundle>& offered) {
    const std::string title = title_of(entry_of(installed.resolution(), refused.bundle));
    const Error named = title.empty() ? refused.reason : Error(refused.reason).with_context(title);
    return Error(named.code(), named.message() + "; " + way_out(installed, refused, offered));
}

Result<LeftOutPlan> plan_left_out(const InstalledRoots& installed, const std::vector<RefusedBundle>& refused,
                                  const std::vector<std::string>& needed, const std::vector<ChannelBundle>& offered) {
    const Resolution& resolution = installed.resolution();
    std::vector<ResolvedRequirement> roots = resolution.roots;
    LeftOutPlan plan;
    for (const RefusedBundle& one : refused) {
        const Error reason = explain_refusal(installed, one, offered);
        const auto& needing = installed.that_need(one.bundle);
        if (needing.size() != 1)
            return reason;
        const ResolvedRequirement& root = *needing.front();
        const bool is_needed = std::ranges::find(needed, root.requirement.name) != needed.end();
        if (is_needed || (root.bundle != one.bundle && installed.may_be_game(root)))
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
