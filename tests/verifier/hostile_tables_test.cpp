// Hostile tables under valid hashes: reader and verifier end soon and access no memory out of bounds.
#include "defects.h"
#include "kit/test.h"

#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>

namespace fardel::tests::hostile_tables_test {

constexpr std::uint32_t kOddNumbers[] = {
    0, 1, 2, 3, 63, 64, 255, 256, 4095, 4096, 65535, 65536, 262144, 0x7fff'ffff, 0x8000'0000, 0xffff'fff0, 0xffff'ffff};

// FARDEL_TEST_SEED=17 repeats the test of one seed.
std::vector<std::uint32_t> seeds() {
    if (const auto seed = tests::given_seed())
        return {static_cast<std::uint32_t>(*seed)};
    std::vector<std::uint32_t> all(400);
    for (std::uint32_t i = 0; i < all.size(); ++i)
        all[i] = i;
    return all;
}

// A few numbers of a few tables are replaced; records may be dropped, doubled or swapped.
forge::ForgedBundle hostile_bundle(std::uint32_t seed) {
    std::mt19937 random(seed);
    forge::Draft draft = forge::draft(seed % 3 == 0 ? forge::wide_recipe(300) : forge::small_recipe());
    draft.edit_table = [&](TableKind kind, forge::Bytes& records) {
        if (records.empty() || random() % 3 != 0)
            return;
        const std::size_t record = record_bytes(kind);
        for (std::uint32_t edits = 1 + random() % 4; edits > 0; --edits) {
            const std::size_t at = random() % records.size() / 4 * 4;
            const std::uint32_t number = random() % 2 == 0 ? kOddNumbers[random() % std::size(kOddNumbers)]
                                                           : static_cast<std::uint32_t>(random());
            for (std::size_t i = 0; i < 4 && at + i < records.size(); ++i)
                records[at + i] = static_cast<std::byte>(number >> 8 * i);
        }
        const bool counted = kind == TableKind::asset_buckets || kind == TableKind::names ||
                             kind == TableKind::name_buckets || kind == TableKind::name_filters;
        if (!counted && kind != TableKind::assets && kind != TableKind::placements && random() % 8 == 0)
            records.resize(records.size() - record);
    };
    return forge::forge(draft);
}

// Reads everything as a game would, and ignores errors.
void read_all_of(const Bundle& bundle) {
    for (std::uint32_t i = 0; i < bundle.name_count(); ++i) {
        const auto name = bundle.name(NameIndex{i});
        if (!name)
            continue;
        if (const auto text = bundle.string(name->text))
            (void)bundle.find_name(*text, CaseRule::fold);
        if (const auto asset = bundle.default_asset(*name))
            (void)bundle.read_all(*asset, 1 << 20);
    }
    for (std::uint32_t i = 0; i < bundle.asset_count(); ++i) {
        (void)bundle.read_all(AssetIndex{i}, 1 << 20);
        if (const auto asset = bundle.asset(AssetIndex{i}))
            (void)bundle.find_asset(asset->id);
    }
    (void)bundle.find_bundle_text("name");
    (void)bundle.lower_bound_name("textures");
}

TEST_CASE("hostile tables: reader and verifier come to an end, and what the verifier passes the reader can read") {
    for (const std::uint32_t seed : seeds()) {
        INFO("FARDEL_TEST_SEED=" << seed);
        const auto bundle = hostile_bundle(seed);
        VerifyOptions options;
        options.jobs = 1 + seed % 2;
        const VerifyReport report = verify(bundle.bytes, options);
        for (const VerifyFinding& finding : report.findings)
            CHECK(finding.where.size() + finding.text.size() < 2000);
        const auto opened = Bundle::open(make_memory_source(bundle.bytes), {});
        if (opened)
            read_all_of(**opened);
        if (!report.good())
            continue;
        REQUIRE(opened);
        for (std::uint32_t i = 0; i < (*opened)->asset_count(); ++i)
            CHECK((*opened)->verify_asset(AssetIndex{i}));
        for (std::uint32_t i = 0; i < (*opened)->name_count(); ++i) {
            const auto text = (*opened)->name_text(NameIndex{i});
            REQUIRE(text);
            const auto found = (*opened)->find_name(*text);
            REQUIRE(found);
            CHECK(*found == NameIndex{i});
        }
    }
}

// A24, A30: work is linear in the size of the file, whatever its numbers are.
TEST_CASE("hostile tables: a thousand records that claim the same million are not walked a thousand times") {
    forge::Draft draft = forge::draft(forge::wide_recipe(2000));
    const ReferenceRecord reference{draft.assets[0].content_type, ReferenceKind::internal, 0, 0};
    draft.references.assign(500'000, reference);
    for (AssetRecord& asset : draft.assets) {
        asset.reference_first = 0;
        asset.reference_count = 500'000;
    }
    const VerifyReport report = verify(forge::forge(draft).bytes);  // minutes, if each were walked
    CHECK(!of_rule(report, "reference-run").empty());
}

TEST_CASE("hostile tables: a thousand blocks with the same stored bytes are not read a thousand times") {
    forge::Draft draft = forge::draft(forge::small_recipe());
    const BlockRecord block = draft.blocks.back();
    draft.blocks.insert(draft.blocks.end(), 200'000, block);
    const VerifyReport report = verify(forge::forge(draft).bytes);
    CHECK(of_rule(report, "block-misplaced").size() > 100);
}

}  // namespace fardel::tests::hostile_tables_test
