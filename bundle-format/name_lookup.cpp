#include "name_lookup.h"

#include "bytes.h"

#include <fardel/format/limits.h>

#include <cstring>

namespace fardel {
namespace {

constexpr std::uint64_t kBucketBytes = 8;
constexpr std::uint64_t kRecordBytes = 16;
// One bucket's records lie in at most two pages, so peek() can answer.
static_assert(limits::kBucketRecordsMax * kRecordBytes <= limits::kPageBytes);

// How far one try came with what is verified already.
struct Try {
    enum class End : std::uint8_t { found, absent, unread, bad_bucket, full_bucket, bad_record } end = End::absent;
    std::uint32_t number = 0;                      // found: the name; bad: the bucket or record
    TableKind table = TableKind::name_buckets;     // unread: which bytes it takes to go on
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
};

Try unread(TableKind table, std::uint64_t offset, std::uint64_t length) { return {.end = Try::End::unread, .number = 0, .table = table, .offset = offset, .length = length}; }

// Look-ups wait for memory, several at once where a processor sees far enough ahead: so no Result in between, and as few
// instructions as can be.
inline Try try_name(const BundleTables& tables, std::uint32_t names, std::string_view name, std::uint64_t hash, CaseRule rule) {
    const std::uint32_t wanted = name_filter(hash);
    const std::uint64_t bucket = tables.bucket_of(TableKind::name_buckets, hash);
    const std::byte* const pair = tables.table(TableKind::name_buckets).peek(bucket * kBucketBytes, 2 * kBucketBytes);
    if (!pair)
        return unread(TableKind::name_buckets, bucket * kBucketBytes, 2 * kBucketBytes);
    if ((load_le<std::uint32_t>(pair + 4) & wanted) != wanted)
        return {};
    const auto first = load_le<std::uint32_t>(pair);
    const auto last = load_le<std::uint32_t>(pair + kBucketBytes);
    if (first > last || last > names)
        return {.end = Try::End::bad_bucket, .number = static_cast<std::uint32_t>(bucket)};
    if (last - first > limits::kBucketRecordsMax)
        return {.end = Try::End::full_bucket, .number = static_cast<std::uint32_t>(bucket)};
    if (first == last)
        return {};

    const PagedTable& strings = tables.table(TableKind::strings);
    const std::uint64_t length = (last - first) * kRecordBytes;
    const std::byte* record = tables.table(TableKind::name_index).peek(first * kRecordBytes, length);
    if (!record)
        return unread(TableKind::name_index, first * kRecordBytes, length);
    for (std::uint32_t i = first; i < last; ++i, record += kRecordBytes) {
        if (load_le<std::uint64_t>(record) != hash)
            continue;
        const auto index = load_le<std::uint32_t>(record + 8);
        const std::uint64_t text = load_le<std::uint32_t>(record + 12);
        if (index >= names)
            return {.end = Try::End::bad_record, .number = i};
        tables.table(TableKind::names).prefetch(index * kRecordBytes);
        strings.prefetch(text + 1 + name.size());   // where the text ends: in the next line, perhaps
        const std::byte* const size = strings.peek(text, 2);
        if (!size)
            return unread(TableKind::strings, text, 2);
        const std::size_t text_bytes = load_le<std::uint16_t>(size);
        if (text_bytes > limits::kNameBytesMax || (rule == CaseRule::exact && text_bytes != name.size()))
            continue;   // another of the same hash
        if (text_bytes == 0) {
            if (name.empty())
                return {.end = Try::End::found, .number = index};
            continue;
        }
        const std::byte* const bytes = strings.peek(text + 2, text_bytes);
        if (!bytes)
            return unread(TableKind::strings, text + 2, text_bytes);
        const std::string_view found(reinterpret_cast<const char*>(bytes), text_bytes);
        if (found == name || (rule == CaseRule::fold && names_fold_equal(found, name)))
            return {.end = Try::End::found, .number = index};
    }
    return {};
}

}  // namespace

Result<std::optional<NameIndex>> look_up_name(const BundleTables& tables, std::uint32_t names, std::string_view name, std::uint64_t hash, CaseRule rule) {
    if (names == 0)
        return std::optional<NameIndex>();
    // Each turn but the last verifies another page.
    for (;;) {
        const Try tried = try_name(tables, names, name, hash, rule);
        switch (tried.end) {
        case Try::End::found: return std::optional(NameIndex{tried.number});
        case Try::End::absent: return std::optional<NameIndex>();
        case Try::End::unread: FARDEL_TRY(tables.table(tried.table).touch(tried.offset, tried.length)); break;
        case Try::End::bad_bucket: return BundleTables::bucket_error(TableKind::name_buckets, tried.number, false);
        case Try::End::full_bucket: return BundleTables::bucket_error(TableKind::name_buckets, tried.number, true);
        case Try::End::bad_record: return Error(ErrorCode::malformed, "table name_index, record " + std::to_string(tried.number) + ": no such name");
        }
    }
}

}  // namespace fardel
