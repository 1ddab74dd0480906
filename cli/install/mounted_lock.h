// A lock file whose bundles are mounted.
#pragma once

#include "bundles/mounts.h"

#include <fardel/base/result.h>
#include <fardel/delivery/channel_follow.h>

#include <string>
#include <vector>

namespace fardel {

// Adds the bundles of the lock file to `words`, in their order, what the requirements of each mean, and the policy of
// the channel, with all recalls that were accepted. The bundles are compared with the lock file. `mounting.policy_path`
// counts, too. Returns the channel as its recalls are followed. Errors: those of read_installed.
Result<ChannelSubject> plan_lock(const std::string& path, std::vector<std::string>& words, MountingOptions& mounting);

}  // namespace fardel
