// What a player who has only the address of a tree finds out from its servers: which channels it has, and their first
// roots.
//
// Nothing of it is signed by anybody whom the player knows. A person compares the fingerprint of the root with what the
// owner of the channel says, once; from then on the root's own keys decide.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/http/server_list.h>

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Beside the folders of a tree: the names of its channels, sorted, a line each. It is replaced.
inline constexpr std::string_view kChannelListPath = "channels.txt";
inline constexpr std::size_t kChannelListBytesMax = 64u << 10;

// Errors: malformed (a name that no channel has, or not sorted), limit.
Result<std::vector<std::string>> parse_channel_list(std::string_view text);
std::string format_channel_list(const std::vector<std::string>& channels);

// BLAKE3-256 of the file: what b3sum prints for it.
Hash root_fingerprint(std::string_view file);

// Fetch from the first server that has a good one. Errors: missing (no server has it), unreachable, malformed, limit,
// denied, cancelled.
Result<std::vector<std::string>> fetch_channel_list(const ServerList& servers, const std::stop_token& stop);
// The root with which a channel began. That its keys have signed it is verified by who follows it.
Result<std::string> fetch_first_root(const ServerList& servers, std::string_view channel, const std::stop_token& stop);

}  // namespace fardel
