// The texts of a channel in a static tree, as its owner writes them. docs/channels.md says where they are.
//
// Whatever is written is accepted first by the rules of a client that has what the tree has (ChannelUpdate). One owner
// at a time: of two who write a head at once, one gets `conflict`. What a new head names is no longer condemned.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/channel.h>
#include <fardel/format/channel_update.h>
#include <fardel/hosting/tree_target.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

// What the tree has: the newest root, and the head with its release.
struct ChannelInTree {
    ChannelFiles files;
    std::string head_version;  // TreeHead::version
};

// Returns nothing if the tree has no root of the channel. Errors: malformed (no name of a channel, or a wrong text),
// missing (a root or release that others name), limit, those of the target.
Result<std::optional<ChannelInTree>> read_channel(TreeTarget& tree, std::string_view channel);

// Begins an update from these files as a client does that has the tree's newest root: what only former keys have signed
// does not count any more. Errors: those of ChannelUpdate::begin.
Result<ChannelUpdate> begin_in_tree(ChannelFiles files, UnixTime now);

struct ReleaseInTree {
    std::string file;
    ChannelRelease release;
};
// Returns the release with the highest version that a head may name after what `update` has accepted, that one
// included; nothing if there is none. Reads all releases of the tree. Errors: conflict (two of them have the same
// version), limit (more than kTreeReleasesMax), those of the target.
Result<std::optional<ReleaseInTree>> find_newest_release(TreeTarget& tree, const ChannelUpdate& update);
inline constexpr std::size_t kTreeReleasesMax = 10'000;

// The version that the file of a release gives, from its first lines: a release with less than an accepted one has is
// older, whatever else it says. Nothing if there is no such file, or no such line.
std::optional<std::uint64_t> find_release_version(TreeTarget& tree, const std::string& path);

// Publishes a root: the first one, or the next. Errors: those of ChannelUpdate, conflict (the channel exists), those of
// the target.
Status publish_channel_root(TreeTarget& tree, std::string_view file, UnixTime now, const PublishWork& work = {});

// Writes a release, which no client sees before a head names it, and what its bundles need. Errors: missing (the tree
// has no such channel), malformed (a bundle requires something that is no requirement), those of ChannelUpdate
// and of the target.
Status publish_channel_release(TreeTarget& tree, std::string_view file, UnixTime now, const PublishWork& work = {});
// The same for who has made the text about what its bundles need.
Status publish_channel_release(TreeTarget& tree, std::string_view file, const std::string& needs, UnixTime now,
                               const PublishWork& work = {});

// Replaces the head, whose release is in the tree. Errors: missing (the channel, or that release), conflict (another
// head was written meanwhile), busy (a prune is removing what the release names), those of ChannelUpdate and of the
// target.
Status publish_channel_head(TreeTarget& tree, std::string_view file, UnixTime now);

}  // namespace fardel
