#include "bundle_tables.h"

#include "tables/buckets.h"

#include <fardel/base/little_endian.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <string>

namespace fardel {

Result<BundleTables> BundleTables::open(const ByteSource& source, const BundleHead& head, const LayoutHead& layout) {
    BundleTables out;
    for (const TableEntry& entry : head.tables) {
        FARDEL_TRY_ASSIGN(out.tables_[table_slot(entry.kind)], PagedTable::open(source, layout.manifest_offset, entry));
    }
    for (const TableEntry& entry : layout.tables) {
        FARDEL_TRY_ASSIGN(out.tables_[table_slot(entry.kind)], PagedTable::open(source, layout.layout_offset, entry));
    }
    return out;
}

Result<std::string_view> BundleTables::string(StringRef ref) const {
    const PagedTable& strings = table(TableKind::strings);
    FARDEL_TRY_ASSIGN(const std::byte* length_bytes, strings.touch(ref, 2));
    const std::uint16_t length = load_le<std::uint16_t>(length_bytes);
    if (length == 0)
        return std::string_view();
    FARDEL_TRY_ASSIGN(const std::byte* bytes, strings.touch(std::uint64_t{ref} + 2, length));
    return std::string_view(reinterpret_cast<const char*>(bytes), length);
}

Result<BundleTables::Range> BundleTables::asset_bucket(std::uint64_t leading, std::uint64_t assets) const {
    const PagedTable& buckets = table(TableKind::asset_buckets);
    const std::uint64_t bucket = bucket_of(leading, buckets.count() - 1);  // a power of two: decode_head checked it
    FARDEL_TRY_ASSIGN(const std::byte* pair, buckets.touch(bucket * 4, 8));
    const Range range{load_le<std::uint32_t>(pair), load_le<std::uint32_t>(pair + 4)};
    const bool in_order = range.first <= range.last && range.last <= assets;
    // Asset ids are not secret, so an author could put a million of them into one bucket and slow down every look-up.
    if (in_order && range.last - range.first <= limits::kBucketRecordsMax)
        return range;
    const std::string subject = "table asset_buckets, record " + std::to_string(bucket);
    return in_order ? Error(ErrorCode::limit, subject + ": more assets in one bucket than allowed")
                    : Error(ErrorCode::malformed, subject + ": out of order or range");
}

}  // namespace fardel
