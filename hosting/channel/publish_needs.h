// What the bundles of a release need: a text beside the release (needs_text.h).
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/resolve.h>
#include <fardel/format/channel.h>
#include <fardel/format/channel_update.h>
#include <fardel/format/ids.h>
#include <fardel/hosting/tree_target.h>

#include <string>

namespace fardel {

// What is known from the text of the release that the head names, so that only new bundles are read; nothing if that
// text is missing or damaged.
NeedsOfBundles find_known_needs(TreeTarget& tree, const ChannelUpdate& update);

// Whether a bundle of the tree that cannot be read, or that requires something that is no requirement, is an error, or
// is left out like one that the tree does not have: clients then read the bundle themselves.
enum class UnreadableNeeds : bool { refused, left_out };

// Returns the text: what the released bundles in the tree need, and what these need, from their manifests; what `known`
// has is not read again. Errors: limit (too long), those of the target and of Bundle::open.
Result<std::string> make_release_needs(TreeTarget& tree, const ChannelRelease& release, const NeedsOfBundles& known,
                                       UnreadableNeeds unreadable = UnreadableNeeds::refused);

}  // namespace fardel
