// CachePlan: the plan of a bundle of records and objects, as a bundle layer reads it.
#pragma once

#include "cache_folder.h"

#include <fardel/base/result.h>
#include <fardel/cache/cache_record.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

namespace fardel {

class Bundle;

class CachePlan {
public:
    // Adds a record, `bytes`, and its outputs; `source_of` gives where an output is read. Returns false, and adds no
    // record, if an output is missing or broken. Each output is read here once, and again by the writer.
    Result<bool> add(const CacheRecord& record, std::span<const std::byte> bytes,
                     const std::function<std::shared_ptr<const BlobSource>(std::size_t output)>& source_of);
    // Adds a record or an object alone, for a pack. The bytes of the bundle have the order of the calls.
    Status add_file(CacheFileKind kind, const Hash& id, std::vector<std::byte> bytes);
    std::uint64_t record_count() const noexcept { return records_.size(); }
    std::uint64_t object_count() const noexcept { return known_.size(); }
    // Whether the bundle has exactly these records and objects.
    bool is_all_of(const Bundle& bundle) const;
    BundlePlan take();

private:
    Result<bool> add_object(const CachedOutput& output, std::shared_ptr<const BlobSource> source);
    Status add_asset(std::string name, std::shared_ptr<const BlobSource> source);

    BundlePlan plan_;
    std::map<AssetId, std::uint64_t> known_;  // sizes of the objects in plan_
    std::set<AssetId> records_;               // their bytes' ids
};

}  // namespace fardel
