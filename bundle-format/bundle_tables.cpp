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

std::uint64_t BundleTables::bucket_of(TableKind buckets, std::uint64_t key) const noexcept {
    const std::uint64_t count = table(buckets).count() - 1;   // a power of two: decode_head checked it
    const int bits = std::countr_zero(count);
    return bits == 0 ? 0 : key >> (64 - bits);
}

Result<BundleTables::Range> BundleTables::verify_range(TableKind buckets, std::uint64_t bucket, Range range, std::uint64_t records) {
    if (range.first > range.last || range.last > records)
        return Error(ErrorCode::malformed, "table " + std::string(table_name(buckets)) + ", record " + std::to_string(bucket) + ": out of order or range");
    if (range.last - range.first > limits::kBucketRecordsMax)
        return Error(ErrorCode::limit, "table " + std::string(table_name(buckets)) + ", record " + std::to_string(bucket) + ": more records in one bucket than allowed");
    return range;
}

Result<BundleTables::Range> BundleTables::asset_bucket(std::uint64_t leading, std::uint64_t records) const {
    const std::uint64_t bucket = bucket_of(TableKind::asset_buckets, leading);
    FARDEL_TRY_ASSIGN(const std::byte* pair, table(TableKind::asset_buckets).touch(bucket * 4, 8));
    return verify_range(TableKind::asset_buckets, bucket, {load_le<std::uint32_t>(pair), load_le<std::uint32_t>(pair + 4)}, records);
}

Result<BundleTables::Range> BundleTables::name_bucket(std::uint64_t hash, std::uint64_t records) const {
    const std::uint64_t bucket = bucket_of(TableKind::name_buckets, hash);
    const std::uint32_t wanted = name_filter(hash);
    FARDEL_TRY_ASSIGN(const std::byte* pair, table(TableKind::name_buckets).touch(bucket * 8, 16));
    if ((load_le<std::uint32_t>(pair + 4) & wanted) != wanted)
        return Range{};
    return verify_range(TableKind::name_buckets, bucket, {load_le<std::uint32_t>(pair), load_le<std::uint32_t>(pair + 8)}, records);
}

}  // namespace fardel
