#include <fardel/delivery/update_channel.h>

#include "channel/kept_channels.h"

#include <fardel/delivery/follow_channel.h>
#include <fardel/format/hash.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <span>
#include <utility>

namespace fardel {
namespace {

// ---- What was accepted ----------------------------------------------------------------------------------------------

KeptChannels kept_channels(const BundleStore& store, const ChannelSubject& subject) {
    return {store.path() + "/channels", subject.state_folder + "/channels"};
}

Result<ChannelRoot> parse_first_root(const ChannelSubject& subject) {
    FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(ChannelText::root, subject.root));
    FARDEL_TRY_ASSIGN(ChannelRoot root, parse_channel_root(text.body));
    FARDEL_TRY(verify_signers(ChannelText::root, text, root, root.root));
    if (root.channel != subject.name)
        return Error(ErrorCode::untrusted,
                     "the root is for channel " + in_quotes(root.channel) + ", not for " + in_quotes(subject.name));
    return root;
}

// What an update goes on from.
Result<ChannelFiles> find_accepted(const BundleStore& store, const ChannelSubject& subject) {
    const KeptChannels kept = kept_channels(store, subject);
    if (!subject.root.empty()) {
        FARDEL_TRY_ASSIGN(const ChannelRoot root, parse_first_root(subject));
        FARDEL_TRY_ASSIGN(auto found, kept.find(root.id));
        // A root that the user names does not set back what was accepted since, or old heads would count again.
        if (found && found->root.version >= root.version)
            return std::move(found->files);
        return ChannelFiles{.root = subject.root, .release = {}, .head = {}};
    }
    FARDEL_TRY_ASSIGN(auto found, kept.list(subject.name));
    if (found.empty())
        return Error(ErrorCode::missing, "channel " + in_quotes(subject.name) +
                                             " was never followed here; the first time, a root of it is needed");
    if (found.size() > 1)
        return Error(ErrorCode::conflict, "several channels named " + in_quotes(subject.name) +
                                              " are followed here; a root of one of them tells which is meant");
    return std::move(found.front().files);
}

// ---- States ---------------------------------------------------------------------------------------------------------

const std::string* find_recall(const std::vector<Revocation<BundleId>>& recalls, const BundleId& id) {
    const auto found = std::ranges::find(recalls, id, &Revocation<BundleId>::id);
    return found == recalls.end() ? nullptr : &found->reason;
}

template <class Id>
void append_once(std::vector<Revocation<Id>>& list, const std::vector<Revocation<Id>>& more) {
    for (const auto& one : more)
        if (std::ranges::find(list, one.id, &Revocation<Id>::id) == list.end())
            list.push_back(one);
}

Result<ChannelState> state_of(const ChannelUpdate& update, const TrustPolicy* own) {
    ChannelState state;
    state.name = update.root().channel;
    state.id = update.root().id;
    state.root_version = update.root().version;
    state.recalled_bundles = update.root().trust.revoked_bundles;
    state.recalled_keys = update.root().trust.revoked_keys;
    if (update.head()) {
        state.head_version = update.head()->version;
        state.fresh_until = std::min(update.head()->expires, update.root().expires);
    }
    if (const auto& release = update.release()) {
        state.release_version = release->version;
        state.release_hash = blake3(std::as_bytes(std::span(update.files().release)));
        append_once(state.recalled_bundles, release->recalled_bundles);
        append_once(state.recalled_keys, release->recalled_keys);
        for (const ReleasedBundle& one : release->bundles) {
            ChannelBundle bundle{.bundle = one.bundle,
                                 .name = one.name,
                                 .version = one.version.text(),
                                 .file_bytes = one.file_bytes,
                                 .recall = {}};
            if (const std::string* reason = find_recall(state.recalled_bundles, one.bundle))
                bundle.recall = *reason;
            state.bundles.push_back(std::move(bundle));
        }
    }
    FARDEL_TRY_ASSIGN(auto rules, channel_policy(update.root(), update.release()));
    if (rules)
        state.channel_policy = std::make_shared<const TrustPolicy>(*std::move(rules));
    FARDEL_TRY_ASSIGN(TrustPolicy policy, policy_for_follower(own, update.root(), update.release()));
    state.policy = std::make_shared<const TrustPolicy>(std::move(policy));
    return state;
}

// ---- What has changed -----------------------------------------------------------------------------------------------

template <class Id>
bool has_more(const std::vector<Revocation<Id>>& after, const std::vector<Revocation<Id>>& before) {
    return std::ranges::any_of(after, [&](const Revocation<Id>& one) {
        return std::ranges::find(before, one.id, &Revocation<Id>::id) == before.end();
    });
}

std::vector<ChannelBundle> usable_only_in(const ChannelState& state, const ChannelState& other) {
    std::vector<ChannelBundle> only;
    for (const ChannelBundle& one : state.bundles) {
        const auto same = std::ranges::find(other.bundles, one.bundle, &ChannelBundle::bundle);
        if (!one.recall && (same == other.bundles.end() || same->recall))
            only.push_back(one);
    }
    return only;
}

Result<UnixTime> time_of(const ChannelWork& work) {
    if (const auto now = work.time.now())
        return *now;
    return Error(ErrorCode::malformed, "a channel cannot be followed without regard to dates");
}

}  // namespace

Result<ChannelState> accepted_channel(const BundleStore& store, const ChannelSubject& subject) {
    FARDEL_TRY_ASSIGN(ChannelFiles files, find_accepted(store, subject));
    FARDEL_TRY_ASSIGN(const ChannelUpdate update, ChannelUpdate::begin(std::move(files), std::nullopt));
    return state_of(update, subject.policy.get());
}

Result<ChannelOutcome> update_channel(const BundleStore& store, const ChannelWork& work, const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const UnixTime now, time_of(work));
    FARDEL_TRY_ASSIGN(ChannelFiles accepted, find_accepted(store, work.subject));
    FARDEL_TRY_ASSIGN(const ChannelUpdate before, ChannelUpdate::begin(accepted, now));
    FollowOptions options{.trees = work.servers.urls(), .now = now, .connections = {}, .stop = stop};
    options.connections.servers = work.servers.rule();
    FARDEL_TRY_ASSIGN(FollowedChannel followed, follow_channel(std::move(accepted), options));
    const KeptChannels kept = kept_channels(store, work.subject);
    // Before anybody acts on it: a program that is killed after this line does not accept an older head the next time.
    FARDEL_TRY(kept.write(before.root().id, followed.update.files()));
    if (!followed.refused.empty())
        FARDEL_TRY(kept.write_evidence(before.root().id, followed.refused));

    ChannelOutcome outcome;
    FARDEL_TRY_ASSIGN(const ChannelState old, state_of(before, work.subject.policy.get()));
    FARDEL_TRY_ASSIGN(outcome.state, state_of(followed.update, work.subject.policy.get()));
    outcome.added = usable_only_in(outcome.state, old);
    outcome.removed = usable_only_in(old, outcome.state);
    outcome.has_new_recalls = has_more(outcome.state.recalled_bundles, old.recalled_bundles) ||
                              has_more(outcome.state.recalled_keys, old.recalled_keys);
    outcome.failure = std::move(followed.failure);
    outcome.received_bytes = followed.received_bytes;
    return outcome;
}

}  // namespace fardel
