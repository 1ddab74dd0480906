// The forge builds look-up tables and page trees by itself, so it is the witness here.
#include <fardel/format/derived_tables.h>

#include "bundle_forge/bundle_forge.h"
#include "kit/bytes.h"
#include "kit/test.h"

#include <fardel/base/little_endian.h>

#include <map>

namespace fardel::tests::derived_tables_test {

using forge::ForgedBundle;

// The file with everything that is derived set to zero.
Bytes without_derived(const ForgedBundle& bundle) {
    Bytes bytes = bundle.bytes;
    const auto keep = [&](std::uint64_t section_offset, std::uint64_t section_bytes,
                          const std::vector<TableEntry>& tables) {
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(section_offset), section_bytes, std::byte{0});
        for (const TableEntry& entry : tables)
            if (!is_look_up_table(entry.kind))
                std::copy_n(bundle.bytes.begin() + static_cast<std::ptrdiff_t>(section_offset + entry.offset),
                            entry.length_bytes,
                            bytes.begin() + static_cast<std::ptrdiff_t>(section_offset + entry.offset));
    };
    keep(bundle.layout_head.manifest_offset, bundle.head.manifest_bytes, bundle.head.tables);
    keep(bundle.layout_head.layout_offset, bundle.layout_head.layout_bytes, bundle.layout_head.tables);
    return bytes;
}

Result<Bytes> derived_again(const ForgedBundle& bundle) {
    Bytes bytes = without_derived(bundle);
    const auto given = make_memory_source(bytes);
    FARDEL_TRY(derive_tables(bundle.head, bundle.layout_head, *given,
                             [&](std::uint64_t offset, std::span<const std::byte> part) {
                                 REQUIRE(offset + part.size() <= bytes.size());
                                 std::ranges::copy(part, bytes.begin() + static_cast<std::ptrdiff_t>(offset));
                                 return ok();
                             }));
    return bytes;
}

TEST_CASE("derived tables: what is left out of a bundle follows from the rest, byte for byte") {
    for (const forge::Recipe& recipe : {forge::small_recipe(), forge::recipe_with_raw_pieces(), forge::wide_recipe(1),
                                        forge::wide_recipe(300), forge::wide_recipe(5000), forge::Recipe{}}) {
        const ForgedBundle bundle = forge::forge(recipe);
        CHECK((without_derived(bundle) != bundle.bytes) == !recipe.assets.empty());
        CHECK(value_of(derived_again(bundle)) == bundle.bytes);
    }
}

TEST_CASE("derived tables: a name whose text is not there, or the text of others, is malformed") {
    for (const std::uint32_t text : {0xffff'ffffu, 0x7fff'fff0u}) {
        forge::Draft draft = forge::draft(forge::wide_recipe(300));
        draft.names[17].text = text;
        CHECK(code_of(derived_again(forge::forge(draft))) == ErrorCode::malformed);
    }
    forge::Draft draft = forge::draft(forge::wide_recipe(300));
    const StringRef last = static_cast<StringRef>(draft.strings.size()) - 1;  // the length of a string needs two bytes
    draft.names[17].text = last;
    CHECK(code_of(derived_again(forge::forge(draft))) == ErrorCode::malformed);
}

TEST_CASE("derived tables: names that share one long text are not hashed one by one") {
    forge::Recipe recipe = forge::wide_recipe(2000);
    forge::Draft draft = forge::draft(recipe);
    const StringRef longest = draft.add_string(std::string(60'000, 'x'));
    for (NameRecord& name : draft.names)
        name.text = longest;
    CHECK(code_of(derived_again(forge::forge(draft))) == ErrorCode::malformed);
}

TEST_CASE("derived tables: a look-up table of another size than its head says is malformed") {
    for (const TableKind kind : {TableKind::asset_buckets, TableKind::name_buckets, TableKind::name_filters}) {
        CAPTURE(table_name(kind));
        forge::Draft draft = forge::draft(forge::wide_recipe(300));
        draft.edit_table = [&](TableKind edited, Bytes& records) {
            if (edited == kind)
                records.resize(records.size() + record_bytes(kind));
        };
        CHECK(code_of(derived_again(forge::forge(draft))) == ErrorCode::malformed);
    }
}

TEST_CASE("derived tables: assets that crowd one bucket are a limit") {
    forge::Draft draft = forge::draft(forge::wide_recipe(600));
    for (AssetRecord& asset : draft.assets)
        asset.id.bytes[0] = asset.id.bytes[1] = 0;
    CHECK(code_of(derived_again(forge::forge(draft))) == ErrorCode::limit);
}

TEST_CASE("derived tables: errors of the file and of the receiver are passed on") {
    const ForgedBundle bundle = forge::forge(forge::small_recipe());
    const auto cut = make_memory_source(Bytes(bundle.bytes.begin(), bundle.bytes.begin() + 9000));
    CHECK_FALSE(derive_tables(bundle.head, bundle.layout_head, *cut, [](auto&&...) { return ok(); }));
    const auto whole = make_memory_source(bundle.bytes);
    const Status full = derive_tables(bundle.head, bundle.layout_head, *whole,
                                      [](auto&&...) { return Error(ErrorCode::no_space, "full"); });
    CHECK(code_of(full) == ErrorCode::no_space);
}

}  // namespace fardel::tests::derived_tables_test
