// The tables of one open bundle with typed access: takes an index and returns a checked record.
#pragma once

#include "tables/page_tree.h"

#include <fardel/format/bundle.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <array>
#include <optional>

namespace fardel {

class BundleTables {
public:
    // Both heads have passed verify_sections. Error: limit.
    static Result<BundleTables> open(const ByteSource& source, const BundleHead& head, const LayoutHead& layout);

    const PagedTable& table(TableKind kind) const noexcept { return tables_[table_slot(kind)]; }

    // Errors: malformed (the index is past the end, or the record is not valid), corrupt, io.
    template <class Record>
    Result<Record> record(std::uint32_t index, TableKind kind = Record::kTable) const {
        constexpr std::uint64_t kSize = record_bytes(Record::kTable);
        FARDEL_TRY_ASSIGN(const std::byte* bytes, table(kind).touch(index * kSize, kSize));
        return decode_record<Record>({bytes, kSize});
    }

    Result<std::string_view> string(StringRef ref) const;
    // The assets [first, last) of the bucket that the leading bits of an id select; `assets` > 0 is the number of all
    // assets. Errors: malformed, limit, corrupt, io.
    struct Range {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
    };
    Result<Range> asset_bucket(std::uint64_t leading, std::uint64_t assets) const;

private:
    std::array<PagedTable, kTables.size() + 1> tables_;  // by table_slot; the last stays empty
};

}  // namespace fardel
