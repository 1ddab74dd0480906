// What of an installed set a policy refuses, and which of the names that were installed by a player can be left out for
// it, so that the game and all other mods go on.
//
// A mod's own is what only one installed name needs. What several of them need is the game's, or a base of theirs: it
// is never left out, because whoever recalls it could otherwise have the rest run without what it stands on. Neither is
// what the first installed name requires, if that stands on nothing that others need: it may be the game.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/channel_follow.h>
#include <fardel/delivery/install.h>
#include <fardel/delivery/resolve.h>
#include <fardel/format/statement.h>
#include <fardel/format/trust_policy.h>
#include <fardel/store/bundle_store.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace fardel {

struct RefusedBundle {
    BundleId bundle;
    Error reason;
    bool may_be_replaced = false;  // recalled or expired; not if a licence is missing, or nobody vouches for it
};

// What a mount of these bundles would refuse by the policy: recalled, expired, not trusted, without one of these
// licences (nullptr: licences are not judged). A bundle that cannot be read is not among them. In the order of the
// resolution.
std::vector<RefusedBundle> find_refused(const BundleStore& store, const Resolution& resolution,
                                        const TrustPolicy& policy, const TrustTime& time,
                                        const std::vector<Envelope>* licenses);

// Which of the installed names need which bundle. Borrows the resolution, each of whose bundles a root needs.
class InstalledRoots {
public:
    explicit InstalledRoots(const Resolution& resolution);

    const Resolution& resolution() const noexcept { return resolution_; }
    // Those that need the bundle, or are it: at most 8, in their order; at least one.
    const std::vector<const ResolvedRequirement*>& that_need(const BundleId& bundle) const;
    // Whether what this name requires is the game's: it was installed first, and stands on nothing that others stand
    // on, too, as the mods of one base do.
    bool may_be_game(const ResolvedRequirement& root) const;

private:
    const Resolution& resolution_;
    std::unordered_map<BundleId, std::vector<const ResolvedRequirement*>> needing_;
};

// How a player gets on: "'fardel update' replaces it" only if the release offers another version that meets what is
// required of this one, and otherwise the names to remove.
std::string way_out(const InstalledRoots& installed, const RefusedBundle& refused,
                    const std::vector<ChannelBundle>& offered);
// The reason with the bundle's name and the way out.
Error explain_refusal(const InstalledRoots& installed, const RefusedBundle& refused,
                      const std::vector<ChannelBundle>& offered);

struct LeftOutPlan {
    Resolution rest;  // needs nothing that is refused
    std::vector<LeftOutBundle> left_out;
};
// Errors: the reason of the first bundle that cannot be left out, because several names need it, a name of `needed` or
// the game does, or nothing would be left.
Result<LeftOutPlan> plan_left_out(const InstalledRoots& installed, const std::vector<RefusedBundle>& refused,
                                  const std::vector<std::string>& needed, const std::vector<ChannelBundle>& offered);

}  // namespace fardel
