#include <fardel/hosting/channel_change.h>

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/bundle.h>
#include <fardel/format/bundle_use.h>
#include <fardel/format/hash.h>
#include <fardel/format/later_signatures.h>
#include <fardel/format/name.h>
#include <fardel/hosting/channel_dates.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/published_signatures.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

// ---- What changes in a release --------------------------------------------------------------------------------------

Status remove_named(ChannelRelease& release, const std::vector<std::string>& names) {
    for (const std::string& name : names)
        if (std::erase_if(release.bundles, [&](const ReleasedBundle& one) { return one.name == name; }) == 0)
            return Error(ErrorCode::missing, "release " + std::to_string(release.version - 1) +
                                                 " has no bundle named " + printable(name) + " to remove");
    return ok();
}

template <class Id>
void add_recall(std::vector<Revocation<Id>>& recalls, const Revocation<Id>& recall) {
    const auto at = std::ranges::lower_bound(recalls, recall.id, {}, &Revocation<Id>::id);
    if (at == recalls.end() || at->id != recall.id)
        recalls.insert(at, recall);
}

// What is recalled is not listed any more.
Status recall(ChannelRelease& release, const ChannelChange& change) {
    for (const Revocation<BundleId>& one : change.recalled_bundles) {
        add_recall(release.recalled_bundles, one);
        std::erase_if(release.bundles, [&](const ReleasedBundle& listed) { return listed.bundle == one.id; });
    }
    for (const Revocation<PublicKey>& one : change.recalled_keys)
        add_recall(release.recalled_keys, one);
    for (const BundleId& id : change.restored)
        if (std::erase_if(release.recalled_bundles, [&](const auto& one) { return one.id == id; }) == 0)
            return Error(ErrorCode::missing, "no recall of " + id.hex() + " can be taken back");
    return ok();
}

std::string title_of(const ReleasedBundle& bundle) { return printable(bundle.name) + " " + bundle.version.text(); }

Status add_bundles(ChannelRelease& release, const ChannelChange& change) {
    for (const ReleasedBundle& one : change.added) {
        const auto recalled = std::ranges::find(release.recalled_bundles, one.bundle, &Revocation<BundleId>::id);
        if (recalled != release.recalled_bundles.end())
            return Error(ErrorCode::revoked, title_of(one) + ": it has been recalled: " + printable(recalled->reason));
        std::erase_if(release.bundles, [&](const ReleasedBundle& old) {
            return old.name == one.name &&
                   (change.older_versions == OlderVersions::replaced || old.bundle == one.bundle);
        });
    }
    release.bundles.insert(release.bundles.end(), change.added.begin(), change.added.end());
    const auto name_and_version = [](const ReleasedBundle& one) {
        return std::pair<std::string_view, std::string_view>(one.name, one.version.text());
    };
    std::ranges::sort(release.bundles, {}, name_and_version);
    const auto twice = std::ranges::adjacent_find(release.bundles, {}, name_and_version);
    if (twice != release.bundles.end())
        return Error(ErrorCode::conflict, title_of(*twice) + ": two bundles of the release have this name and version");
    return ok();
}

Result<std::string> text_in(const Bundle& bundle, std::string_view key) {
    FARDEL_TRY_ASSIGN(const auto text, bundle.find_bundle_text(key));
    return std::string(text.value_or(std::string_view()));
}

}  // namespace

// ---- The next texts -------------------------------------------------------------------------------------------------

Status verify_number_left(ChannelText kind, std::uint64_t version, const ChannelRoot& root) {
    if (version < kChannelNumberMax)
        return ok();
    const std::string name(channel_text_name(kind));
    return Error(ErrorCode::limit, "channel " + printable(root.channel) + ": its " + name +
                                       " has the highest version that there is, so nothing can follow it: somebody "
                                       "else has a " +
                                       name + " key. Replace the " + name + " keys: fardel channel rotate");
}

Result<ChannelRelease> next_release(const std::optional<ReleaseInTree>& before, const ChannelRoot& root,
                                    const ChannelChange& change, UnixTime now) {
    if (before)
        FARDEL_TRY(verify_number_left(ChannelText::release, before->release.version, root));
    ChannelRelease release = before ? before->release : ChannelRelease();
    release.channel = root.channel;
    release.version = before ? before->release.version + 1 : 1;
    release.created = now;
    if (change.epoch != 0)
        release.epoch = change.epoch;
    // Also if no head names the release before yet: somebody may make one at any time.
    if (before &&
        (release.epoch < before->release.epoch || (!change.restored.empty() && release.epoch == before->release.epoch)))
        return Error(ErrorCode::rollback, "release " + std::to_string(before->release.version) + " has epoch " +
                                              std::to_string(before->release.epoch) +
                                              ", which never falls; a recall is taken back with a higher one");
    // Recalls come before additions, so that one change cannot add what it recalls.
    FARDEL_TRY(remove_named(release, change.removed));
    FARDEL_TRY(recall(release, change));
    FARDEL_TRY(add_bundles(release, change));
    return release;
}

Result<ChannelHead> next_head(const ChannelUpdate& update, const ReleaseInTree& newest, UnixTime now,
                              std::uint64_t life_s) {
    if (update.head())
        FARDEL_TRY(verify_number_left(ChannelText::head, update.head()->version, update.root()));
    FARDEL_TRY(verify_not_behind(update.head(), now, life_s));
    ChannelHead head;
    head.channel = update.root().channel;
    head.version = update.head() ? update.head()->version + 1 : 1;
    head.created = now;
    head.expires = now + life_s;
    head.root_version = update.root().version;
    head.release_version = newest.release.version;
    head.release_bytes = newest.file.size();
    head.release_hash = blake3(std::as_bytes(std::span(newest.file)));
    return head;
}

// ---- What a release may name ----------------------------------------------------------------------------------------

namespace {

// With the signatures that came later, which clients ask for, too, if the policy refuses those of the file.
Result<std::shared_ptr<const Bundle>> open_as_followers(TreeTarget& tree,
                                                        const std::shared_ptr<const ByteSource>& source,
                                                        const TrustPolicy& policy, const TrustTime& time,
                                                        const std::string& label) {
    auto opened = Bundle::open(source, {.policy = &policy, .time = time, .cache = {}, .label = label});
    const auto plain =
        opened ? opened : Bundle::open(source, {.policy = nullptr, .time = {}, .cache = {}, .label = label});
    if (opened || !plain)
        return opened;
    FARDEL_TRY_ASSIGN(const PublishedSignatures there, read_published_signatures(tree, (*plain)->id()));
    FARDEL_TRY_ASSIGN(auto accepted, accept_later(**plain, there.later, policy, time));
    if (!accepted)
        return opened;
    return std::move(accepted->bundle);
}

}  // namespace

Result<BundleToRelease> find_bundle_to_release(TreeTarget& tree, const BundleId& bundle, const TrustPolicy& policy,
                                               UnixTime now, const std::string& label) {
    auto source = tree.open(tree_path_of(bundle));
    if (!source && source.error().code() == ErrorCode::missing)
        return Error(ErrorCode::missing,
                     label + ": " + tree.name() + " does not have this bundle; 'fardel publish' brings it");
    if (!source)
        return std::move(source).error();
    const TrustTime time = TrustTime::at(now);
    FARDEL_TRY_ASSIGN(const auto opened, open_as_followers(tree, *source, policy, time, label));
    if (opened->id() != bundle)
        return Error(ErrorCode::corrupt, label + ": " + tree.name() + " has another bundle under its name");
    FARDEL_TRY(verify_content_use(*opened, &policy, time));
    BundleToRelease found;
    ReleasedBundle& released = found.bundle;
    released.bundle = bundle;
    released.file_bytes = (*source)->size_bytes();
    if (opened->verdict().statement && !opened->verdict().tainted)
        released.epoch = opened->verdict().statement->epoch;
    FARDEL_TRY_ASSIGN(released.name, text_in(*opened, "name"));
    FARDEL_TRY_ASSIGN(const std::string version, text_in(*opened, "version"));
    FARDEL_TRY_ASSIGN(released.version, BundleVersion::parse(version));
    if (released.name.empty() || released.version.empty())
        return Error(ErrorCode::unresolved,
                     label + ": a released bundle has a name and a version; pack it with --name and --version");
    FARDEL_TRY_ASSIGN(const HiddenNames hidden, find_hidden_names(*opened, opened->verdict().rule));
    if (hidden.count != 0)
        found.remarks.push_back(label + ": " + hidden.describe());
    return found;
}

}  // namespace fardel
