#include "bundles/bundle_url.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/hosting/publish.h>

namespace fardel {

bool is_url(std::string_view word) { return word.starts_with("https://") || word.starts_with("http://"); }

std::optional<BundleUrl> find_bundle_url(std::string_view url) {
    const std::size_t path_bytes = tree_path_of(BundleId{}).size();
    if (!is_url(url) || url.size() <= path_bytes || url[url.size() - path_bytes - 1] != '/')
        return std::nullopt;
    const std::string_view path = url.substr(url.size() - path_bytes);
    const auto bundle = BundleId::parse(path.substr(kBundlesFolder.size() + 1, BundleId{}.hex().size()));
    if (!bundle || path != tree_path_of(*bundle))
        return std::nullopt;
    return BundleUrl{.tree = std::string(url.substr(0, url.size() - path_bytes - 1)), .bundle = *bundle};
}

}  // namespace fardel
