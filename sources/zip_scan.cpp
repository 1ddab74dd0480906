#include "source_listing.h"

#include "zip_blob.h"
#include "zip_links.h"

#include <fardel/base/ascii.h>
#include <fardel/sources/name_reading.h>
#include <fardel/sources/secret_files.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace fardel {
namespace {

struct ZipMethod {
    std::uint16_t number;
    std::string_view name;
};

// APPNOTE.TXT 6.3.10, section 4.4.5.
constexpr ZipMethod kZipMethods[] = {
    {1, "Shrink"},
    {2, "Reduce"},
    {3, "Reduce"},
    {4, "Reduce"},
    {5, "Reduce"},
    {6, "Implode"},
    {9, "Deflate64 (Windows Explorer)"},
    {10, "PKWARE DCL Implode"},
    {12, "BZip2"},
    {14, "LZMA"},
    {16, "IBM CMPSC"},
    {18, "IBM TERSE"},
    {19, "IBM LZ77"},
    {20, "Zstandard"},
    {93, "Zstandard"},
    {94, "MP3"},
    {95, "XZ"},
    {96, "JPEG"},
    {97, "WavPack"},
    {98, "PPMd"},
    {99, "AES encryption"},
};

std::string name_of_method(std::uint16_t number) {
    const auto found = std::ranges::find(kZipMethods, number, &ZipMethod::number);
    const std::string in_digits = "zip method " + std::to_string(number);
    return found == std::ranges::end(kZipMethods) ? in_digits : std::string(found->name) + " (" + in_digits + ")";
}

// Returns why an entry with a good name cannot be read; none if it can.
std::optional<Error> find_defect(const ZipEntry& entry) {
    if (entry.encrypted)
        return Error(ErrorCode::unsupported, "it is encrypted");
    if (entry.method != kZipStored && entry.method != kZipDeflated)
        return Error(ErrorCode::unsupported, "compressed by " + name_of_method(entry.method) +
                                                 "; only stored and deflated entries can be read, so make the zip "
                                                 "anew with Deflate");
    return std::nullopt;
}

void list_folder_entry(const ZipEntry& entry, const std::string& origin, SourceListing& listing) {
    const std::string_view name = std::string_view(entry.name).substr(0, entry.name.size() - 1);
    if (listing.accept_folder(name, origin) && entry.raw_bytes != 0)
        listing.refuse(entry.name, origin, Error(ErrorCode::malformed, "a folder that has bytes of its own"));
}

class ZipScan {
public:
    ZipScan(ZipBlobs blobs, std::span<const ZipEntry> entries, const std::string& path, SourceListing& listing)
        : blobs_(std::move(blobs)),
          source_(path + ": "),
          listing_(listing),
          links_(entries, [this](const ZipEntry& link) { return read_link(link); }) {}

    void list(const ZipEntry& entry) {
        // As the zip has it: people look for it there.
        const std::string item = printable(entry.raw_name.empty() ? entry.name : entry.raw_name);
        const std::string origin = source_.text() + item;
        // Windows programs end folders otherwise; they leave no trace, either.
        if (entry.name.ends_with('\\') && entry.raw_bytes == 0)
            return;
        if (entry.name.ends_with('/'))
            list_folder_entry(entry, origin, listing_);
        else if (entry.link)
            list_link(entry, origin);
        else
            add(entry.name, entry, item, origin);
    }

private:
    void add(const std::string& shown_name, const ZipEntry& entry, const std::string& item, const std::string& origin) {
        std::optional<AssetName> name = listing_.accept(shown_name, origin);
        if (!name)
            return;
        if (!entry.raw_name.empty() && shown_name == entry.name)
            listing_.renamed.push_back({.printable_name = printable(entry.raw_name), .origin = origin, .name = *name});
        if (std::optional<Error> defect = find_defect(entry))
            return listing_.refuse(shown_name, origin, std::move(*defect));
        const EntryOrigin shared_origin(source_, shared_if_equal(*name, item));
        listing_.entries.push_back({.name = std::move(*name),
                                    .origin = shared_origin,
                                    .size_bytes = entry.raw_bytes,
                                    .blob = blobs_.add(entry, shared_origin)});
    }

    void list_link(const ZipEntry& link, const std::string& origin) {
        const auto shown = links_.follow(link);
        if (!shown) {
            if (listing_.accept(link.name, origin))
                listing_.refuse(link.name, origin, shown.error());
            return;
        }
        for (const ZipLinks::Shown& one : *shown) {
            // The name of the link does not say so.
            if (has_secret_name(one.entry->name) && !has_secret_name(one.name))
                listing_.refuse(one.name, origin,
                                Error(ErrorCode::denied, "a symbolic link to \"" + printable(one.entry->name) +
                                                             "\": a file of this name has secrets"));
            else
                add(one.name, *one.entry, printable(one.name), source_.text() + printable(one.name));
        }
    }

    Result<std::string> read_link(const ZipEntry& link) {
        if (std::optional<Error> defect = find_defect(link))
            return *std::move(defect);
        FARDEL_TRY_ASSIGN(const auto stream, blobs_.add(link, EntryOrigin(source_, printable(link.name)))->open());
        std::string text(static_cast<std::size_t>(link.raw_bytes), '\0');
        std::size_t size = 0;
        for (std::size_t count = 1; count > 0 && size < text.size(); size += count) {
            FARDEL_TRY_ASSIGN(count, stream->read(std::as_writable_bytes(std::span(text)).subspan(size)));
        }
        return text.substr(0, size);
    }

    ZipBlobs blobs_;
    const SharedText source_;
    SourceListing& listing_;
    ZipLinks links_;
};

// Reads the name as the options say. A rule that renames an entry has the name as the zip has it.
void read_entry_name(ZipEntry& entry, const ScanOptions& options) {
    if (options.names.empty() || find_rename(options.renames, entry.name))
        return;
    std::string name = read_name(entry.name, entry.is_utf8 ? "utf-8" : options.names);
    if (name == entry.name || lower_ascii_text(options.names) == "exact")
        return;
    entry.raw_name = std::exchange(entry.name, std::move(name));
}

}  // namespace

Status list_zip(std::shared_ptr<const ByteSource> bytes, const std::string& path, SourceListing& listing) {
    FARDEL_TRY_ASSIGN(ZipDirectory directory, read_zip_directory(*bytes));
    for (const std::string& remark : directory.remarks)
        listing.remarks.push_back(path + ": " + remark);
    for (ZipEntry& entry : directory.entries)
        read_entry_name(entry, listing.options());
    ZipScan scan(ZipBlobs(std::move(bytes), directory.data_end, listing.archive_stamp), directory.entries, path,
                 listing);
    for (const ZipEntry& entry : directory.entries)
        scan.list(entry);
    return ok();
}

}  // namespace fardel
