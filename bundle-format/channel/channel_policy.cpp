// What a channel means for the policies by which bundles are judged. docs/channels.md, "Recall a bundle".
#include <fardel/format/channel_update.h>

namespace fardel {
namespace {

void add_recalls(TrustRules& rules, const ChannelRoot& root, const std::optional<ChannelRelease>& release) {
    const auto append = [](auto& list, const auto& more) { list.insert(list.end(), more.begin(), more.end()); };
    append(rules.revoked_keys, root.trust.revoked_keys);
    append(rules.revoked_bundles, root.trust.revoked_bundles);
    if (release) {
        append(rules.revoked_keys, release->recalled_keys);
        append(rules.revoked_bundles, release->recalled_bundles);
    }
}

}  // namespace

Result<TrustPolicy> with_recalls(const TrustPolicy& own, const ChannelRoot& root,
                                 const std::optional<ChannelRelease>& release) {
    TrustRules rules = own.rules();
    add_recalls(rules, root, release);
    return TrustPolicy::make(std::move(rules));
}

Result<std::optional<TrustPolicy>> channel_policy(const ChannelRoot& root,
                                                  const std::optional<ChannelRelease>& release) {
    if (root.trust.allow.empty())
        return std::optional<TrustPolicy>();
    TrustRules rules = root.trust;
    add_recalls(rules, root, release);
    FARDEL_TRY_ASSIGN(const TrustPolicy policy, TrustPolicy::make(std::move(rules)));
    return std::optional(policy.for_channel(root.channel));
}

Result<TrustPolicy> policy_for_follower(const TrustPolicy* own, const ChannelRoot& root,
                                        const std::optional<ChannelRelease>& release) {
    TrustRules anything;
    anything.unsigned_allowed = true;
    FARDEL_TRY_ASSIGN(const TrustPolicy no_demands, TrustPolicy::make(std::move(anything)));
    FARDEL_TRY_ASSIGN(const TrustPolicy demands, with_recalls(own != nullptr ? *own : no_demands, root, release));
    const TrustPolicy first = demands.for_channel(root.channel);
    FARDEL_TRY_ASSIGN(auto channel, channel_policy(root, release));
    return channel ? first.requiring(*std::move(channel)) : first;
}

}  // namespace fardel
