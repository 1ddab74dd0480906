#include "publish/tree_channels.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/channel.h>
#include <fardel/format/hash.h>
#include <fardel/format/printable.h>

#include <set>
#include <span>
#include <utility>

namespace fardel {
namespace {

std::string release_text(const ChannelHead& head) { return "release " + std::to_string(head.release_version); }

Result<ChannelHead> read_head(TreeTarget& tree, const std::string& path, const std::string& channel) {
    FARDEL_TRY_ASSIGN(const std::string file, read_tree_text(tree, path, channel_file_bytes_max(ChannelText::head)));
    FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(ChannelText::head, file));
    FARDEL_TRY_ASSIGN(ChannelHead head, parse_channel_head(text.body));
    if (head.channel != channel)
        return Error(ErrorCode::malformed, "it is the head of channel " + printable(head.channel));
    return head;
}

// The release has exactly the bytes that the head names.
Result<NamedRelease> read_release(TreeTarget& tree, const ChannelHead& head) {
    NamedRelease named{.channel = head.channel,
                       .version = head.release_version,
                       .path = channel_release_path(head.channel, head.release_hash),
                       .bundles = {}};
    auto file = read_tree_text(tree, named.path, channel_file_bytes_max(ChannelText::release));
    if (!file && file.error().code() == ErrorCode::missing)
        return Error(ErrorCode::unresolved, "the tree does not have " + release_text(head) + ", which it names");
    if (!file)
        return std::move(file).error();
    if (blake3(std::as_bytes(std::span(*file))) != head.release_hash)
        return Error(ErrorCode::corrupt, release_text(head) + " has other bytes than those that the head names");
    FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(ChannelText::release, *file));
    FARDEL_TRY_ASSIGN(const ChannelRelease release, parse_channel_release(text.body));
    if (release.channel != head.channel || release.version != head.release_version)
        return Error(ErrorCode::conflict, "the head says " + release_text(head) + " of its channel, and the text is " +
                                              std::to_string(release.version) + " of " + printable(release.channel));
    named.bundles = release.bundles;
    return named;
}

Result<NamedRelease> read_newest(TreeTarget& tree, const std::string& path, const std::string& channel) {
    auto head = read_head(tree, path, channel);
    if (!head)
        return std::move(head).error().with_context(path);
    auto release = read_release(tree, *head);
    if (!release)
        return std::move(release).error().with_context(path);
    return release;
}

}  // namespace

Result<TreeChannels> read_tree_channels(TreeTarget& tree) {
    FARDEL_TRY_ASSIGN(auto files, tree.list_below(std::string(kChannelsFolder)));
    TreeChannels channels;
    std::set<std::string> with_head;
    for (TreeFile& file : files) {
        if (const auto channel = find_channel_of_head(file.path)) {
            FARDEL_TRY_ASSIGN(NamedRelease newest, read_newest(tree, file.path, *channel));
            channels.newest.push_back(std::move(newest));
            with_head.insert(*channel);
        } else if (find_channel_of_release(file.path) || find_channel_of_requirements(file.path)) {
            channels.releases.push_back(std::move(file));
        }
    }
    // Without a head, nobody knows which release counts, and a prune would remove what the channel's clients need.
    for (const TreeFile& release : channels.releases)
        if (const auto channel = find_channel_of_release(release.path); channel && !with_head.contains(*channel))
            return Error(ErrorCode::unresolved, channel_head_path(*channel) +
                                                    ": there is no such head, but releases of the channel; publish "
                                                    "its head first, or remove the folder of the channel");
    return channels;
}

}  // namespace fardel
