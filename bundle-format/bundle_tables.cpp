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

Error BundleTables::bucket_error(TableKind buckets, std::uint64_t bucket, bool too_many) {
    const std::string place = "table " + std::string(table_name(buckets)) + ", record " + std::to_string(bucket);
    return too_many ? Error(ErrorCode::limit, place + ": more records in one bucket than allowed") : Error(ErrorCode::malformed, place + ": out of order or range");
}

Result<BundleTables::Range> BundleTables::asset_bucket(std::uint64_t leading, std::uint64_t records) const {
    const std::uint64_t bucket = bucket_of(TableKind::asset_buckets, leading);
    FARDEL_TRY_ASSIGN(const std::byte* pair, table(TableKind::asset_buckets).touch(bucket * 4, 8));
    const Range range{load_le<std::uint32_t>(pair), load_le<std::uint32_t>(pair + 4)};
    const bool in_order = range.first <= range.last && range.last <= records;
    if (!in_order || range.last - range.first > limits::kBucketRecordsMax)
        return bucket_error(TableKind::asset_buckets, bucket, in_order);
    return range;
}

}  // namespace fardel
