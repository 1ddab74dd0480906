// Tables in the form in which they change least: what it changes, and that it can be turned back.
#include <fardel/delivery/stable_tables.h>

#include "kit/blobs.h"
#include "kit/bundles.h"
#include "kit/bytes.h"

#include <set>

namespace fardel::tests::stable_tables_test {

// `count` files from number `from` on, of which some blocks hold many and some one; and names of all kinds.
Bytes bundle_of(std::uint32_t from, std::uint32_t count) {
    BundlePlan plan;
    for (std::uint32_t i = from; i < from + count; ++i) {
        const std::string number = std::to_string(100'000 + i);
        add(plan, "scripts/" + number + ".txt", number + std::string(i % 50 * 40, 'x'));
    }
    add(plan, "music/long.ogg", std::string(300'000, 'm'), "audio/ogg", true);
    plan.names.push_back({.name = name_of("hidden.txt"), .variants = {}});
    const std::uint32_t low = add_asset(plan, "low", "low");
    const std::uint32_t high = add_asset(plan, "high", "high");
    plan.names.push_back(
        {.name = name_of("stone.tga"),
         .variants = {{.asset = low}, {.asset = high, .tags = {{.axis = "quality", .value = "high"}}}}});
    return written(plan);
}

Bytes plain_of(const TableImage& image, const ByteSource& file) {
    Bytes bytes(static_cast<std::size_t>(image.size_bytes()));
    CHECK(image.read(file, 0, bytes));
    return bytes;
}

Bytes stable_of(const StableTables& tables) {
    Bytes bytes(static_cast<std::size_t>(tables.image().size_bytes()));
    CHECK(tables.read(0, bytes));
    return bytes;
}

const TableImage::Table& table_of(const TableImage& image, TableKind kind) {
    const auto tables = image.tables();
    const auto found = std::ranges::find(tables, kind, &TableImage::Table::kind);
    REQUIRE(found != tables.end());
    return *found;
}

std::set<std::string> records_of(const TableImage& image, TableKind kind, const Bytes& bytes) {
    const TableImage::Table& table = table_of(image, kind);
    const auto* const begin = reinterpret_cast<const char*>(bytes.data()) + table.offset;
    std::set<std::string> records;
    for (std::uint64_t at = 0; at < table.length_bytes; at += record_bytes(kind))
        records.emplace(begin + at, record_bytes(kind));
    return records;
}

TEST_CASE("stable tables: the keys of assets are the first bytes of their ids, and increase") {
    AssetKeys keys(6);
    for (const std::uint32_t bits : {7u, 7u, 7u, 9u, 0xffff'ffffu, 0xffff'ffffu})
        keys.add(bits);
    const std::vector<std::uint32_t> expected = {7, 8, 9, 10, 0xffff'fffe, 0xffff'ffff};
    for (std::uint32_t i = 0; i < expected.size(); ++i) {
        CHECK(keys.key_of(i) == expected[i]);
        CHECK(value_of(keys.index_of(expected[i])) == i);
    }
    CHECK(keys.key_of(6) == 6);
    CHECK(code_of(keys.index_of(11)) == ErrorCode::malformed);
    CHECK(code_of(keys.index_of(0)) == ErrorCode::malformed);

    // Ids that are not in order are hostile; their keys differ nevertheless.
    AssetKeys unsorted(3);
    for (const std::uint32_t bits : {0xffff'ffffu, 3u, 1u})
        unsorted.add(bits);
    for (std::uint32_t i = 0; i < 3; ++i)
        CHECK(value_of(unsorted.index_of(unsorted.key_of(i))) == i);
    CHECK(code_of(AssetKeys().index_of(0)) == ErrorCode::malformed);
}

TEST_CASE("stable tables: what is turned back is the tables, in parts of any number of records") {
    const auto bundle = open_bundle(bundle_of(0, 700));
    const TableImage image = new_tables_of(*bundle);
    const Bytes stable = stable_of(value_of(StableTables::open(image, *bundle->source())));
    const Bytes plain = plain_of(image, *bundle->source());
    CHECK(stable.size() == plain.size());
    CHECK(stable != plain);
    for (const std::size_t records : {1u, 3u, 1000u}) {
        Bytes restored = stable;
        TableRestorer restorer(image);
        std::vector<std::uint64_t> ends;
        for (const TableImage::Table& table : image.tables())
            for (std::uint64_t at = 0; at < table.length_bytes; at += records * record_bytes(table.kind))
                ends.push_back(table.offset + at);
        ends.push_back(restored.size());
        std::uint64_t begin = 0;
        for (const std::uint64_t end : ends) {
            CHECK(restorer.restore(std::span(restored).subspan(begin, end - begin)));
            begin = end;
        }
        CHECK(restored == plain);
        Bytes more(1);
        CHECK(code_of(restorer.restore(more)) == ErrorCode::malformed);
    }
}

TEST_CASE("stable tables: each range reads as the same part of the whole") {
    const auto bundle = open_bundle(bundle_of(0, 200));
    const StableTables tables = value_of(StableTables::open(old_tables_of(*bundle), *bundle->source()));
    const Bytes whole = stable_of(tables);
    FARDEL_RANDOM(random);
    for (int i = 0; i < 2000; ++i) {
        const std::size_t begin = random() % (whole.size() + 1);
        const std::size_t length = std::min<std::size_t>(whole.size() - begin, random() % (i % 2 == 0 ? 100 : 5000));
        Bytes part(length);
        CHECK(tables.read(begin, part));
        CHECK(std::ranges::equal(part, std::span(whole).subspan(begin, length)));
    }
}

TEST_CASE("stable tables: a file before all others changes the records of few") {
    const auto old = open_bundle(bundle_of(1, 1000));
    const auto target = open_bundle(bundle_of(0, 1001));
    const TableImage old_image = old_tables_of(*old);
    const TableImage image = old_tables_of(*target);
    const Bytes old_stable = stable_of(value_of(StableTables::open(old_image, *old->source())));
    const Bytes stable = stable_of(value_of(StableTables::open(image, *target->source())));
    const auto count_new = [&](const Bytes& before, const Bytes& after) {
        const auto known = records_of(old_image, TableKind::names, before);
        return std::ranges::count_if(records_of(image, TableKind::names, after),
                                     [&](const std::string& record) { return !known.contains(record); });
    };
    CHECK(count_new(plain_of(old_image, *old->source()), plain_of(image, *target->source())) > 900);
    CHECK(count_new(old_stable, stable) <= 3);
}

TEST_CASE("stable tables: parts that end inside records, and keys of no asset, are malformed") {
    const auto bundle = open_bundle(bundle_of(0, 50));
    const TableImage image = new_tables_of(*bundle);
    const Bytes stable = stable_of(value_of(StableTables::open(image, *bundle->source())));
    for (const TableKind kind : {TableKind::assets, TableKind::names, TableKind::blocks}) {
        Bytes bytes = stable;
        TableRestorer restorer(image);
        const std::uint64_t inside = table_of(image, kind).offset + record_bytes(kind) + 1;
        CHECK(code_of(restorer.restore(std::span(bytes).first(inside))) == ErrorCode::malformed);
    }
    // In the first name, whose target is an asset's.
    Bytes bytes = stable;
    const std::uint64_t names = table_of(image, TableKind::names).offset;
    bytes[names + 10] = bytes[names + 10] & ~std::byte{6};
    for (std::size_t i = 4; i < 8; ++i)
        bytes[names + i] = std::byte{0};
    CHECK(code_of(TableRestorer(image).restore(bytes)) == ErrorCode::malformed);
}

}  // namespace fardel::tests::stable_tables_test
