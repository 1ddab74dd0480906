#include "cache_plan.h"

#include "bundled_file.h"
#include "checked_blob.h"

#include <fardel/format/bundle.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <string>
#include <utility>

namespace fardel {

Result<bool> CachePlan::add(const CacheRecord& record, std::span<const std::byte> bytes,
                            const std::function<std::shared_ptr<const BlobSource>(std::size_t output)>& source_of) {
    for (std::size_t i = 0; i < record.outputs.size(); ++i) {
        FARDEL_TRY_ASSIGN(const bool is_there, add_object(record.outputs[i], source_of(i)));
        if (!is_there)
            return false;
    }
    FARDEL_TRY(add_asset(bundled_name(CacheFileKind::record, id_from<Hash>(record.key)),
                         make_memory_blob({bytes.begin(), bytes.end()})));
    records_.insert(asset_id_of(bytes));
    return true;
}

Result<bool> CachePlan::add_object(const CachedOutput& output, std::shared_ptr<const BlobSource> source) {
    if (const auto known = known_.find(output.asset); known != known_.end())
        return known->second == output.size_bytes;
    auto blob = std::make_shared<const CheckedBlob>(std::move(source), output.asset, output.size_bytes);
    if (!blob->verify())
        return false;
    known_.emplace(output.asset, output.size_bytes);
    FARDEL_TRY(add_asset(bundled_name(CacheFileKind::object, id_from<Hash>(output.asset)), std::move(blob)));
    return true;
}

Status CachePlan::add_file(CacheFileKind kind, const Hash& id, std::vector<std::byte> bytes) {
    const auto rank = static_cast<std::uint32_t>(plan_.assets.size());
    FARDEL_TRY(add_asset(bundled_name(kind, id), make_memory_blob(std::move(bytes))));
    plan_.assets.back().rank = rank;
    return ok();
}

Status CachePlan::add_asset(std::string name, std::shared_ptr<const BlobSource> source) {
    FARDEL_TRY_ASSIGN(AssetName parsed, AssetName::parse(name));
    const auto index = static_cast<std::uint32_t>(plan_.assets.size());
    plan_.assets.push_back({.source = std::move(source), .key = std::move(name)});
    plan_.names.push_back(
        {.name = std::move(parsed), .variants = {PlannedVariant{.asset = index}}, .published = false});
    return ok();
}

bool CachePlan::is_all_of(const Bundle& bundle) const {
    const auto has = [&](const AssetId& asset) {
        const auto found = bundle.find_asset(asset);
        return found && *found;
    };
    return bundle.asset_count() == records_.size() + known_.size() && std::ranges::all_of(records_, has) &&
           std::ranges::all_of(known_, [&](const auto& object) { return has(object.first); });
}

BundlePlan CachePlan::take() {
    plan_.metadata = {{"name", std::string("derived-data-cache")}};
    return std::move(plan_);
}

}  // namespace fardel
