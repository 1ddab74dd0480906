// Follows a channel: brings its newer texts from servers. docs/channels.md, "Following a channel".
//
// Servers are untrusted. What was accepted before stays whatever they do.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/channel_update.h>
#include <fardel/http/range_client.h>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

struct FollowOptions {
    // URLs of static trees with the channel. All are asked for the head, and the newest one counts; for the rest, the
    // next one is asked if one fails.
    std::vector<std::string> trees;
    UnixTime now;
    RangeClientOptions connections;
    std::stop_token stop;
};

struct FollowedChannel {
    ChannelUpdate update;          // what is accepted now: keep its files before anything newer is used
    std::optional<Error> failure;  // why nothing newer was accepted, or not all
    std::string refused;           // a head that contradicts an accepted text of the same version; otherwise empty
    std::uint64_t received_bytes = 0;
};

// `accepted` has at least a root. Errors: those of ChannelUpdate::begin; malformed (a URL), missing (libcurl is not
// installed), cancelled. Everything else is FollowedChannel::failure.
Result<FollowedChannel> follow_channel(ChannelFiles accepted, const FollowOptions& options);

}  // namespace fardel
