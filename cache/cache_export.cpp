#include "cache_folder.h"
#include "checked_blob.h"

#include <fardel/cache/cache_layers.h>
#include <fardel/cache/cache_record.h>

#include <fardel/format/bundle_staging.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <map>
#include <utility>

namespace fardel {
namespace {

std::string name_of(CacheFileKind kind, const Hash& id) {
    return (kind == CacheFileKind::record ? "records/" : "objects/") + id.hex();
}

// Collects intact records and the objects that they name.
class CacheContents {
public:
    explicit CacheContents(const CacheFolder& folder) : folder_(folder) {}

    Status add(const CacheFile& file) {
        auto bytes = folder_.find_bytes(file.kind, file.id, kCacheRecordBytesMax);
        if (!bytes && bytes.error().code() != ErrorCode::limit)
            return std::move(bytes).error();
        if (bytes && !*bytes)
            return ok();  // removed by trimming meanwhile
        const auto record =
            bytes ? decode_cache_record(id_from<BuildKey>(file.id), **bytes) : Result<CacheRecord>(bytes.error());
        if (!record ||
            !std::ranges::all_of(record->outputs, [&](const CachedOutput& output) { return add_object(output); })) {
            ++broken;
            return ok();
        }
        ++records;
        return add_asset(CacheFileKind::record, file.id, make_memory_blob(**std::move(bytes)));
    }

    BundlePlan take_plan() {
        plan_.metadata = {{"name", std::string("derived-data-cache")}};
        return std::move(plan_);
    }

    std::uint64_t records = 0;
    std::uint64_t objects = 0;
    std::uint64_t broken = 0;

private:
    // Returns false if the object is missing or broken.
    bool add_object(const CachedOutput& output) {
        const Hash id = id_from<Hash>(output.asset);
        if (const auto known = known_.find(id); known != known_.end())
            return known->second == output.size_bytes;
        auto blob = std::make_shared<const CheckedBlob>(folder_.blob(CacheFileKind::object, id), output.asset,
                                                        output.size_bytes);
        if (!blob->verify())
            return false;
        known_.emplace(id, output.size_bytes);
        ++objects;
        return static_cast<bool>(add_asset(CacheFileKind::object, id, std::move(blob)));
    }
    Status add_asset(CacheFileKind kind, const Hash& id, std::shared_ptr<const BlobSource> source) {
        std::string text = name_of(kind, id);
        FARDEL_TRY_ASSIGN(AssetName name, AssetName::parse(text));
        const auto index = static_cast<std::uint32_t>(plan_.assets.size());
        plan_.assets.push_back({.source = std::move(source), .key = std::move(text)});
        plan_.names.push_back(
            {.name = std::move(name), .variants = {PlannedVariant{.asset = index, .tags = {}}}, .published = false});
        return ok();
    }

    const CacheFolder& folder_;
    BundlePlan plan_;
    std::map<Hash, std::uint64_t> known_;  // sizes of the objects in plan_
};

}  // namespace

Result<CacheExportReport> export_cache_bundle(const std::string& path, const std::string& bundle) {
    FARDEL_TRY_ASSIGN(const CacheFolder folder, CacheFolder::open(path, false));
    FARDEL_TRY_ASSIGN(auto file, stage_file(bundle));
    CacheContents contents(folder);
    for (unsigned shard = 0; shard < kCacheShards; ++shard) {
        FARDEL_TRY_ASSIGN(const CacheShard found, folder.list(CacheFileKind::record, shard));
        for (const CacheFile& record : found.files)
            FARDEL_TRY(contents.add(record));
    }
    FARDEL_TRY_ASSIGN(StagedBundle staged, write_bundle(contents.take_plan(), std::move(file), {}));
    FARDEL_TRY(staged.commit());
    return CacheExportReport{.records = contents.records, .objects = contents.objects, .broken = contents.broken};
}

}  // namespace fardel
