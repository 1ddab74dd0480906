#include "library/library_index.h"

#include <fardel/format/sealed_record.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr SealedKind kLibraryKind{.subject = "library index", .magic = "FARDELLI", .version = 1};
constexpr std::size_t kLibraryNameMax = 255;
constexpr std::size_t kLibraryEntryBytesMin = 1 + 1 + 1 + 4 * 8;

enum LibraryEntryKind : std::uint8_t { kNoBundle = 0, kBundle = 1 };

LibraryEntry read_entry(ByteReader& reader) {
    LibraryEntry entry;
    entry.name = reader.sized_text<std::uint8_t>(kLibraryNameMax, "name");
    entry.stamp.kind = StampKind::file;
    entry.stamp.inode = reader.u64();
    entry.stamp.size_bytes = reader.u64();
    entry.stamp.modified_ns = static_cast<std::int64_t>(reader.u64());
    entry.stamp.changed_ns = static_cast<std::int64_t>(reader.u64());
    const std::uint8_t kind = reader.u8();
    if (kind > kBundle)
        reader.fail(ErrorCode::malformed, "an entry is of an unknown kind");
    if (kind == kBundle)
        entry.bundle = reader.fixed<BundleId>();
    return entry;
}

}  // namespace

std::vector<std::byte> encode_library_index(const LibraryIndex& index) {
    ByteWriter writer = begin_sealed(kLibraryKind);
    writer.u32(static_cast<std::uint32_t>(index.size()));
    for (const LibraryEntry& entry : index) {
        writer.sized_text<std::uint8_t>(entry.name);
        writer.u64(entry.stamp.inode);
        writer.u64(entry.stamp.size_bytes);
        writer.u64(static_cast<std::uint64_t>(entry.stamp.modified_ns));
        writer.u64(static_cast<std::uint64_t>(entry.stamp.changed_ns));
        writer.u8(entry.bundle ? kBundle : kNoBundle);
        if (entry.bundle)
            writer.fixed(*entry.bundle);
    }
    return seal(std::move(writer));
}

Result<LibraryIndex> decode_library_index(std::span<const std::byte> bytes) {
    if (bytes.size() > kLibraryIndexBytesMax)
        return Error(ErrorCode::limit, "library index: " + std::to_string(bytes.size()) + " bytes");
    FARDEL_TRY_ASSIGN(ByteReader reader, open_sealed(bytes, kLibraryKind));
    LibraryIndex index(static_cast<std::size_t>(reader.count<std::uint32_t>(kLibraryEntryBytesMin)));
    std::string_view before;
    for (LibraryEntry& entry : index) {
        entry = read_entry(reader);
        if (!reader.failed() && entry.name <= before)
            reader.fail(ErrorCode::malformed, "its names are not in order");
        before = entry.name;
    }
    FARDEL_TRY(reader.finish());
    return index;
}

}  // namespace fardel
