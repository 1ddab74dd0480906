// What a lock file names, without a network: read, and reduced.
#include "install/lock_pins.h"
#include "install/stored_bundles.h"
#include "install/wanted_set.h"

#include <fardel/delivery/install.h>
#include <fardel/format/name.h>

#include <utility>

namespace fardel {

Result<InstalledSet> read_installed(const BundleStore& store, const std::string& lock, const ChannelSubject& channel,
                                    const TrustTime& time) {
    FARDEL_TRY_ASSIGN(LockFile locked, read_lock_file(lock));
    ChannelSubject subject = channel;
    if (subject.name.empty())
        subject.name = locked.channel;
    FARDEL_TRY_ASSIGN(const ChannelState state, accepted_channel(store, subject));
    FARDEL_TRY(verify_channel(locked, lock, state));
    if (const Status verified = verify_resolution(locked.resolution, open_stored(store, state.policy.get(), time));
        !verified)
        return verified.error().code() == ErrorCode::revoked
                   ? Error(ErrorCode::revoked, verified.error().message() + "; 'fardel update' replaces it")
                   : verified.error();
    return InstalledSet{.channel = locked.channel,
                        .release = locked.release,
                        .bundles = installed_bundles(locked.resolution),
                        .policy = state.policy};
}

Result<std::vector<InstalledBundle>> remove_installed(const BundleStore& store, const std::string& lock,
                                                      const std::vector<std::string>& names) {
    FARDEL_TRY_ASSIGN(LockFile locked, read_lock_file(lock));
    FARDEL_TRY(sync_pins(store, lock));  // an earlier removal may have been killed before it came to this
    std::vector<ResolvedRequirement> roots = locked.resolution.roots;
    for (const std::string& name : names)
        if (std::erase_if(roots, [&](const ResolvedRequirement& one) { return one.requirement.name == name; }) == 0)
            return Error(ErrorCode::missing, printable(lock) + ": " + printable(name) +
                                                 " was not installed by name; 'fardel list' shows what was");
    const Resolution before = std::exchange(locked.resolution, reduced_to(locked.resolution, roots));
    FARDEL_TRY(write_lock_file(lock, locked));
    FARDEL_TRY(sync_pins(store, lock));
    return only_in(before, locked.resolution);
}

}  // namespace fardel
