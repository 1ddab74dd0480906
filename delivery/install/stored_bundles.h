// What installing needs of a store and of a channel that is followed.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/channel_follow.h>
#include <fardel/delivery/lock_file.h>
#include <fardel/store/bundle_store.h>

#include <string>

namespace fardel {

// Opens stored bundles, as the policy accepts them at that time. Borrows both.
OpenResolved open_stored(const BundleStore& store, const TrustPolicy* policy, TrustTime time);

// Error: conflict (the lock file is for another channel).
Status verify_channel(const LockFile& lock, const std::string& path, const ChannelState& followed);

}  // namespace fardel
