// Publishing deltas: writes what leads from an old bundle to a new one into a static tree, where fetches find it.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/delta.h>
#include <fardel/format/bundle.h>
#include <fardel/hosting/tree_target.h>

#include <cstdint>
#include <memory>
#include <string>

namespace fardel {

struct DeltaPublication {
    BundleId old_bundle;
    std::string path;  // below the tree; empty: it was left out, because it would save nothing
    bool was_there = false;
    std::uint64_t delta_bytes = 0;
};

// Makes the delta unless it is published already, writes it, and then adds it to the list of deltas that lead to the
// new bundle. May be killed and repeated. Errors: those of make_delta and TreeTarget; limit (256 deltas lead to the
// bundle already), conflict (others keep changing the list), malformed and unsupported (the published file is damaged,
// or of another version of the format; files with such names never change, so it stays).
Result<DeltaPublication> publish_delta(std::shared_ptr<const Bundle> old, const Bundle& target, TreeTarget& tree,
                                       const DeltaWork& work = {});

// Removes a delta from the list of those that lead to the new bundle, and then the delta. Nothing happens if there is
// none. Errors: those of TreeTarget; conflict (others keep changing the list).
Status withdraw_delta(const BundleId& old, const BundleId& target, TreeTarget& tree);

}  // namespace fardel
