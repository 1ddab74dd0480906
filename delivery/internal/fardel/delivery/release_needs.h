// What the bundles of a release need: a text beside the release, docs/channels.md, "What bundles need".
//
// It is unsigned and a hint. What is chosen by it is compared with the bundles (verify_resolution), so whoever changes
// it can prevent an installation, and no more.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/needs_text.h>
#include <fardel/delivery/tree_target.h>
#include <fardel/format/channel.h>
#include <fardel/format/ids.h>
#include <fardel/store/server_rule.h>

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Reads what the released bundles in the tree need, and what these need, from their manifests; what `known` has is not
// read again. A bundle that the tree does not have is left out. Errors: those of the target and of Bundle::open.
Result<NeedsOfBundles> read_needs_in_tree(TreeTarget& tree, const ChannelRelease& release,
                                          const NeedsOfBundles& known = {});
// Writes the text for a release whose file has that hash. Errors: limit (too long), those of
// read_needs_in_tree and of the target.
Status publish_release_needs(TreeTarget& tree, const ChannelRelease& release, const Hash& release_hash,
                             const PublishWork& work = {}, const NeedsOfBundles& known = {});

// Fetches the text from the first server that has a good one. Errors: missing (no server has it), unreachable,
// malformed, limit, unsupported, denied, cancelled.
Result<NeedsOfBundles> fetch_release_needs(const std::vector<std::string>& servers, std::string_view channel,
                                           const Hash& release_hash, const ServerRule& rule,
                                           const std::stop_token& stop);

}  // namespace fardel
