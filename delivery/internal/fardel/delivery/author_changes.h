// Names that others have now than before: what is found, accepted and refused. Pure, except for find_author_changes.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/channel_follow.h>
#include <fardel/delivery/install.h>
#include <fardel/store/bundle_store.h>

#include <span>
#include <string_view>
#include <vector>

namespace fardel {

bool is_accepted(const AuthorChange& change, std::span<const AcceptedAuthor> accepted);

// Error: conflict; its text is about all of them. `advice` says how they are accepted.
Status refuse_author_changes(const std::vector<AuthorChange>& changes, std::string_view advice);

// For whoever follows a channel without a lock file: the names of bundles to be fetched of which the store has others,
// which the rules of this channel accept but for its recalls, and none of them is by the same author. So a name stays
// its author's as long as the store has a bundle of it. Errors: those of listing the store.
Result<std::vector<AuthorChange>> find_author_changes(const BundleStore& store, const ChannelState& state,
                                                      const FetchPlan& plan);

}  // namespace fardel
