#include "install/mounted_lock.h"

#include "bundles/store_option.h"
#include "channel/followed_channel.h"
#include "install/lock_option.h"

#include <fardel/format/name.h>

namespace fardel {

Status plan_lock(const std::string& path, std::vector<std::string>& words, MountingOptions& mounting) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(mounting.store, false));
    FARDEL_TRY_ASSIGN(LockFile lock, read_lock_file(path));
    FARDEL_TRY_ASSIGN(auto own, find_policy(mounting.policy_path));
    FARDEL_TRY_ASSIGN(const ChannelSubject subject, subject_of({.name = lock.channel, .root = {}}, std::move(own)));
    FARDEL_TRY_ASSIGN(const ChannelState state, accepted_channel(store, subject));
    if (state.id != lock.channel_id)
        return Error(ErrorCode::conflict, printable(path) + ": it is of another channel " + printable(lock.channel) +
                                              " than the one that is followed here");
    FARDEL_TRY(verify_resolution(lock.resolution, open_stored(store, state.policy.get())));
    for (const ResolvedBundle& one : lock.resolution.bundles) {
        words.push_back(one.bundle.hex());
        for (const ResolvedRequirement& wanted : one.requirements)
            mounting.resolved[one.bundle].push_back(wanted.bundle);
    }
    mounting.policy = state.policy;
    mounting.require_dependencies = true;
    return ok();
}

}  // namespace fardel
