// A lock file whose bundles are mounted.
#pragma once

#include "bundles/mounts.h"
#include "console/command_line.h"
#include "console/console.h"

#include <fardel/base/result.h>
#include <fardel/delivery/channel_follow.h>

#include <string>
#include <vector>

namespace fardel {

struct LockChoice {
    std::string path;                 // empty: none
    bool strict = false;              // the first refused bundle is an error
    std::vector<std::string> needed;  // names that are not left out
};
void add_lock_options(CommandLine& line, LockChoice& choice);

// Adds the bundles of the lock file to `words`, in their order, what the requirements of each mean, and the policy of
// the channel, with all recalls that were accepted. The bundles are compared with the lock file. `mounting.policy_path`
// counts, too. Says what is left out because the policy refuses it. Returns the channel as its recalls are followed.
// Errors: those of read_installed.
Result<ChannelSubject> plan_lock(const LockChoice& choice, std::vector<std::string>& words, MountingOptions& mounting,
                                 Console& console);

}  // namespace fardel
