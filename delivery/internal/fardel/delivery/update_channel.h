// update_channel: what a ChannelFollow does, on the caller's thread.
#pragma once

#include <fardel/delivery/channel_follow.h>

#include <stop_token>

namespace fardel {

// Errors: those of ChannelFollow::outcome.
Result<ChannelOutcome> update_channel(const BundleStore& store, const ChannelWork& work, const std::stop_token& stop);

}  // namespace fardel
