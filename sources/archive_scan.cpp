#include "source_listing.h"

#include "zip_signature.h"

#include <fardel/format/appended_record.h>
#include <fardel/format/hash.h>

namespace fardel {
namespace {

struct Format {
    std::string_view extension;
    std::size_t signature_at;
    std::string_view signature;
};

// The formats besides zip that PhysicsFS 3.0.2 reads. Not among them are slb, which has no signature, so that any file
// might pass for it, and hog and iso, because PhysicsFS never returns from some crafted ones.
constexpr Format kPhysfsFormats[] = {
    {"7z", 0, "7z\xbc\xaf\x27\x1c"},
    {"pak", 0, "PACK"},
    {"wad", 0, "IWAD"},
    {"wad", 0, "PWAD"},
    {"grp", 0, "KenSilverman"},
    {"mvl", 0, "DMVL"},
    {"vdf", 256, "PSVDSC_V2.00\r\n\r\n"},
    {"vdf", 256, "PSVDSC_V2.00\n\r\n\r"},
};

// A bundle may contain bytes that also pass for a zip behind a program; it counts as a bundle only.
constexpr Format kBundle{"fardel", 0, "FARDEL\r\n"};

// A zip has several signatures, at either end: zip_signature.h.
constexpr Format kZip{kZipFormat, 0, ""};

Result<bool> has_signature(const ByteSource& bytes, const Format& format) {
    std::string there(format.signature.size(), '\0');
    if (bytes.size_bytes() < format.signature_at + there.size())
        return false;
    FARDEL_TRY(bytes.read_at(format.signature_at, std::as_writable_bytes(std::span(there))));
    return there == format.signature;
}

// The format whose signature the file has; nullptr if none.
Result<const Format*> find_format(const ByteSource& bytes) {
    FARDEL_TRY_ASSIGN(const bool is_bundle, has_signature(bytes, kBundle));
    if (is_bundle)
        return &kBundle;
    FARDEL_TRY_ASSIGN(const bool begins, begins_like_zip(bytes));
    if (begins)
        return &kZip;
    for (const Format& format : kPhysfsFormats) {
        FARDEL_TRY_ASSIGN(const bool found, has_signature(bytes, format));
        if (found)
            return &format;
    }
    // Before zips behind a program: a bundle's bytes may look like the end of one.
    FARDEL_TRY_ASSIGN(const auto appended, find_appended_record(bytes));
    if (appended)
        return &kBundle;
    FARDEL_TRY_ASSIGN(const bool ends, ends_like_zip(bytes));
    return ends ? &kZip : nullptr;
}

Status list_bytes(const std::shared_ptr<const ByteSource>& bytes, const std::string& path,
                  const ArchiveReader* archives, SourceListing& listing) {
    FARDEL_TRY_ASSIGN(const Format* format, find_format(*bytes));
    if (format == nullptr)
        return Error(
            ErrorCode::malformed,
            "neither a folder nor an archive of a kind that can be read: zip (pk3), 7z, pak, wad, grp, mvl, vdf");
    if (format == &kBundle)
        return Error(ErrorCode::unsupported,
                     "a Fardel bundle, which is no source; `fardel extract` gives the folder that it was made from");
    if (archives == nullptr)
        return Error(ErrorCode::unsupported,
                     "a legacy archive (" + std::string(format->extension) +
                         "), and no reader for archives was given; link fardel::archives and pass "
                         "make_archive_reader(), or in C fardel::c_archives and call fardel_enable_archives()");
    return archives->list(bytes, format->extension, path, listing);
}

}  // namespace

Status list_archive(const std::string& path, const ArchiveReader* archives, SourceListing& listing) {
    FARDEL_TRY_ASSIGN(const std::shared_ptr<const ByteSource> bytes, open_file_source(path));
    const std::string shown = printable(path, SIZE_MAX);
    Status listed = list_bytes(bytes, shown, archives, listing);
    return listed ? ok() : Status(std::move(listed).error().with_context(shown));
}

Hash version_in_archive(const PathStamp& archive, std::uint64_t place, std::string_view name) {
    const std::uint64_t numbers[] = {archive.inode, archive.size_bytes, static_cast<std::uint64_t>(archive.modified_ns),
                                     static_cast<std::uint64_t>(archive.changed_ns), place};
    Hasher hasher;
    hasher.update(std::as_bytes(std::span(numbers)));
    hasher.update(std::as_bytes(std::span(name)));
    return hasher.finish();
}

Result<SourceKind> find_archive_kind(const std::string& path) {
    FARDEL_TRY_ASSIGN(const std::shared_ptr<const ByteSource> bytes, open_file_source(path));
    const auto format = find_format(*bytes);
    if (!format)
        return Error(format.error()).with_context(printable(path, SIZE_MAX));
    return *format == nullptr ? SourceKind::other : *format == &kBundle ? SourceKind::bundle : SourceKind::archive;
}

}  // namespace fardel
