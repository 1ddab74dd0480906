#include "name_lookup.h"

#include <fardel/format/manifest.h>

#include <string>

namespace fardel {

NamePages::NamePages(const BundleTables& tables) noexcept
    : filters(tables.table(TableKind::name_filters).pages()),
      buckets(tables.table(TableKind::name_buckets).pages()),
      strings(tables.table(TableKind::strings).pages()),
      names(tables.table(TableKind::names).pages()),
      homes(home_buckets(tables.table(TableKind::names).count())),
      name_count(static_cast<std::uint32_t>(tables.table(TableKind::names).count())) {}

Result<std::optional<NameIndex>> read_name(const BundleTables& tables, const NameQuery& query) {
    const std::uint64_t names = tables.table(TableKind::names).count();
    if (names == 0 || query.name.size() > limits::kNameBytesMax)
        return std::optional<NameIndex>();
    // The filter first: most look-ups in a stack of mounts miss, and end with one read here.
    const PagedTable& filters = tables.table(TableKind::name_filters);
    FARDEL_TRY_ASSIGN(const std::byte* const filter, filters.touch(filter_word(query.hash, filters.count()) * 4, 4));
    if (!name_lookup::lets_through(filter, query.hash))
        return std::optional<NameIndex>();

    const std::uint64_t home = home_bucket(query.hash, home_buckets(names));
    // Names whose bucket is full are in the next ones. The bound keeps a hostile table from making each look-up a scan.
    for (std::uint64_t at = home; at - home <= limits::kNameSpillMax; ++at) {
        FARDEL_TRY_ASSIGN(const NameBucketRecord bucket,
                          tables.record<NameBucketRecord>(static_cast<std::uint32_t>(at)));
        for (std::size_t i = 0; i < bucket.used; ++i) {
            if (bucket.hashes[i] != query.hash >> 32)
                continue;
            if (bucket.names[i] >= names)
                return Error(ErrorCode::malformed,
                             "table name_buckets, record " + std::to_string(at) + ": it leads to no name");
            FARDEL_TRY_ASSIGN(const std::string_view text, tables.string(bucket.texts[i]));
            if (text.size() > limits::kNameBytesMax)
                continue;
            if (text == query.name || (query.rule == CaseRule::fold && names_fold_equal(text, query.name)))
                return std::optional(NameIndex{bucket.names[i]});
        }
        if (bucket.spills == 0)
            return std::optional<NameIndex>();
    }
    return Error(ErrorCode::malformed, "table name_buckets, record " + std::to_string(home) + ": it spills too far");
}

}  // namespace fardel
