#include <fardel/hosting/channel_tree.h>

#include "channel/publish_needs.h"

#include <fardel/base/fits.h>
#include <fardel/base/text_fields.h>
#include <fardel/delivery/first_contact.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>
#include <fardel/format/shown_date.h>
#include <fardel/hosting/channel_dates.h>
#include <fardel/hosting/prune.h>

#include <algorithm>

namespace fardel {
namespace {

Hash hash_of_file(std::string_view file) { return blake3(std::as_bytes(std::span(file))); }

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the highest version of a root in the tree; nothing if it has none.
Result<std::optional<std::uint64_t>> find_last_root(TreeTarget& tree, std::string_view channel) {
    const std::string folder = channel_roots_folder(channel);
    FARDEL_TRY_ASSIGN(const auto files, tree.list(folder));
    std::optional<std::uint64_t> last;
    for (const TreeFile& file : files)
        if (const auto version = parse_decimal(std::string_view(file.path).substr(folder.size() + 1), UINT64_MAX))
            last = std::max(last.value_or(0), *version);
    return last;
}

bool is_signed(ChannelText kind, const std::string& file, const ChannelRoot& root) {
    const auto text = parse_signed_text(kind, file);
    return text && verify_signers(kind, *text, root, root.role(kind));
}

Result<ChannelInTree> find_existing(TreeTarget& tree, const std::string& channel) {
    FARDEL_TRY_ASSIGN(auto there, read_channel(tree, channel));
    if (!there)
        return Error(ErrorCode::missing,
                     tree.name() + " has no channel " + printable(channel) + "; publish its first root before");
    return std::move(*there);
}

template <class Value>
Result<std::string> channel_named_in(Result<Value> (*parse)(std::string_view), ChannelText kind,
                                     std::string_view file) {
    FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(kind, file));
    FARDEL_TRY_ASSIGN(const Value value, parse(text.body));
    return value.channel;
}

Status put_text(TreeTarget& tree, const std::string& path, std::string_view file, const PublishWork& work) {
    const auto source =
        make_memory_source({std::as_bytes(std::span(file)).begin(), std::as_bytes(std::span(file)).end()});
    FARDEL_TRY(tree.put(path, *source, work));
    return ok();
}

std::vector<BundleId> bundles_of(const ChannelRelease& release) {
    std::vector<BundleId> ids;
    for (const ReleasedBundle& bundle : release.bundles)
        ids.push_back(bundle.bundle);
    return ids;
}

// As ChannelUpdate::add_head, whose sentences are for players: what a publisher can do.
Status verify_dates(const ChannelUpdate& update, std::string_view file, UnixTime now) {
    const ChannelRoot& root = update.root();
    if (root.expires <= now)
        return Error(ErrorCode::expired, "root " + std::to_string(root.version) + " of " + printable(root.channel) +
                                             " expired on " + shown_date(root.expires) +
                                             "; make the next one with 'fardel channel rotate'");
    FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(ChannelText::head, file));
    FARDEL_TRY_ASSIGN(const ChannelHead head, parse_channel_head(text.body));
    if (head.expires <= now)
        return Error(ErrorCode::expired, "head " + std::to_string(head.version) + " of " + printable(head.channel) +
                                             " expired on " + shown_date(head.expires) +
                                             "; make another one with 'fardel channel head'");
    if (update.head() && head.version < update.head()->version)
        return ok();  // a rollback, which add_head says
    return verify_not_behind(update.head(), now, head.expires - now);
}

constexpr int kChannelListAttemptsMax = 10;

// So that who has only the address of the tree finds its channels.
Status list_channel(TreeTarget& tree, const std::string& channel) {
    const std::string path(kChannelListPath);
    for (int attempt = 1;; ++attempt) {
        FARDEL_TRY_ASSIGN(const auto there, tree.find_head(path));
        std::vector<std::string> channels;
        if (there) {
            auto listed = parse_channel_list(text_of(there->bytes));
            if (!listed)
                return std::move(listed).error().with_context(tree.name() + ", " + path);
            channels = *std::move(listed);
        }
        const auto at = std::ranges::lower_bound(channels, channel);
        if (at != channels.end() && *at == channel)
            return ok();
        channels.insert(at, channel);
        const std::string text = format_channel_list(channels);
        if (text.size() > kChannelListBytesMax)
            return ok();  // a tree of thousands of channels has no use for it
        Status replaced = tree.replace_head(path, std::as_bytes(std::span(text)), there ? there->version : "");
        // Another publisher was quicker.
        if (replaced || replaced.error().code() != ErrorCode::conflict || attempt == kChannelListAttemptsMax)
            return replaced;
    }
}

Status write_head(TreeTarget& tree, std::string_view file, const std::string& channel, const ChannelInTree& before) {
    return tree.replace_head(channel_head_path(channel), std::as_bytes(std::span(file)), before.head_version);
}

}  // namespace

Result<std::optional<ChannelInTree>> read_channel(TreeTarget& tree, std::string_view channel) {
    FARDEL_TRY_ASSIGN(const auto last, find_last_root(tree, channel));
    if (!last)
        return std::optional<ChannelInTree>();
    ChannelInTree there;
    FARDEL_TRY_ASSIGN(there.files.root, read_tree_text(tree, channel_root_path(channel, *last),
                                                       channel_file_bytes_max(ChannelText::root)));
    FARDEL_TRY_ASSIGN(const auto head, tree.find_head(channel_head_path(channel)));
    if (!head)
        return std::optional(std::move(there));
    there.head_version = head->version;
    there.files.head = text_of(head->bytes);
    FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(ChannelText::head, there.files.head));
    FARDEL_TRY_ASSIGN(const ChannelHead parsed, parse_channel_head(text.body));
    FARDEL_TRY_ASSIGN(there.files.release, read_tree_text(tree, channel_release_path(channel, parsed.release_hash),
                                                          channel_file_bytes_max(ChannelText::release)));
    return std::optional(std::move(there));
}

Result<ChannelUpdate> begin_in_tree(ChannelFiles files, UnixTime now) {
    FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(ChannelText::root, files.root));
    FARDEL_TRY_ASSIGN(const ChannelRoot root, parse_channel_root(text.body));
    if (!files.release.empty() && !is_signed(ChannelText::release, files.release, root)) {
        files.release.clear();
        files.head.clear();
    }
    if (!files.head.empty() && !is_signed(ChannelText::head, files.head, root))
        files.head.clear();
    return ChannelUpdate::begin(std::move(files), now);
}

Result<std::optional<ReleaseInTree>> find_newest_release(TreeTarget& tree, const ChannelUpdate& update) {
    // All releases are read, since a pointer to the newest one could be wrong: only signatures say which is newer.
    const std::string folder = channel_releases_folder(update.root().channel);
    FARDEL_TRY_ASSIGN(const auto files, tree.list(folder));
    if (files.size() > kTreeReleasesMax)
        return Error(ErrorCode::limit, folder + " has more than " + std::to_string(kTreeReleasesMax) + " releases");
    std::optional<ReleaseInTree> newest;
    for (const TreeFile& one : files) {
        // A registry keeps some releases, each as long as all that strangers have brought.
        const auto version = update.release() ? find_release_version(tree, one.path) : std::nullopt;
        if (version && *version < update.release()->version)
            continue;
        auto file = read_tree_text(tree, one.path, channel_file_bytes_max(ChannelText::release));
        if (!file && file.error().code() != ErrorCode::limit)
            return std::move(file).error();
        if (!file || !update.verify_release(*file))
            continue;  // of former keys, or older than the accepted one
        FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(ChannelText::release, *file));
        FARDEL_TRY_ASSIGN(ChannelRelease release, parse_channel_release(text.body));
        if (newest && newest->release.version == release.version && newest->release != release)
            return Error(ErrorCode::conflict, tree.name() + " has two releases " + std::to_string(release.version) +
                                                  " of channel " + printable(update.root().channel) +
                                                  "; remove the wrong one, which no head names");
        if (!newest || newest->release.version < release.version)
            newest = ReleaseInTree{*std::move(file), std::move(release)};
    }
    return newest;
}

std::optional<std::uint64_t> find_release_version(TreeTarget& tree, const std::string& path) {
    constexpr std::string_view kVersion = "version ";
    constexpr std::size_t kFirstLinesBytes = 512;  // more than the longest name of a channel
    const auto source = tree.open(path);
    if (!source)
        return std::nullopt;
    std::string text(in_memory(std::min<std::uint64_t>(kFirstLinesBytes, (*source)->size_bytes())), '\0');
    if (!(*source)->read_at(0, std::as_writable_bytes(std::span(text))))
        return std::nullopt;
    std::string_view rest = text;
    read_until(rest, '\n');  // the title
    read_until(rest, '\n');  // the channel
    const std::string_view line = read_until(rest, '\n');
    return line.starts_with(kVersion) ? parse_decimal(line.substr(kVersion.size()), kChannelNumberMax) : std::nullopt;
}

Status publish_channel_root(TreeTarget& tree, std::string_view file, UnixTime now, const PublishWork& work) {
    FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(ChannelText::root, file));
    FARDEL_TRY_ASSIGN(const ChannelRoot root, parse_channel_root(text.body));
    FARDEL_TRY(verify_signers(ChannelText::root, text, root, root.root));
    if (root.expires <= now)
        return Error(ErrorCode::expired, "the root has expired before it is published");
    FARDEL_TRY_ASSIGN(const auto there, read_channel(tree, root.channel));
    if (!there && root.version != 1)
        return Error(ErrorCode::missing,
                     tree.name() + " has no root of channel " + printable(root.channel) + "; publish root 1 first");
    if (there) {
        FARDEL_TRY_ASSIGN(ChannelUpdate update, ChannelUpdate::begin(there->files, now));
        if (there->files.root != file)
            FARDEL_TRY(update.add_root(file));
    }
    FARDEL_TRY(put_text(tree, channel_root_path(root.channel, root.version), file, work));
    return list_channel(tree, root.channel);
}

Status publish_channel_release(TreeTarget& tree, std::string_view file, UnixTime now, const PublishWork& work) {
    FARDEL_TRY_ASSIGN(const std::string channel, channel_named_in(parse_channel_release, ChannelText::release, file));
    FARDEL_TRY_ASSIGN(ChannelInTree there, find_existing(tree, channel));
    FARDEL_TRY_ASSIGN(const ChannelUpdate update, begin_in_tree(std::move(there.files), now));
    FARDEL_TRY(update.verify_release(file));
    FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(ChannelText::release, file));
    FARDEL_TRY_ASSIGN(const ChannelRelease release, parse_channel_release(text.body));
    FARDEL_TRY_ASSIGN(const std::string needs, make_release_needs(tree, release, find_known_needs(tree, update)));
    return publish_channel_release(tree, file, needs, now, work);
}

Status publish_channel_release(TreeTarget& tree, std::string_view file, const std::string& needs, UnixTime now,
                               const PublishWork& work) {
    FARDEL_TRY_ASSIGN(const std::string channel, channel_named_in(parse_channel_release, ChannelText::release, file));
    FARDEL_TRY_ASSIGN(ChannelInTree there, find_existing(tree, channel));
    FARDEL_TRY_ASSIGN(const ChannelUpdate update, begin_in_tree(std::move(there.files), now));
    FARDEL_TRY(update.verify_release(file));
    // Before the release: who sees a release can resolve what its bundles need.
    FARDEL_TRY(put_text(tree, channel_requirements_path(channel, hash_of_file(file)), needs, work));
    return put_text(tree, channel_release_path(channel, hash_of_file(file)), file, work);
}

Status publish_channel_head(TreeTarget& tree, std::string_view file, UnixTime now) {
    FARDEL_TRY_ASSIGN(const std::string channel, channel_named_in(parse_channel_head, ChannelText::head, file));
    FARDEL_TRY_ASSIGN(ChannelInTree there, find_existing(tree, channel));
    FARDEL_TRY_ASSIGN(ChannelUpdate update, begin_in_tree(std::move(there.files), now));
    FARDEL_TRY(verify_dates(update, file, now));
    FARDEL_TRY(update.add_head(file));
    const auto wanted = update.wanted_release();
    if (!wanted)
        return write_head(tree, file, channel, there);
    const std::string path = channel_release_path(channel, wanted->hash);
    auto release = read_tree_text(tree, path, channel_file_bytes_max(ChannelText::release));
    if (!release)
        return std::move(release).error().with_context("the release that the head names");
    FARDEL_TRY(update.add_release(*release));
    // Before, so that a prune which has announced to remove something is seen; afterwards, because one may have looked
    // for heads before this one was there.
    const std::vector<BundleId> bundles = bundles_of(*update.release());
    FARDEL_TRY(revive_release(tree, path, bundles, now));
    FARDEL_TRY(write_head(tree, file, channel, there));
    return revive_release(tree, path, bundles, now);
}

}  // namespace fardel
