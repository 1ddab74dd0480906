// A channel that the user follows: --channel and --root, and what verbs say about it.
#pragma once

#include "console/command_line.h"
#include "console/json.h"

#include <fardel/base/result.h>
#include <fardel/delivery/channel_follow.h>

#include <memory>
#include <string>
#include <vector>

namespace fardel {

struct ChannelChoice {
    std::string name;  // empty: none
    std::string root;  // a file; needed the first time
};
void add_channel_options(CommandLine& line, ChannelChoice& choice);

// `own`: nullptr: the user has no demands. The second copy of what was accepted is kept below XDG_STATE_HOME, or
// ~/.local/state. Errors: missing (the user has neither; the file), those of reading a root.
Result<ChannelSubject> subject_of(const ChannelChoice& choice, std::shared_ptr<const TrustPolicy> own);

// The bundles of the release with these names, or all that are not recalled. Errors: missing (no release; no such
// name), revoked (a named one is recalled).
Result<std::vector<BundleId>> choose_bundles(const ChannelState& state, const std::vector<std::string>& names);

std::vector<std::string> names_of(const std::vector<ChannelBundle>& bundles);

// Since when the channel is stale, or until when it counts; one sentence.
std::string describe_age(const ChannelState& state, UnixTime now);
std::string format_outcome(const ChannelOutcome& outcome, UnixTime now);
Json json_of(const ChannelOutcome& outcome, UnixTime now);

}  // namespace fardel
