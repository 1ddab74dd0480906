// All kinds of layers, each with its own location, for tests that apply to all of them.
#pragma once

#include "kit/files.h"
#include "kit/nginx.h"

#include <fardel/cache/cache_layers.h>

#include <functional>

namespace fardel::tests {

struct CacheSite {
    std::string name;
    std::function<std::unique_ptr<CacheLayer>()> open;  // another layer of the same location; a new one if in memory
    std::string tree;                                   // the folder of its files; empty if it has none
    bool lasts = true;                                  // whether a layer that is opened later finds what was written
};

// All writable layers. Nginx runs as long as this object lives.
class CacheSites {
public:
    CacheSites();
    const std::vector<CacheSite>& all() const { return sites_; }
    const ScratchFolder& scratch() const { return scratch_; }

private:
    ScratchFolder scratch_;
    Nginx nginx_;
    std::vector<CacheSite> sites_;
};

// Fails the test if the layer cannot be opened.
std::unique_ptr<CacheLayer> opened(Result<std::unique_ptr<CacheLayer>> layer);
std::unique_ptr<CacheLayer> open_nginx_layer(const Nginx& nginx, HttpLayerOptions options = {});

}  // namespace fardel::tests
