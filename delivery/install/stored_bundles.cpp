#include "install/stored_bundles.h"

#include <fardel/format/bundle.h>
#include <fardel/format/name.h>

#include <utility>

namespace fardel {

OpenResolved open_stored(const BundleStore& store, const TrustPolicy* policy, TrustTime time) {
    return [&store, policy, time](const BundleId& id) -> Result<std::shared_ptr<const Bundle>> {
        FARDEL_TRY_ASSIGN(auto source, store.open_bundle(id));
        return Bundle::open(std::move(source),
                            {.policy = policy, .time = time, .cache = {}, .label = "bundle " + id.hex()});
    };
}

Status verify_channel(const LockFile& lock, const std::string& path, const ChannelState& followed) {
    if (lock.channel == followed.name && lock.channel_id == followed.id)
        return ok();
    return Error(ErrorCode::conflict, printable(path) + " is for another channel than the one named " +
                                          printable(followed.name) +
                                          " that is followed here; one lock file has one channel");
}

}  // namespace fardel
