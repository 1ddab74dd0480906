#include "zip_directory.h"

#include "crc32.h"
#include "zip_signature.h"

#include <fardel/base/fits.h>
#include <fardel/base/little_endian.h>
#include <fardel/base/sort_unless_sorted.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t kLocalHeaderSignature = 0x0403'4b50;
constexpr std::uint32_t kRecordSignature = 0x0201'4b50;
constexpr std::uint32_t kEnd64Signature = 0x0606'4b50;
constexpr std::uint32_t kLocatorSignature = 0x0706'4b50;

constexpr std::size_t kRecordBytes = 46;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::uint16_t kZip64Field = 1;
constexpr std::uint16_t kUnicodePathField = 0x7075;
constexpr std::uint32_t kUnixLink = 0120000 >> 12;  // S_IFLNK, in the uppermost bits of the external attributes
constexpr std::uint16_t kHostUnix = 3;
constexpr std::uint16_t kHostMac = 19;
constexpr std::uint16_t kNameIsUtf8 = 1 << 11;  // of the flags
constexpr std::uint64_t kCountWraps = 1u << 16;

std::uint16_t u16(Bytes bytes, std::size_t at) { return load_le<std::uint16_t>(bytes.data() + at); }
std::uint32_t u32(Bytes bytes, std::size_t at) { return load_le<std::uint32_t>(bytes.data() + at); }
std::uint64_t u64(Bytes bytes, std::size_t at) { return load_le<std::uint64_t>(bytes.data() + at); }

Error malformed(std::string what) { return Error(ErrorCode::malformed, "zip: " + std::move(what)); }

// The location of the directory and its number of records, as the end of the file states them.
struct DirectoryLocation {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
    std::uint64_t gap_bytes = 0;     // between the directory and the end record
    bool count_wraps = false;        // the count has 16 bits, and is what is left of a larger one
    std::uint64_t prefix_bytes = 0;  // what precedes the zip; every offset in the zip counts from its end
};

Result<std::vector<std::byte>> read(const ByteSource& source, std::uint64_t offset, std::uint64_t bytes) {
    std::vector<std::byte> out(bytes);
    FARDEL_TRY(source.read_at(offset, out));
    return out;
}

// Checks the location of a directory that ends at `end`, and turns its offset from the start of the zip into one in the
// file.
Result<DirectoryLocation> locate(DirectoryLocation location, std::uint64_t end) {
    if (!fits(location.offset, location.bytes, end))
        return malformed("its directory of " + std::to_string(location.bytes) + " bytes at " +
                         std::to_string(location.offset) + " does not end before byte " + std::to_string(end));
    if (location.bytes > kZipDirectoryBytesMax)
        return Error(ErrorCode::limit, "zip: a directory of " + std::to_string(location.bytes) + " bytes, more than " +
                                           std::to_string(kZipDirectoryBytesMax));
    if (location.count > location.bytes / kRecordBytes)
        return malformed("its directory of " + std::to_string(location.bytes) + " bytes cannot have " +
                         std::to_string(location.count) + " entries");
    // Self-extracting programs precede a zip, whose offsets then count from its own start: the directory's end is what
    // is certain.
    location.prefix_bytes = end - location.bytes - location.offset;
    location.offset += location.prefix_bytes;
    return location;
}

// `end_at` is the offset of the end record. The locator of a zip64 is right before it, and the zip64 end record before
// that.
Result<std::optional<DirectoryLocation>> find_zip64_location(const ByteSource& source, std::uint64_t end_at) {
    if (end_at < kLocatorBytes + kEnd64Bytes)
        return std::optional<DirectoryLocation>();
    const std::uint64_t at = end_at - kLocatorBytes - kEnd64Bytes;
    FARDEL_TRY_ASSIGN(const std::vector<std::byte> bytes, read(source, at, kLocatorBytes + kEnd64Bytes));
    const Bytes record = Bytes(bytes).first(kEnd64Bytes);
    const Bytes locator = Bytes(bytes).subspan(kEnd64Bytes);
    if (u32(locator, 0) != kLocatorSignature)
        return std::optional<DirectoryLocation>();
    // The record is looked for where it has to be and not where the locator says, so that both cannot name two
    // directories.
    if (u32(record, 0) != kEnd64Signature || u64(record, 4) != kEnd64Bytes - 12)
        return malformed("no zip64 end record where its locator says");
    if (u32(locator, 4) != 0 || u32(locator, 16) > 1 || u32(record, 16) != 0 || u32(record, 20) != 0 ||
        u64(record, 24) != u64(record, 32))
        return Error(ErrorCode::unsupported, "zip: split over several disks");
    FARDEL_TRY_ASSIGN(DirectoryLocation location,
                      locate({.offset = u64(record, 48), .bytes = u64(record, 40), .count = u64(record, 32)}, at));
    if (!fits(location.prefix_bytes, u64(locator, 8), at) || location.prefix_bytes + u64(locator, 8) != at)
        return malformed("its zip64 end record and the locator disagree");
    return std::optional(location);
}

Result<DirectoryLocation> read_location(const ByteSource& source) {
    FARDEL_TRY_ASSIGN(const std::optional<std::uint64_t> end_at, find_zip_end(source));
    if (!end_at)
        return malformed("no end record; the file is cut off, or no zip");
    FARDEL_TRY_ASSIGN(const std::optional<DirectoryLocation> zip64, find_zip64_location(source, *end_at));
    if (zip64)
        return *zip64;
    FARDEL_TRY_ASSIGN(const std::vector<std::byte> end, read(source, *end_at, kZipEndBytes));
    if (u16(end, 4) != 0 || u16(end, 6) != 0 || u16(end, 8) != u16(end, 10))
        return Error(ErrorCode::unsupported, "zip: split over several disks");
    FARDEL_TRY_ASSIGN(
        DirectoryLocation location,
        locate({.offset = u32(end, 16), .bytes = u32(end, 12), .count = u16(end, 10), .count_wraps = true}, *end_at));
    // Bytes behind the directory look like bytes in front of the zip, unless the directory is where it says.
    const auto has_record = [&](std::uint64_t at) -> Result<bool> {
        std::array<std::byte, 4> first{};
        if (!fits(at, first.size(), *end_at))
            return false;
        FARDEL_TRY(source.read_at(at, first));
        return u32(first, 0) == kRecordSignature;
    };
    FARDEL_TRY_ASSIGN(const bool found, has_record(location.offset));
    FARDEL_TRY_ASSIGN(const bool as_stated, has_record(location.offset - location.prefix_bytes));
    if (!found && as_stated) {
        location.gap_bytes = std::exchange(location.prefix_bytes, 0);
        location.offset -= location.gap_bytes;
    }
    return location;
}

struct ExtraField {
    std::uint16_t kind = 0;
    Bytes bytes;
};

// Takes the first field off the front. Nothing: there is none, or it is longer than what is left.
std::optional<ExtraField> cut_extra_field(Bytes& extra) {
    if (extra.size() < 4 || u16(extra, 2) > extra.size() - 4)
        return std::nullopt;
    const std::size_t size = u16(extra, 2);
    const ExtraField field{.kind = u16(extra, 0), .bytes = extra.subspan(4, size)};
    extra = extra.subspan(4 + size);
    return field;
}

// Replaces the values that did not fit into 32 bits by those of the zip64 extra field, which has no others.
Status apply_zip64(Bytes extra, ZipEntry& entry) {
    constexpr std::uint64_t kElsewhere = 0xffff'ffff;
    std::array<std::uint64_t*, 3> values{&entry.raw_bytes, &entry.stored_bytes, &entry.header_offset};
    if (std::ranges::none_of(values, [](const std::uint64_t* value) { return *value == kElsewhere; }))
        return ok();
    while (const auto next = cut_extra_field(extra)) {
        if (next->kind != kZip64Field)
            continue;
        Bytes field = next->bytes;
        for (std::uint64_t* value : values) {
            if (*value != kElsewhere)
                continue;
            if (field.size() < 8)
                return malformed("a zip64 field is too short");
            *value = u64(field, 0);
            field = field.subspan(8);
        }
        return ok();
    }
    return ok();  // a file of exactly 4 GiB - 1
}

// The name in the Unicode path field, if that belongs to the name in the header: the field has its CRC-32.
std::optional<std::string> find_unicode_path(Bytes extra, Bytes name) {
    while (const auto next = cut_extra_field(extra)) {
        const Bytes field = next->bytes;
        if (next->kind != kUnicodePathField || field.size() < 5 || field[0] != std::byte{1})
            continue;
        Crc32 crc32;
        crc32.update(name);
        if (crc32.value() == u32(field, 1))
            return std::string(as_text(field.subspan(5)));
    }
    return std::nullopt;
}

// Decodes the record at the front of `bytes` and removes it from them.
Result<ZipEntry> decode_record(Bytes& bytes) {
    // Only the directory counts: local headers may say something else, and are not read for names or sizes.
    if (bytes.size() < kRecordBytes || u32(bytes, 0) != kRecordSignature)
        return malformed("no record where its directory should have one");
    const std::size_t name_bytes = u16(bytes, 28);
    const std::size_t extra_bytes = u16(bytes, 30);
    const std::size_t all_bytes = kRecordBytes + name_bytes + extra_bytes + u16(bytes, 32);
    if (bytes.size() < all_bytes)
        return malformed("a record reaches past the end of its directory");
    if (u16(bytes, 34) != 0)
        return Error(ErrorCode::unsupported, "zip: split over several disks");
    const Bytes name = bytes.subspan(kRecordBytes, name_bytes);
    const Bytes extra = bytes.subspan(kRecordBytes + name_bytes, extra_bytes);
    const auto unicode_path = find_unicode_path(extra, name);
    // Other systems have other attributes there.
    const std::uint16_t host = u16(bytes, 4) >> 8;
    ZipEntry entry{{.header_offset = u32(bytes, 42),
                    .stored_bytes = u32(bytes, 20),
                    .raw_bytes = u32(bytes, 24),
                    .crc32 = u32(bytes, 16),
                    .method = u16(bytes, 10),
                    .name_bytes = u16(bytes, 28)}};
    entry.name = unicode_path ? *unicode_path : as_text(name);
    entry.encrypted = (u16(bytes, 8) & 1) != 0;
    entry.link = (host == kHostUnix || host == kHostMac) && u32(bytes, 38) >> 28 == kUnixLink;
    entry.is_utf8 = unicode_path.has_value() || (u16(bytes, 8) & kNameIsUtf8) != 0;
    FARDEL_TRY(apply_zip64(extra, entry));
    bytes = bytes.subspan(all_bytes);
    return entry;
}

Error about(const ZipEntry& entry, const char* what) { return malformed('"' + printable(entry.name) + "\" " + what); }

Status verify_entry(const ZipEntry& entry, std::uint64_t data_end) {
    if (!fits(entry.header_offset, kZipLocalHeaderBytes, data_end) ||
        !fits(entry.header_offset + kZipLocalHeaderBytes, entry.stored_bytes, data_end))
        return about(entry, "reaches past the data");
    if (entry.method == kZipStored && !entry.encrypted && entry.stored_bytes != entry.raw_bytes)
        return about(entry, "is stored with two different sizes");
    return ok();
}

// By the offsets of their headers. Records of one file are adjacent, in the directory's order.
std::vector<const ZipEntry*> sorted_by_offset(const std::vector<ZipEntry>& entries) {
    std::vector<const ZipEntry*> by_offset;
    by_offset.reserve(entries.size());
    for (const ZipEntry& entry : entries)
        by_offset.push_back(&entry);
    sort_unless_sorted(by_offset, [](const ZipEntry* entry) {
        return std::tuple(entry->header_offset, std::string_view(entry->name), entry);
    });
    return by_offset;
}

// With entries that share bytes, a small file unpacks to more than any honest one (Fifield, "A better zip bomb").
Status verify_apart(const std::vector<ZipEntry>& entries) {
    const std::vector<const ZipEntry*> by_offset = sorted_by_offset(entries);
    for (std::size_t i = 1; i < by_offset.size(); ++i) {
        const ZipEntry& before = *by_offset[i - 1];
        if (by_offset[i]->header_offset < before.header_offset + kZipLocalHeaderBytes + before.stored_bytes)
            return about(*by_offset[i], ("shares bytes with \"" + printable(before.name) + '"').c_str());
    }
    return ok();
}

// Removes all but the last of several records of one file, which some programs write when they change a zip.
void drop_repeated(ZipDirectory& directory) {
    const std::vector<const ZipEntry*> by_offset = sorted_by_offset(directory.entries);
    std::vector<bool> has_later(by_offset.size());
    for (std::size_t i = 1; i < by_offset.size(); ++i) {
        const ZipEntry& before = *by_offset[i - 1];
        if (before.header_offset == by_offset[i]->header_offset && before.name == by_offset[i]->name)
            has_later[static_cast<std::size_t>(&before - directory.entries.data())] = true;
    }
    const auto dropped = std::ranges::count(has_later, true);
    if (dropped == 0)
        return;
    directory.remarks.push_back(std::to_string(dropped) + " records of files that have a later one; the last counts");
    std::size_t i = 0;
    std::erase_if(directory.entries, [&](const ZipEntry&) { return has_later[i++]; });
}

// The bytes behind the end record and its comment, which have nothing to do with the zip.
Result<std::uint64_t> bytes_behind(const ByteSource& source) {
    FARDEL_TRY_ASSIGN(const std::optional<std::uint64_t> end_at, find_zip_end(source));
    if (!end_at)
        return std::uint64_t{0};
    FARDEL_TRY_ASSIGN(const std::vector<std::byte> end, read(source, *end_at, kZipEndBytes));
    return source.size_bytes() - *end_at - kZipEndBytes - u16(end, 20);
}

}  // namespace

Result<ZipDirectory> read_zip_directory(const ByteSource& source) {
    FARDEL_TRY_ASSIGN(const DirectoryLocation location, read_location(source));
    FARDEL_TRY_ASSIGN(const std::vector<std::byte> bytes, read(source, location.offset, location.bytes));
    ZipDirectory directory{.data_end = location.offset};
    directory.entries.reserve(location.count);
    Bytes rest = bytes;
    while (!rest.empty()) {
        FARDEL_TRY_ASSIGN(ZipEntry entry, decode_record(rest));
        if (!fits(entry.header_offset, location.prefix_bytes, UINT64_MAX))
            return about(entry, "reaches past the data");
        entry.header_offset += location.prefix_bytes;
        FARDEL_TRY(verify_entry(entry, directory.data_end));
        directory.entries.push_back(std::move(entry));
    }
    // Readers disagree about a directory with more records than it counts: one would show names that another hides.
    // Where the count is too small for the number, they read on.
    const std::uint64_t count = directory.entries.size();
    if (count != location.count && !(location.count_wraps && count % kCountWraps == location.count))
        return malformed("its directory has " + std::to_string(count) + " entries, and counts " +
                         std::to_string(location.count));
    if (count != location.count)
        directory.remarks.push_back(std::to_string(count) + " entries, of which it counts " +
                                    std::to_string(location.count) + "; it should be zip64");
    if (location.gap_bytes != 0)
        directory.remarks.push_back(std::to_string(location.gap_bytes) + " bytes behind the directory of the zip");
    FARDEL_TRY_ASSIGN(const std::uint64_t behind, bytes_behind(source));
    if (behind != 0)
        directory.remarks.push_back(std::to_string(behind) + " bytes behind the end of the zip");
    drop_repeated(directory);
    FARDEL_TRY(verify_apart(directory.entries));
    return directory;
}

Result<std::uint64_t> read_zip_data_offset(const ByteSource& source, std::uint64_t data_end, const ZipExtent& entry) {
    std::array<std::byte, kZipLocalHeaderBytes> header{};
    FARDEL_TRY(source.read_at(entry.header_offset, header));
    if (u32(header, 0) != kLocalHeaderSignature)
        return Error(ErrorCode::corrupt, "no local header where the zip's directory says");
    const std::uint64_t offset = entry.header_offset + kZipLocalHeaderBytes + u16(header, 26) + u16(header, 28);
    if (!fits(offset, entry.stored_bytes, data_end))
        return Error(ErrorCode::corrupt, "its bytes reach into the zip's directory");
    return offset;
}

}  // namespace fardel
