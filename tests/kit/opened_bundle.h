// Opens bundles that are in memory.
#pragma once

#include "bytes.h"
#include "results.h"

#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>

#include <memory>
#include <utility>

namespace fardel::tests {

// The bundle must be good.
inline std::shared_ptr<const Bundle> open_bundle(Bytes bytes, BundleOptions options = {}) {
    return value_of(Bundle::open(make_memory_source(std::move(bytes)), std::move(options)));
}

inline BundleId bundle_id_of(Bytes bytes) { return open_bundle(std::move(bytes))->id(); }

}  // namespace fardel::tests
