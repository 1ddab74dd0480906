// A channel whose release is mounted: which bundles, by which policy; and the recalls that come while bundles of a
// channel are mounted.
#pragma once

#include "bundles/mounts.h"
#include "bundles/server_option.h"
#include "channel/followed_channel.h"
#include "console/console.h"

#include <fardel/vfs/vfs.h>

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

// How it is followed meanwhile.
struct RecallWatch {
    ChannelSubject subject;
    ServerList servers;
    std::uint64_t every_s = 0;  // 0: not at all
    // What to do when there is a newer release.
    std::string newer_advice = "'fardel fetch --channel' brings it, and the next mount shows it";
};

// Adds the bundles of the accepted release to `words`, and sets the policy that they are mounted by. Says since when
// the channel is stale, and what is recalled. Errors: those of accepted_channel and choose_bundles.
Status plan_channel(const ChannelSubject& subject, std::vector<std::string>& words, MountingOptions& mounting,
                    Console& console);

// Asks the servers every so many seconds until it is stopped, withdraws what is recalled by then, whichever program
// has followed the channel, and says so.
void watch_recalls(const RecallWatch& watch, const std::string& store, Vfs& vfs, const std::stop_token& stop,
                   Console& console);

}  // namespace fardel
