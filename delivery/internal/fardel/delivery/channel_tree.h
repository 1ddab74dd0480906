// The texts of a channel in a static tree, as its owner writes them. docs/channels.md says where they are.
//
// Whatever is written is accepted first by the rules of a client that has what the tree has (ChannelUpdate). One owner
// at a time: of two who write a head at once, one gets `conflict`.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/tree_target.h>
#include <fardel/format/channel.h>
#include <fardel/format/channel_update.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

std::string channel_root_path(std::string_view channel, std::uint64_t version);
std::string channel_release_path(std::string_view channel, const Hash& hash);
std::string channel_head_path(std::string_view channel);

// What the tree has: the newest root, and the head with its release.
struct ChannelInTree {
    ChannelFiles files;
    std::string head_version;  // TreeHead::version
};

// Returns nothing if the tree has no root of the channel. Errors: malformed (no name of a channel, or a wrong text),
// missing (a root or release that others name), limit, those of the target.
Result<std::optional<ChannelInTree>> read_channel(TreeTarget& tree, std::string_view channel);

// Publishes a root: the first one, or the next. Errors: those of ChannelUpdate, conflict (the channel exists), those of
// the target.
Status publish_channel_root(TreeTarget& tree, std::string_view file, std::uint64_t now_s, const PublishWork& work = {});

// Writes a release, which no client sees before a head names it. Errors: missing (the tree has no such channel), those
// of ChannelUpdate and of the target.
Status publish_channel_release(TreeTarget& tree, std::string_view file, std::uint64_t now_s,
                               const PublishWork& work = {});

// Replaces the head, whose release is in the tree. Errors: missing (the channel, or that release), conflict (another
// head was written meanwhile), those of ChannelUpdate and of the target.
Status publish_channel_head(TreeTarget& tree, std::string_view file, std::uint64_t now_s);

}  // namespace fardel
