// The authors of what is installed, by name: a lock file has them, and whoever else brings a bundle of such a name is
// not believed without a question.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/channel_follow.h>
#include <fardel/delivery/install.h>
#include <fardel/delivery/lock_file.h>
#include <fardel/store/bundle_store.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

class AuthorPins {
public:
    // `before`: what is installed. Where a lock file of before authors were written has none, the bundles in the store
    // say it, also if they are recalled now.
    AuthorPins(const BundleStore& store, const ChannelState& state, const std::optional<LockFile>& before);

    // Fills in the authors of the resolution: as the plan has them of what is going to be fetched, and the store of the
    // rest. Returns the names whose bundles are by others than before; of a name that is new, by others than its first
    // bundle in the resolution. Errors: those of opening bundles by the policy.
    Result<std::vector<AuthorChange>> read_authors(const FetchPlan& fetch, const TrustTime& time,
                                                   Resolution& resolution) const;

private:
    const BundleStore& store_;
    const ChannelState& state_;
    std::map<std::string, std::vector<PublicKey>> before_;  // by names as they are shown
    std::map<BundleId, PublicKey> pinned_;
};

}  // namespace fardel
