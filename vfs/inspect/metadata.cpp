#include "inspection.h"

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_metadata.h>
#include <fardel/format/requirement.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace fardel {
namespace {

// What a bundle states about itself as a whole: about an asset it would be false.
bool is_of_bundle_alone(std::string_view key) {
    return key == "name" || key == "version" || key.starts_with("metric.") || key.starts_with(kRequirementKeyPrefix);
}

// Adds those whose keys are not there yet, so that what is added first counts.
Status add_entries(const Bundle& bundle, std::span<const StatedMetadata> stated, bool of_bundle, Metadata& out) {
    for (const StatedMetadata& one : stated) {
        const std::string_view key = metadata_key(one.key);
        if ((of_bundle && out.asset && is_of_bundle_alone(key)) || out.find(key) != nullptr)
            continue;
        FARDEL_TRY_ASSIGN(MetadataValue value, metadata_value(bundle, one.record));
        const auto at = std::ranges::lower_bound(out.entries, key, {}, &MetadataEntry::key);
        out.entries.insert(at, {.key = std::string(key), .value = std::move(value), .of_bundle = of_bundle});
    }
    return ok();
}

}  // namespace

const MetadataEntry* Metadata::find(std::string_view key) const noexcept {
    key = metadata_key(key);
    const auto at = std::ranges::lower_bound(entries, key, {}, &MetadataEntry::key);
    return at != entries.end() && at->key == key ? &*at : nullptr;
}

Result<Metadata> metadata_of(const File& file) {
    const Bundle& bundle = *file.bundle();
    Metadata out{.bundle = bundle.id(), .asset = file.asset_id(), .entries = {}};
    if (file.has_metadata()) {
        FARDEL_TRY_ASSIGN(const auto of_asset, asset_metadata(bundle, file.index()));
        FARDEL_TRY(add_entries(bundle, of_asset, false, out));
    }
    FARDEL_TRY_ASSIGN(const auto own, own_metadata(bundle));
    FARDEL_TRY(add_entries(bundle, own, true, out));
    return out;
}

Result<Metadata> metadata_of(const Bundle& bundle) {
    Metadata out{.bundle = bundle.id(), .asset = {}, .entries = {}};
    FARDEL_TRY_ASSIGN(const auto own, own_metadata(bundle));
    FARDEL_TRY(add_entries(bundle, own, true, out));
    return out;
}

}  // namespace fardel
