#include "cache_folder.h"
#include "cache_packs.h"
#include "cache_plan.h"

#include <fardel/cache/cache_layers.h>
#include <fardel/cache/cache_record.h>

#include <fardel/format/bundle_staging.h>
#include <fardel/format/hash.h>

#include <utility>

namespace fardel {
namespace {

// Adds an intact record and its objects; counts a broken one.
Status add_record(const CacheFolder& folder, const CacheFile& file, CachePlan& plan, std::uint64_t& broken) {
    auto bytes = folder.find_bytes(file, kCacheRecordBytesMax);
    if (!bytes && !is_broken_content(bytes.error()))
        return std::move(bytes).error();
    if (bytes && !*bytes)
        return ok();  // removed by trimming meanwhile
    const auto record =
        bytes ? decode_cache_record(id_from<BuildKey>(file.id), **bytes) : Result<CacheRecord>(bytes.error());
    bool is_whole = false;
    if (record) {
        FARDEL_TRY_ASSIGN(is_whole, plan.add(*record, **bytes, [&](std::size_t output) {
            return folder.blob(CacheFileKind::object, id_from<Hash>(record->outputs[output].asset));
        }));
    }
    if (!is_whole)
        ++broken;
    return ok();
}

Status add_packed_records(const CacheFolder& folder, const CacheFile& pack, CachePlan& plan, std::uint64_t& broken) {
    const auto records = folder.list_packed(pack, CacheFileKind::record);
    if (!records && records.error().code() == ErrorCode::missing)
        return ok();  // merged or removed meanwhile
    if (!records && is_broken_content(records.error())) {
        ++broken;
        return ok();
    }
    if (!records)
        return records.error();
    for (const CacheFile& record : *records)
        FARDEL_TRY(add_record(folder, record, plan, broken));
    return ok();
}

}  // namespace

Result<CacheExportReport> export_cache_bundle(const std::string& path, const std::string& bundle) {
    FARDEL_TRY_ASSIGN(const CacheFolder folder, CacheFolder::open(path, false));
    FARDEL_TRY_ASSIGN(auto file, stage_file(bundle));
    CachePlan plan;
    CacheExportReport report;
    for (unsigned shard = 0; shard < kCacheShards; ++shard) {
        FARDEL_TRY_ASSIGN(const CacheShard found, folder.list(CacheFileKind::record, shard));
        for (const CacheFile& record : found.files)
            FARDEL_TRY(add_record(folder, record, plan, report.broken));
    }
    FARDEL_TRY_ASSIGN(const auto packs, folder.list_packs());
    for (const CacheFile& pack : packs)
        FARDEL_TRY(add_packed_records(folder, pack, plan, report.broken));
    report.records = plan.record_count();
    report.objects = plan.object_count();
    FARDEL_TRY_ASSIGN(StagedBundle staged, write_bundle(plan.take(), std::move(file), {}));
    FARDEL_TRY(staged.commit());
    return report;
}

}  // namespace fardel
