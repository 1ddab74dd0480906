#include <fardel/format/derived_tables.h>

#include "tables/buckets.h"
#include "tables/page_tree.h"

#include <fardel/base/fits.h>
#include <fardel/base/little_endian.h>
#include <fardel/format/name.h>
#include <fardel/format/name_buckets.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kAssetBytes = record_bytes(TableKind::assets);
constexpr std::size_t kNameBytes = record_bytes(TableKind::names);

using Records = std::vector<std::byte>;

Result<std::string_view> find_text(std::span<const std::byte> strings, std::uint64_t at) {
    if (fits(at, sizeof(std::uint16_t), strings.size())) {
        const auto* const begin = reinterpret_cast<const char*>(strings.data()) + at;
        const auto length = load_le<std::uint16_t>(begin);
        if (fits(at + sizeof length, length, strings.size()))
            return std::string_view(begin + sizeof length, length);
    }
    return Error(ErrorCode::malformed, "the text of a name is not there");
}

class Derivation {
public:
    Derivation(const BundleHead& head, const LayoutHead& layout, const ByteSource& given, const TakeFileBytes& take)
        : head_(head), layout_(layout), given_(given), take_(take) {}

    Status run() {
        for (const TableEntry& entry : head_.tables)
            FARDEL_TRY(add(layout_.manifest_offset, entry));
        for (const TableEntry& entry : layout_.tables)
            FARDEL_TRY(add(layout_.layout_offset, entry));
        return ok();
    }

private:
    Status add(std::uint64_t section_offset, const TableEntry& entry) {
        const std::uint64_t offset = section_offset + entry.offset;
        const bool is_derived = is_look_up_table(entry.kind);
        FARDEL_TRY_ASSIGN(const Records records, is_derived ? derive(entry.kind) : read(section_offset, &entry));
        if (records.size() != entry.length_bytes)
            return Error(ErrorCode::malformed, "the table " + std::string(table_name(entry.kind)) + " has " +
                                                   std::to_string(entry.length_bytes) +
                                                   " bytes; what it looks up needs " + std::to_string(records.size()));
        if (is_derived)
            FARDEL_TRY(take_(offset, records));
        const PageTree tree = build_page_tree(entry.kind, records);
        std::vector<std::byte> rest(align_up(records.size(), kTableAlign) - records.size());
        rest.insert(rest.end(), tree.levels.begin(), tree.levels.end());
        return rest.empty() ? ok() : take_(offset + records.size(), rest);
    }

    // Nothing, for a table that there is not.
    Result<Records> read(std::uint64_t section_offset, const TableEntry* entry) const {
        Records records(entry ? static_cast<std::size_t>(entry->length_bytes) : 0);
        if (entry)
            FARDEL_TRY(given_.read_at(section_offset + entry->offset, records));
        return records;
    }
    Result<Records> read(TableKind kind) const { return read(layout_.manifest_offset, head_.find(kind)); }

    Result<Records> derive(TableKind kind) {
        if (kind == TableKind::asset_buckets)
            return derive_asset_buckets();
        FARDEL_TRY(derive_name_tables());
        return std::move(kind == TableKind::name_buckets ? name_buckets_ : name_filters_);
    }

    Result<Records> derive_asset_buckets() const {
        FARDEL_TRY_ASSIGN(const Records assets, read(TableKind::assets));
        const auto key_of = [&](std::uint32_t i) {
            AssetId id;
            std::memcpy(id.bytes.data(), assets.data() + i * kAssetBytes, id.bytes.size());
            return leading_bits(id);
        };
        FARDEL_TRY_ASSIGN(const std::vector<std::uint32_t> starts,
                          bucket_starts(static_cast<std::uint32_t>(assets.size() / kAssetBytes), key_of));
        Records records;
        records.reserve(starts.size() * sizeof starts[0]);
        for (const std::uint32_t start : starts)
            append_le(records, start);
        return records;
    }

    // Both tables, the first time.
    Status derive_name_tables() {
        if (std::exchange(has_name_tables_, true))
            return ok();
        FARDEL_TRY_ASSIGN(const Records names, read(TableKind::names));
        const auto text_of = [&](std::size_t name) { return load_le<StringRef>(names.data() + name * kNameBytes); };
        FARDEL_TRY_ASSIGN(const std::vector<HashedName> hashed, hash_names(names.size() / kNameBytes, text_of));
        FARDEL_TRY_ASSIGN(std::vector<NameBucketRecord> buckets, fill_name_buckets(hashed));
        name_buckets_.reserve(buckets.size() * record_bytes(TableKind::name_buckets));
        for (NameBucketRecord& bucket : buckets) {
            for (std::size_t slot = 0; slot < bucket.used; ++slot)
                bucket.texts[slot] = text_of(bucket.names[slot]);
            encode_record(bucket, name_buckets_);
        }
        for (const std::uint32_t filter : fill_name_filters(hashed))
            append_le(name_filters_, filter);
        return ok();
    }

    template <class TextOf>
    Result<std::vector<HashedName>> hash_names(std::size_t count, const TextOf& text_of) const {
        FARDEL_TRY_ASSIGN(const Records strings, read(TableKind::strings));
        const std::span<const std::byte> all(strings);
        std::vector<HashedName> hashed;
        hashed.reserve(count);
        std::uint64_t texts_bytes = 0;
        for (std::size_t i = 0; i < count; ++i) {
            FARDEL_TRY_ASSIGN(const std::string_view text, find_text(all, text_of(i)));
            // No two names have one text, so more than the table cannot be right, and hashing it would take long.
            if (texts_bytes += text.size(); texts_bytes > all.size())
                return Error(ErrorCode::malformed, "names share their texts");
            hashed.push_back({name_hash(text), static_cast<std::uint32_t>(i)});
        }
        std::ranges::sort(hashed);
        return hashed;
    }

    const BundleHead& head_;
    const LayoutHead& layout_;
    const ByteSource& given_;
    const TakeFileBytes& take_;
    bool has_name_tables_ = false;
    Records name_buckets_;
    Records name_filters_;
};

}  // namespace

Status derive_tables(const BundleHead& head, const LayoutHead& layout, const ByteSource& given,
                     const TakeFileBytes& take) {
    return Derivation(head, layout, given, take).run();
}

}  // namespace fardel
