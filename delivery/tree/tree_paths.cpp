#include <fardel/delivery/tree_paths.h>

namespace fardel {
namespace {

std::string folder_of(std::string_view channel) { return std::string(kChannelsFolder) + "/" + std::string(channel); }

// Removes "channels/" and what follows the name of a channel.
std::optional<std::string> find_channel(std::string_view path, std::string_view end) {
    if (!path.starts_with(kChannelsFolder) || !path.ends_with(end) ||
        path.size() <= kChannelsFolder.size() + end.size() + 1)
        return std::nullopt;
    path.remove_prefix(kChannelsFolder.size());
    path.remove_suffix(end.size());
    return path.starts_with('/') ? std::optional(std::string(path.substr(1))) : std::nullopt;
}

// The same for a path that ends with the folder and a hash.
std::optional<std::string> find_channel_of_hash(std::string_view path, std::string_view folder) {
    const auto slash = path.rfind('/');
    if (slash == std::string_view::npos || !Hash::parse(path.substr(slash + 1)))
        return std::nullopt;
    return find_channel(path.substr(0, slash), folder);
}

std::string beside_bundle(const BundleId& bundle, std::string_view extension) {
    return std::string(kBundlesFolder) + "/" + bundle.hex() + std::string(extension);
}

}  // namespace

std::string tree_path_of(const BundleId& bundle) { return beside_bundle(bundle, ".fardel"); }
std::string tables_path_of(const BundleId& bundle) { return beside_bundle(bundle, ".tables"); }
std::string asset_frames_path_of(const BundleId& bundle) { return beside_bundle(bundle, ".frames"); }
std::string piece_slices_path_of(const BundleId& bundle) { return beside_bundle(bundle, ".slices"); }
std::string trace_path_of(const BundleId& bundle) { return beside_bundle(bundle, ".trace"); }
std::string signatures_path_of(const BundleId& bundle) { return beside_bundle(bundle, ".signatures"); }

std::string channel_roots_folder(std::string_view channel) { return folder_of(channel) + "/root"; }
std::string channel_root_path(std::string_view channel, std::uint64_t version) {
    return channel_roots_folder(channel) + "/" + std::to_string(version);
}
std::string channel_releases_folder(std::string_view channel) { return folder_of(channel) + "/release"; }
std::string channel_release_path(std::string_view channel, const Hash& hash) {
    return channel_releases_folder(channel) + "/" + hash.hex();
}
std::string channel_head_path(std::string_view channel) { return folder_of(channel) + "/head"; }

std::string channel_requirements_path(std::string_view channel, const Hash& release_hash) {
    return folder_of(channel) + "/requirements/" + release_hash.hex();
}

std::optional<std::string> find_channel_of_head(std::string_view path) { return find_channel(path, "/head"); }

std::optional<std::string> find_channel_of_release(std::string_view path) {
    return find_channel_of_hash(path, "/release");
}

std::optional<std::string> find_channel_of_requirements(std::string_view path) {
    return find_channel_of_hash(path, "/requirements");
}

std::string requirements_path_of(const std::string& release_path) {
    const auto channel = find_channel_of_release(release_path);
    const auto hash = Hash::parse(std::string_view(release_path).substr(release_path.rfind('/') + 1));
    return channel && hash ? channel_requirements_path(*channel, *hash) : std::string();
}

}  // namespace fardel
