#include "bundle_tables.h"

#include "bytes.h"

#include <bit>
#include <string>

namespace fardel {

Result<BundleTables> BundleTables::open(const ByteSource& source, const Head& head, const LayoutHead& layout) {
    BundleTables out;
    for (const TableEntry& entry : head.tables) {
        FARDEL_TRY_ASSIGN(out.tables_[slot(entry.kind)], PagedTable::open(source, layout.manifest_offset, entry));
    }
    for (const TableEntry& entry : layout.tables) {
        FARDEL_TRY_ASSIGN(out.tables_[slot(entry.kind)], PagedTable::open(source, layout.layout_offset, entry));
    }
    return out;
}

Result<std::string_view> BundleTables::string(StringRef ref) const {
    const PagedTable& strings = table(TableKind::strings);
    FARDEL_TRY_ASSIGN(const std::byte* length_bytes, strings.touch(ref, 2));
    const std::uint16_t length = load_le<std::uint16_t>(length_bytes);
    if (length == 0) return std::string_view();
    FARDEL_TRY_ASSIGN(const std::byte* bytes, strings.touch(std::uint64_t{ref} + 2, length));
    return std::string_view(reinterpret_cast<const char*>(bytes), length);
}

Result<BundleTables::Range> BundleTables::bucket(TableKind buckets, std::uint64_t key, std::uint64_t records) const {
    const std::uint64_t count = table(buckets).count() - 1;   // a power of two: decode_head checked it
    const int bits = std::countr_zero(count);
    const std::uint64_t index = bits == 0 ? 0 : key >> (64 - bits);
    FARDEL_TRY_ASSIGN(const std::byte* pair, table(buckets).touch(index * 4, 8));
    const Range range{load_le<std::uint32_t>(pair), load_le<std::uint32_t>(pair + 4)};
    if (range.first > range.last || range.last > records)
        return Error(ErrorCode::malformed, "table " + std::string(table_name(buckets)) + ", record " + std::to_string(index) + ": out of order or range");
    if (range.last - range.first > limits::kBucketRecordsMax)
        return Error(ErrorCode::limit, "table " + std::string(table_name(buckets)) + ", record " + std::to_string(index) + ": more records in one bucket than allowed");
    return range;
}

}  // namespace fardel
