// What the bundles of a release need: a text beside the release, docs/channels.md, "What bundles need".
//
// It is unsigned and a hint. What is chosen by it is compared with the bundles (verify_resolution), so whoever changes
// it can prevent an installation, and no more.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/needs_text.h>
#include <fardel/format/channel.h>
#include <fardel/format/ids.h>
#include <fardel/http/server_list.h>

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Fetches the text from the first server that has a good one. Errors: missing (no server has it), unreachable,
// malformed, limit, unsupported, denied, cancelled.
Result<NeedsOfBundles> fetch_release_needs(const ServerList& servers, std::string_view channel,
                                           const Hash& release_hash, const std::stop_token& stop);

}  // namespace fardel
