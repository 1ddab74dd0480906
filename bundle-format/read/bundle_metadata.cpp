#include <fardel/format/bundle_metadata.h>

#include <fardel/format/limits.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace fardel {
namespace {

Error too_much(const Bundle& bundle) { return Error(ErrorCode::limit, bundle.label() + ": too much metadata"); }

}  // namespace

std::string_view metadata_key(std::string_view written) noexcept {
    if (written == "license")
        return "licence";
    return written == "licence-token" ? "license-token" : written;
}

Result<std::vector<StatedMetadata>> own_metadata(const Bundle& bundle) {
    std::vector<StatedMetadata> stated;
    // The bundle's own records are the last.
    for (std::uint64_t i = bundle.table_count(TableKind::metadata); i-- > 0;) {
        FARDEL_TRY_ASSIGN(const MetadataRecord record, bundle.metadata(static_cast<std::uint32_t>(i)));
        if (record.subject != kBundleSubject)
            break;
        if (stated.size() == limits::kMetadataPerSubjectMax)
            return too_much(bundle);
        FARDEL_TRY_ASSIGN(const std::string_view key, bundle.string(record.key));
        stated.push_back({.key = key, .record = record});
    }
    std::ranges::reverse(stated);
    return stated;
}

Result<std::vector<StatedMetadata>> asset_metadata(const Bundle& bundle, AssetIndex index) {
    std::vector<StatedMetadata> stated;
    FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(index));
    if (asset.metadata_first == kNoIndex)
        return stated;
    const std::uint64_t count = bundle.table_count(TableKind::metadata);
    for (std::uint64_t i = asset.metadata_first; i < count; ++i) {
        FARDEL_TRY_ASSIGN(const MetadataRecord record, bundle.metadata(static_cast<std::uint32_t>(i)));
        if (record.subject != static_cast<std::uint32_t>(index))
            break;
        if (stated.size() == limits::kMetadataPerSubjectMax)
            return too_much(bundle);
        FARDEL_TRY_ASSIGN(const std::string_view key, bundle.string(record.key));
        stated.push_back({.key = key, .record = record});
    }
    // An asset that lends itself the metadata of another, or none, could hide that it has expired.
    if (stated.empty())
        return Error(ErrorCode::malformed, bundle.label() + ": asset " +
                                               std::to_string(static_cast<std::uint32_t>(index)) +
                                               " leads to metadata of something else");
    return stated;
}

Result<MetadataValue> metadata_value(const Bundle& bundle, const MetadataRecord& record) {
    switch (record.kind) {
        case MetadataKind::number: return MetadataValue(std::bit_cast<double>(record.value));
        case MetadataKind::integer: return MetadataValue(static_cast<std::int64_t>(record.value));
        case MetadataKind::boolean: return MetadataValue(record.value != 0);
        case MetadataKind::text: break;
    }
    FARDEL_TRY_ASSIGN(const std::string_view text, bundle.string(static_cast<StringRef>(record.value)));
    return MetadataValue(std::string(text));
}

}  // namespace fardel
