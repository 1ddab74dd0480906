// The lock file that a verb works with: --lock, or fardel.lock in the current folder.
#pragma once

#include "console/command_line.h"

#include <fardel/delivery/channel_follow.h>
#include <fardel/format/ids.h>

#include <optional>
#include <string>

namespace fardel {

void add_lock_option(CommandLine& line, std::string& lock);

// Why the bundle is recalled; nothing: it is not.
std::optional<std::string> find_recall(const ChannelState& state, const BundleId& bundle);

}  // namespace fardel
