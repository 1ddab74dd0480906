// The lock file that a verb works with: --lock, or fardel.lock in the current folder.
#pragma once

#include "console/command_line.h"

#include <fardel/base/result.h>
#include <fardel/delivery/channel_follow.h>
#include <fardel/delivery/lock_file.h>
#include <fardel/format/ids.h>

#include <optional>
#include <string>
#include <vector>

namespace fardel {

void add_lock_option(CommandLine& line, std::string& lock);

// Errors: those of read_lock_file; missing says how a lock file is made.
Result<LockFile> open_lock(const std::string& path);

// An error about names that are not installed, with the name that was probably meant.
Error suggest_installed(Error error, const std::string& lock, const std::vector<std::string>& names);

// Why the bundle is recalled; nothing: it is not.
std::optional<std::string> find_recall(const ChannelState& state, const BundleId& bundle);

}  // namespace fardel
