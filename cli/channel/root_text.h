// A root that is made or changed on the command line, as a text to be signed.
#pragma once

#include "console/console.h"
#include "console/json.h"
#include "console/labelled_keys.h"

#include <fardel/base/result.h>
#include <fardel/format/channel.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

inline constexpr std::uint64_t kDaySeconds = 24 * 3600;

// A role of the keys in these files. Errors: those of KeyReader::read.
Result<ChannelRole> read_role(KeyReader& reader, const std::vector<std::string>& paths, std::uint64_t threshold);

// The roles with their keys and thresholds, for people.
std::string format_roles(const ChannelRoot& root);
Json json_roles(const ChannelRoot& root);

// Writes the body to the file, and prints what it says. Errors: those of format_channel_root and write_file.
Result<Exit> write_root(ChannelRoot root, const std::string& path, bool json, Console& console);

}  // namespace fardel
