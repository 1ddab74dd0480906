#include "cache_option.h"

namespace fardel {

void add_cache_options(CommandLine& line, CacheRequest& caches) {
    line.texts("--cache", "NAME=WHAT", caches.layers,
               "Where a layer of the derived-data cache is, a path or URL; or off, on or read-only; may be repeated "
               "('fardel cache layers' lists the layers)");
    line.text("--cache-graph", "GRAPH", caches.graph,
              "Use the layers of this graph; desk, or what the machine or its user chose, when left out");
}

}  // namespace fardel
