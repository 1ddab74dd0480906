#include "cache_site.h"

namespace fardel::tests {

std::unique_ptr<CacheLayer> opened(Result<std::unique_ptr<CacheLayer>> layer) {
    REQUIRE_MESSAGE(layer, (layer ? "" : layer.error().text()));
    return *std::move(layer);
}

std::unique_ptr<CacheLayer> open_nginx_layer(const Nginx& nginx, HttpLayerOptions options) {
    options.bearer_token = Nginx::token();
    return opened(open_http_layer(nginx.url(), std::move(options)));
}

CacheSites::CacheSites() : nginx_(scratch_) {
    const std::string folder = scratch_.path("folder");
    const std::string shared = scratch_.path("shared");
    sites_.push_back({.name = "memory", .open = [] { return make_memory_layer(100u << 20); }, .lasts = false});
    sites_.push_back(
        {.name = "folder", .open = [folder] { return opened(open_folder_layer(folder)); }, .tree = folder});
    sites_.push_back({.name = "shared folder",
                      .open = [shared] { return opened(open_folder_layer(shared, true)); },
                      .tree = shared});
    sites_.push_back({.name = "nginx", .open = [this] { return open_nginx_layer(nginx_); }, .tree = nginx_.tree()});
}

}  // namespace fardel::tests
