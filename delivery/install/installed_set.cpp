// What a lock file names, without a network: read, and reduced.
#include "install/lock_pins.h"
#include "install/stored_bundles.h"
#include "install/wanted_set.h"

#include <fardel/delivery/install.h>
#include <fardel/delivery/refused_bundles.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

Error not_installed(const std::string& lock, const std::string& name) {
    return Error(ErrorCode::missing,
                 printable(lock) + ": " + printable(name) + " was not installed by name; 'fardel list' shows what was");
}

}  // namespace

std::string LeftOutBundle::text() const {
    return printable(name) + " " + printable(version) + " is left out: " + reason.message();
}

Result<InstalledSet> read_installed(const BundleStore& store, const std::string& lock, const ChannelSubject& channel,
                                    const InstalledUse& use) {
    FARDEL_TRY_ASSIGN(const LockFile locked, read_lock_file(lock));
    ChannelSubject subject = channel;
    if (subject.name.empty())
        subject.name = locked.channel;
    FARDEL_TRY_ASSIGN(const ChannelState state, accepted_channel(store, subject));
    FARDEL_TRY(verify_channel(locked, lock, state));
    for (const std::string& name : use.needed)
        if (std::ranges::none_of(locked.resolution.roots,
                                 [&](const ResolvedRequirement& root) { return root.requirement.name == name; }))
            return not_installed(lock, name);
    const auto refused =
        find_refused(store, locked.resolution, *state.policy, use.time, use.leave_out ? &use.licenses : nullptr);
    LeftOutPlan plan{.rest = locked.resolution, .left_out = {}};
    if (!refused.empty()) {
        const InstalledRoots roots(locked.resolution);
        if (!use.leave_out)
            return explain_refusal(roots, refused.front(), state.bundles);
        FARDEL_TRY_ASSIGN(plan, plan_left_out(roots, refused, use.needed, state.bundles));
    }
    FARDEL_TRY(verify_resolution(plan.rest, open_stored(store, state.policy.get(), use.time)));
    return InstalledSet{.channel = locked.channel,
                        .release = locked.release,
                        .bundles = installed_bundles(plan.rest),
                        .policy = state.policy,
                        .left_out = std::move(plan.left_out)};
}

Result<std::vector<InstalledBundle>> remove_installed(const BundleStore& store, const std::string& lock,
                                                      const std::vector<std::string>& names) {
    FARDEL_TRY_ASSIGN(LockFile locked, read_lock_file(lock));
    FARDEL_TRY(sync_pins(store, lock));  // an earlier removal may have been killed before it came to this
    std::vector<ResolvedRequirement> roots = locked.resolution.roots;
    for (const std::string& name : names)
        if (std::erase_if(roots, [&](const ResolvedRequirement& one) { return one.requirement.name == name; }) == 0)
            return not_installed(lock, name);
    const Resolution before = std::exchange(locked.resolution, reduced_to(locked.resolution, roots));
    FARDEL_TRY(write_lock_file(lock, locked));
    FARDEL_TRY(sync_pins(store, lock));
    return only_in(before, locked.resolution);
}

}  // namespace fardel
