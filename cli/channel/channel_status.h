// What a tree or a server has of a channel, who signed it, and what is wrong.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/channel.h>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

struct ChannelAddress {
    std::string address;  // of a tree; with a root, the URL of a tree on a server
    std::string name;
    std::string root;  // the file of a root that is known to be right; empty: the tree's own is believed
};

struct ChannelStatus {
    ChannelRoot root;
    std::optional<ChannelRelease> release;
    std::optional<ChannelHead> head;
    std::vector<std::string> root_signers, release_signers, head_signers;
    std::vector<Error> problems;
    std::vector<std::string> warnings;
};

// With a root, the server is asked as a client would that has only that root. Errors: those of open_tree, read_channel,
// ChannelUpdate, read_root_file and follow_channel; missing (no such channel), untrusted (the root is another's).
Result<ChannelStatus> read_channel_status(const ChannelAddress& channel, UnixTime now, std::stop_token stop);

}  // namespace fardel
