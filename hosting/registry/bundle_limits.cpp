#include "registry/bundle_limits.h"

#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/requirement.h>
#include <fardel/hosting/registry_rules.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace fardel {
namespace {

Status verify_number(std::string_view what, std::uint64_t number, std::uint64_t limit) {
    return number <= limit
               ? ok()
               : Error(ErrorCode::limit, "the bundle has " + std::to_string(number) + " " + std::string(what) +
                                             ", and a registry takes at most " + std::to_string(limit));
}

std::uint64_t line_bytes(std::uint64_t bytes) { return std::max(bytes, kNeedsLineBytes); }

struct MetadataSize {
    std::uint64_t bytes = 0;
    std::uint64_t requirements = 0;
};

// Of the records about the bundle, which are the last ones of the table.
Result<MetadataSize> measure_metadata(const Bundle& bundle, TableKind kind) {
    MetadataSize size;
    std::uint64_t seen = 0;
    for (std::uint64_t i = bundle.table_count(kind); i-- > 0 && seen < limits::kMetadataPerSubjectMax; ++seen) {
        const auto index = static_cast<std::uint32_t>(i);
        FARDEL_TRY_ASSIGN(const MetadataRecord record,
                          kind == TableKind::metadata ? bundle.metadata(index) : bundle.creator_metadata(index));
        if (record.subject != kBundleSubject)
            break;
        FARDEL_TRY_ASSIGN(const std::string_view key, bundle.string(record.key));
        size.bytes += key.size() + sizeof record.value;
        size.requirements += key.starts_with(kRequirementKeyPrefix) ? 1 : 0;
        if (record.kind != MetadataKind::text)
            continue;
        FARDEL_TRY_ASSIGN(const std::string_view value, bundle.string(static_cast<StringRef>(record.value)));
        size.bytes += value.size();
    }
    return size;
}

}  // namespace

Result<BundleNeedsSize> measure_needs(const Bundle& bundle) {
    BundleNeedsSize size{
        .dependencies = bundle.table_count(TableKind::dependencies), .requirements = 0, .needs_bytes = kNeedsLineBytes};
    for (std::uint32_t i = 0; i < size.dependencies; ++i) {
        FARDEL_TRY_ASSIGN(const DependencyRecord record, bundle.dependency(i));
        if ((record.flags & DependencyRecord::is_static) != 0)
            size.needs_bytes += line_bytes(std::string_view("needs \n").size() + 2 * record.bundle.bytes.size());
    }
    FARDEL_TRY_ASSIGN(const auto requirements, requirements_of(bundle));
    size.requirements = requirements.size();
    for (const Requirement& requirement : requirements)
        size.needs_bytes += line_bytes(std::string_view("requires \n").size() + requirement.text().size());
    return size;
}

Status verify_bundle_limits(const Bundle& bundle) {
    // The number first: a text that all dependencies share costs its author nothing, and whoever copies it a lot.
    const std::uint64_t dependencies = bundle.table_count(TableKind::dependencies);
    FARDEL_TRY(verify_number("dependencies", dependencies, kRegistryDependenciesMax));
    FARDEL_TRY_ASSIGN(const MetadataSize metadata, measure_metadata(bundle, TableKind::metadata));
    FARDEL_TRY_ASSIGN(const MetadataSize of_creator, measure_metadata(bundle, TableKind::creator_metadata));
    FARDEL_TRY(verify_number("requirements", metadata.requirements, kRegistryRequirementsMax));
    std::uint64_t bytes = metadata.bytes + of_creator.bytes;
    for (std::uint32_t i = 0; i < dependencies; ++i) {
        FARDEL_TRY_ASSIGN(const DependencyRecord record, bundle.dependency(i));
        FARDEL_TRY_ASSIGN(const std::string_view name, bundle.string(record.name));
        FARDEL_TRY_ASSIGN(const std::string_view version, bundle.string(record.version));
        bytes += name.size() + version.size();
    }
    FARDEL_TRY(verify_number("bytes of metadata and names of dependencies", bytes, kRegistryMetadataBytesMax));
    FARDEL_TRY_ASSIGN(const BundleNeedsSize needs, measure_needs(bundle));
    return verify_number("bytes of requirements", needs.needs_bytes, kRegistryNeedsBytesMax);
}

}  // namespace fardel
