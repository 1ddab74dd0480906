// The paths of the files in a published tree. docs/delivery.md, docs/channels.md and docs/traces.md describe the files.
#pragma once

#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

inline constexpr std::string_view kBundlesFolder = "bundles";
inline constexpr std::string_view kChannelsFolder = "channels";

// A bundle, "bundles/<64 digits>.fardel", and the files beside it.
std::string tree_path_of(const BundleId& bundle);
std::string tables_path_of(const BundleId& bundle);        // .tables, its compressed tables
std::string asset_frames_path_of(const BundleId& bundle);  // .frames (asset_frames.h)
std::string piece_slices_path_of(const BundleId& bundle);  // .slices (piece_slices.h)
std::string trace_path_of(const BundleId& bundle);         // .trace
std::string signatures_path_of(const BundleId& bundle);    // .signatures, envelopes that came later; is replaced

// Below a tree that is a project, whose files may be edited at any time (docs/serving.md): the id of its latest root,
// and the tables of a root as a delta without blocks from another one.
inline constexpr std::string_view kProjectHeadPath = "project/head";
inline constexpr std::string_view kProjectTablesPath = "project/tables";
inline constexpr std::size_t kProjectQuestionBytes = 64;  // the root that is wanted, and the one that is held or zeros
inline constexpr std::uint64_t kProjectTablesBytesMax = 32u << 20;  // larger tables come page by page

// What a client receives of a published trace at most; of a longer one, the first assets are published.
inline constexpr std::size_t kPublishedTraceBytesMax = 1u << 20;

std::string channel_roots_folder(std::string_view channel);
std::string channel_root_path(std::string_view channel, std::uint64_t version);
std::string channel_releases_folder(std::string_view channel);
std::string channel_release_path(std::string_view channel, const Hash& hash);
std::string channel_head_path(std::string_view channel);
// What the bundles of a release need (needs_text.h).
std::string channel_requirements_path(std::string_view channel, const Hash& release_hash);

// Return the channel whose head, or one of whose releases or texts about releases, is at the path; nothing if that is
// no such path. The name need not be one that a channel may have.
std::optional<std::string> find_channel_of_head(std::string_view path);
std::optional<std::string> find_channel_of_release(std::string_view path);
std::optional<std::string> find_channel_of_requirements(std::string_view path);
// Returns the path of the text about the release at the path.
std::string requirements_path_of(const std::string& release_path);

}  // namespace fardel
