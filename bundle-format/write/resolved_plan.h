// The plan in terms of distinct assets: the facts about assets with equal bytes are merged, sorted as the tables
// demand, and listed once. Pure.
//
// Views point into the plan, which must outlive them.
#pragma once

#include "asset_storage.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/manifest.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace fardel {

struct ResolvedReference {
    std::uint32_t asset = 0;  // the asset that refers
    std::string_view spelling;
    ReferenceKind kind = ReferenceKind::internal;
    bool optional = false;
    std::uint32_t target = 0;      // asset or foreign asset
    std::string_view target_name;  // of a dynamic target; of another one if it is named
    std::uint32_t planned = 0;     // the planned asset that has it
};

struct ResolvedMetadata {
    std::uint32_t subject = kBundleSubject;
    std::string_view key;
    const MetadataValue* value = nullptr;
    std::uint32_t planned = kNoIndex;
};

struct ResolvedPlan {
    std::vector<ResolvedReference> references;       // by (asset, spelling)
    std::vector<ForeignAssetRecord> foreign_assets;  // by (id, dependency)
    std::vector<PlannedConsume> consumes;            // by text
    std::vector<ResolvedMetadata> metadata;          // by (subject, key)
    std::vector<ResolvedMetadata> creator_metadata;
};

// Assets with equal bytes get the union of their facts. A reference or consumed name is optional if all of them say so.
// Errors: malformed (one spelling, key or
// consumed text has two meanings; the message names both assets), limit.
Result<ResolvedPlan> resolve_plan(const BundlePlan& plan, const StoredContent& content);

}  // namespace fardel
