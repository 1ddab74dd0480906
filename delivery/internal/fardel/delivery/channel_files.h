// Where the files of channels are in a static tree, and reading them as text. docs/channels.md is the specification.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/tree_target.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

inline constexpr std::string_view kChannelsFolder = "channels";

std::string channel_roots_folder(std::string_view channel);
std::string channel_root_path(std::string_view channel, std::uint64_t version);
std::string channel_releases_folder(std::string_view channel);
std::string channel_release_path(std::string_view channel, const Hash& hash);
std::string channel_head_path(std::string_view channel);
// What the bundles of a release need (release_needs.h).
std::string channel_requirements_path(std::string_view channel, const Hash& release_hash);

// Return the channel whose head, or one of whose releases or texts about releases, is at the path; nothing if that is
// no such path. The name need not be one that a channel may have.
std::optional<std::string> find_channel_of_head(std::string_view path);
std::optional<std::string> find_channel_of_release(std::string_view path);
std::optional<std::string> find_channel_of_requirements(std::string_view path);
// Returns the path of the text about the release at the path.
std::string requirements_path_of(const std::string& release_path);

// A file of the tree as text. Errors: missing, limit (longer than `bytes_max`), those of the target.
Result<std::string> read_tree_text(TreeTarget& tree, const std::string& path, std::size_t bytes_max);

}  // namespace fardel
