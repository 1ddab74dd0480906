// Publishes what the bundles of a release need: a text beside the release (needs_text.h).
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/resolve.h>
#include <fardel/format/channel.h>
#include <fardel/format/ids.h>
#include <fardel/hosting/tree_target.h>

namespace fardel {

// Reads what the released bundles in the tree need, and what these need, from their manifests; what `known` has is not
// read again. A bundle that the tree does not have is left out. Errors: those of the target and of Bundle::open.
Result<NeedsOfBundles> read_needs_in_tree(TreeTarget& tree, const ChannelRelease& release,
                                          const NeedsOfBundles& known = {});
// Writes the text for a release whose file has that hash. Errors: limit (too long), those of
// read_needs_in_tree and of the target.
Status publish_release_needs(TreeTarget& tree, const ChannelRelease& release, const Hash& release_hash,
                             const PublishWork& work = {}, const NeedsOfBundles& known = {});

}  // namespace fardel
