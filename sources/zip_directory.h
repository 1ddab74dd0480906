// ZipDirectory: the central directory of a zip, entry by entry; nothing is left out or repaired.
//
// PhysicsFS reads zips too, but hides some names (links, duplicates, entries that it cannot address), trusts their
// sizes, and takes 30 µs to open an entry. So the directory is read here, and zlib reads entries. Input is hostile:
// every number is compared with the file's size before it is used, and memory is bounded by the size of the directory,
// which has a limit. After APPNOTE.TXT 6.3.10, "ZIP File Format Specification", sections 4.3 to 4.5.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

inline constexpr std::uint64_t kZipDirectoryBytesMax = 1ull << 30;
inline constexpr std::size_t kZipLocalHeaderBytes = 30;  // without name and extra fields
inline constexpr std::uint16_t kZipStored = 0;
inline constexpr std::uint16_t kZipDeflated = 8;

// Where the bytes of an entry are, and what they have to be.
struct ZipExtent {
    std::uint64_t header_offset = 0;  // of the local header, in the file
    std::uint64_t stored_bytes = 0;
    std::uint64_t raw_bytes = 0;
    std::uint32_t crc32 = 0;       // of the raw bytes
    std::uint16_t method = 0;      // kZipStored, kZipDeflated, or another
    std::uint16_t name_bytes = 0;  // of the name in the record, which the local header usually repeats
};

struct ZipEntry : ZipExtent {
    std::string name;      // not checked: raw bytes, or those of the Unicode path field
    std::string raw_name;  // what a scan read `name` from; empty: they are the same
    bool encrypted = false;
    bool link = false;     // symbolic
    bool is_utf8 = false;  // the zip says that the name is
};

struct ZipDirectory {
    std::vector<ZipEntry> entries;     // in the directory's order
    std::uint64_t data_end = 0;        // the offset of the directory, where the bytes of entries end
    std::vector<std::string> remarks;  // what is unusual about it, for people
};

// Read as other programs read them, with a remark: zips with more entries than their count can say without zip64, with
// bytes behind their end, and with two records of one file. Errors: malformed (the directory contradicts itself or the
// file, or entries share bytes), limit, unsupported (several disks), io, corrupt.
Result<ZipDirectory> read_zip_directory(const ByteSource& source);

// Returns the offset of the entry's stored bytes, which follow its local header. Errors: corrupt (no such header), io.
Result<std::uint64_t> read_zip_data_offset(const ByteSource& source, std::uint64_t data_end, const ZipExtent& entry);

}  // namespace fardel
