// resolve: which bundles a set of requirements means, in the snapshot that one release of a channel is.
//
// A pure decision, and scoped: each requirement gets its own answer, so two bundles may need two versions of a third.
// docs/installing.md, "How it is resolved", has the rules. The release is trusted; what its bundles need is a hint
// (release_needs.h) that verify_resolution() compares with the bundles.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/bundle_version.h>
#include <fardel/format/ids.h>
#include <fardel/format/requirement.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace fardel {

inline constexpr std::size_t kResolvedBundlesMax = 4096;
inline constexpr std::uint64_t kResolveStepsMax = 5'000'000;
inline constexpr std::size_t kConflictsMax = 1000;

struct BundleNeeds {
    std::vector<BundleId> needs;  // static dependencies
    std::vector<Requirement> requirements;

    friend bool operator==(const BundleNeeds&, const BundleNeeds&) = default;
};
using NeedsOfBundles = std::unordered_map<BundleId, BundleNeeds>;

struct OfferedBundle {
    BundleId bundle;
    std::string name;
    BundleVersion version;
};

// What can be chosen.
struct ResolveSnapshot {
    std::vector<OfferedBundle> bundles;
    std::unordered_map<BundleId, std::string> recalled;  // with the reasons; never chosen
    NeedsOfBundles needs;                                // of the offered bundles, and of their static dependencies
};

struct ResolvedRequirement {
    Requirement requirement;
    BundleId bundle;  // that it means

    friend bool operator==(const ResolvedRequirement&, const ResolvedRequirement&) = default;
};

struct ResolvedBundle {
    BundleId bundle;
    std::string name;  // empty: it is only a static dependency, and has none or is not offered
    BundleVersion version;
    std::vector<BundleId> needs;
    std::vector<ResolvedRequirement> requirements;
    // Whom the policy knows as its author. Nothing: nobody, or a lock file of before authors were written.
    std::optional<PublicKey> author;

    friend bool operator==(const ResolvedBundle&, const ResolvedBundle&) = default;
};

struct Resolution {
    std::vector<ResolvedRequirement> roots;
    // In the order of mounting: what is needed before what needs it, of two versions of a name the older one first, and
    // the roots last, unless something else needs them.
    std::vector<ResolvedBundle> bundles;

    friend bool operator==(const Resolution&, const Resolution&) = default;
};

struct ResolveOutcome {
    Resolution resolution;  // empty if there are conflicts
    // The needs, as the snapshot gave them, of bundles that were considered and not chosen. They influenced the
    // outcome, so verify_needs() has to compare them with the bundles, too.
    NeedsOfBundles consulted;
    // Bundles that were considered although the snapshot does not have their needs. With these needs, the outcome may
    // be different.
    std::vector<BundleId> unknown;
    std::vector<std::string> conflicts;  // all of them, but at most kConflictsMax; a sentence each, with the chain
};

// `preferred`: bundles that are taken instead of newer versions where they meet the requirement. Error: limit (the
// bundles or steps).
Result<ResolveOutcome> resolve(const std::vector<Requirement>& roots, const ResolveSnapshot& snapshot,
                               const std::set<BundleId>& preferred);

// Puts the bundles into their order again.
void sort_for_mounting(Resolution& resolution);
// The bundles that these roots need, and no others.
Resolution reduced_to(const Resolution& resolution, const std::vector<ResolvedRequirement>& roots);

// Whether a bundle states exactly these needs. Errors: conflict (something else), corrupt (it has another id), those of
// reading it.
Status verify_needs(const BundleId& id, const BundleNeeds& needs, const Bundle& bundle);

// Opens a bundle; the caller decides by which policy.
using OpenResolved = std::function<Result<std::shared_ptr<const Bundle>>(const BundleId&)>;

// Reads names, versions and authors from the bundles, which must state exactly the needs and requirements of the
// resolution, and must meet what is required of them. Errors: conflict (a bundle states something else), those of
// verify_meets and `open`.
Status verify_resolution(Resolution& resolution, const OpenResolved& open);

}  // namespace fardel
