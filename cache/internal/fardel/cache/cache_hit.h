// CacheHit: what DerivedCache::find() returns.
#pragma once

#include <fardel/cache/cache_record.h>
#include <fardel/format/bundle_plan.h>

#include <memory>
#include <string>
#include <vector>

namespace fardel {

struct CacheHit {
    CacheRecord record;
    std::vector<std::shared_ptr<const BlobSource>> outputs;  // one per output of the record; valid as long as the cache
    std::string layer;                                       // the name of the layer that had the record
    bool verify = false;  // the caller should run the job nevertheless, and pass the comparison to report_verified()
};

}  // namespace fardel
