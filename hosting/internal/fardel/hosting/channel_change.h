// The next release and the next head of a channel: what its owner changes, as plain values, and the texts that say so.
//
// `fardel channel release` and a registry make them with the same functions. Nothing here signs or publishes.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/channel.h>
#include <fardel/format/channel_update.h>
#include <fardel/format/signer.h>
#include <fardel/format/trust_policy.h>
#include <fardel/hosting/channel_tree.h>
#include <fardel/hosting/tree_target.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

// Whether a bundle takes the position of all others of its name, or stands beside its other versions.
enum class OlderVersions : bool { replaced, kept };

struct ChannelChange {
    std::vector<std::string> removed;  // names of bundles
    std::vector<Revocation<BundleId>> recalled_bundles;
    std::vector<Revocation<PublicKey>> recalled_keys;
    std::vector<BundleId> restored;  // recalled no more; needs a higher epoch
    std::vector<ReleasedBundle> added;
    OlderVersions older_versions = OlderVersions::replaced;
    std::uint64_t epoch = 0;  // 0: that of the release before
};

// Whether a text of the kind can follow the one with that version. Error: limit (there is no higher one: whoever signed
// it wanted to end the channel).
Status verify_number_left(ChannelText kind, std::uint64_t version, const ChannelRoot& root);

// Returns the release that follows `before`; without it, the first one. Errors: rollback (the epoch falls, or a recall
// is taken back in the same one), missing (nothing of that name to remove, no such recall to take back), revoked (what
// is added has been recalled), conflict (another bundle has that name and version), limit (no version is left).
Result<ChannelRelease> next_release(const std::optional<ReleaseInTree>& before, const ChannelRoot& root,
                                    const ChannelChange& change, UnixTime now);

// Returns the head that names `newest`, for so long. `update`: what the tree's newest root and head say. Errors:
// limit (no version is left), rollback (the newest head is dated ahead: verify_not_behind).
Result<ChannelHead> next_head(const ChannelUpdate& update, const ReleaseInTree& newest, UnixTime now,
                              std::uint64_t life_s);

// A bundle of the tree as a release lists it, and what its publisher should know.
struct BundleToRelease {
    ReleasedBundle bundle;
    std::vector<std::string> remarks;  // sentences that name it, safe to show
};

// `policy`: that of who follows the channel and adds no demands of his own (policy_for_follower); what it refuses is
// not released. `label` names the bundle in errors and remarks. Errors: missing (the tree lacks it), corrupt (another
// bundle is there), unresolved (it has no name or version), those of Bundle::open, verify_content_use and of the
// target.
Result<BundleToRelease> find_bundle_to_release(TreeTarget& tree, const BundleId& bundle, const TrustPolicy& policy,
                                               UnixTime now, const std::string& label);

}  // namespace fardel
