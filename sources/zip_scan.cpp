#include "source_listing.h"

#include "zip_blob.h"
#include "zip_entry_source.h"

#include <optional>
#include <utility>

namespace fardel {
namespace {

// Returns why an entry with a good name cannot be read; none if it can.
std::optional<Error> find_defect(const ZipEntry& entry) {
    if (entry.link)
        return Error(ErrorCode::denied, "symbolic links are not followed");
    if (entry.encrypted)
        return Error(ErrorCode::unsupported, "it is encrypted");
    if (entry.method != kZipStored && entry.method != kZipDeflated)
        return Error(ErrorCode::unsupported,
                     "zip compression method " + std::to_string(entry.method) + " is not one of stored and deflated");
    if (entry.stored_bytes > kZipEntryBytesMax || entry.raw_bytes > kZipEntryBytesMax)
        return Error(ErrorCode::limit, "it has " + std::to_string(entry.raw_bytes) + " bytes, more than " +
                                           std::to_string(kZipEntryBytesMax));
    return std::nullopt;
}

void list_folder_entry(const ZipEntry& entry, const std::string& origin, SourceListing& listing) {
    const std::string_view name = std::string_view(entry.name).substr(0, entry.name.size() - 1);
    if (listing.accept_folder(name, origin) && entry.raw_bytes != 0)
        listing.refuse(entry.name, origin, Error(ErrorCode::malformed, "a folder that has bytes of its own"));
}

}  // namespace

Status list_zip(std::shared_ptr<const ByteSource> bytes, const std::string& path, SourceListing& listing) {
    FARDEL_TRY_ASSIGN(ZipDirectory directory, read_zip_directory(*bytes));
    const auto archive =
        std::make_shared<const ZipArchive>(ZipArchive{.bytes = std::move(bytes), .data_end = directory.data_end});
    for (ZipEntry& entry : directory.entries) {
        const std::string origin = path + ": " + printable(entry.name);
        if (entry.name.ends_with('/')) {
            list_folder_entry(entry, origin, listing);
            continue;
        }
        std::optional<AssetName> name = listing.accept(entry.name, origin);
        if (!name)
            continue;
        if (std::optional<Error> defect = find_defect(entry)) {
            listing.refuse(entry.name, origin, std::move(*defect));
            continue;
        }
        listing.entries.push_back({.name = std::move(*name),
                                   .origin = origin,
                                   .size_bytes = entry.raw_bytes,
                                   .blob = make_zip_blob(archive, std::move(entry), origin)});
    }
    return ok();
}

}  // namespace fardel
