// The tables of one open bundle, with typed access: an index goes in, a checked record comes out.
#pragma once

#include "page_tree.h"

#include <fardel/format/bundle.h>

#include <array>
#include <bit>
#include <optional>

namespace fardel {

class BundleTables {
public:
    // Both heads have passed verify_sections. Error: limit.
    static Result<BundleTables> open(const ByteSource& source, const Head& head, const LayoutHead& layout);

    const PagedTable& table(TableKind kind) const noexcept { return tables_[slot(kind)]; }

    // Errors: malformed (no such record, or not a valid one), corrupt, io.
    template <class Record>
    Result<Record> record(TableKind kind, std::uint32_t index) const {
        const std::uint64_t size = record_bytes(kind);
        FARDEL_TRY_ASSIGN(const std::byte* bytes, table(kind).touch(index * size, size));
        return decode_record<Record>({bytes, size});
    }

    Result<std::string_view> string(StringRef ref) const;
    // Records [first, last) of the bucket that the leading bits of a key name; of `records` in all, > 0.
    struct Range {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
    };
    Result<Range> asset_bucket(std::uint64_t leading, std::uint64_t records) const;

    // Which bucket the leading bits of a key name.
    std::uint64_t bucket_of(TableKind buckets, std::uint64_t key) const noexcept {
        const std::uint64_t count = table(buckets).count() - 1;   // a power of two: decode_head checked it
        const int bits = std::countr_zero(count);
        return bits == 0 ? 0 : key >> (64 - bits);
    }
    // What is wrong with a bucket whose records are out of order, out of range, or too many.
    static Error bucket_error(TableKind buckets, std::uint64_t bucket, bool too_many);

private:
    static constexpr std::size_t kManifestKinds = 16;
    static std::size_t slot(TableKind kind) noexcept {
        const auto number = static_cast<std::size_t>(kind);
        return number < kManifestKinds ? number : kManifestKinds + number - static_cast<std::size_t>(TableKind::placements);
    }
    std::array<PagedTable, kManifestKinds + 2> tables_;
};

}  // namespace fardel
