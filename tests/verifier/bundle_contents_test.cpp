#include <fardel/verifier/bundle_contents.h>

#include "bundle_forge/bundle_forge.h"
#include "kit/bundles.h"

#include <fardel/format/manifest.h>

#include <numeric>

namespace fardel::tests::bundle_contents_test {

Result<BundleContents> contents_of(const forge::ForgedBundle& forged) {
    return read_contents(*tests::open_bundle(forged.bytes, {.label = "forged"}));
}

const ContentName& name_in(const BundleContents& contents, std::string_view text) {
    const auto found = std::ranges::find(contents.names, text, &ContentName::text);
    REQUIRE(found != contents.names.end());
    return *found;
}

TEST_CASE("bundle contents: everything that a bundle's tables say is there") {
    const auto read = contents_of(forge::forge(forge::small_recipe()));
    REQUIRE(read);
    const BundleContents& contents = *read;
    CHECK(contents.assets.size() == 6);
    CHECK(std::ranges::is_sorted(contents.assets, {}, &ContentAsset::id));
    REQUIRE(contents.names.size() == 6);
    CHECK(name_in(contents, "old/gone.txt").variants.empty());
    CHECK(name_in(contents, "textures/sky").extends);
    const ContentName& hero = name_in(contents, "textures/hero");
    REQUIRE(hero.variants.size() == 3);
    CHECK(format_tags(hero.variants[0]) == "texture=astc");
    CHECK(format_tags(hero.variants[1]) == "lang=fr texture=bc7");
    CHECK(format_tags(hero.variants[2]) == "");

    const ContentAsset& skin = contents.assets[name_in(contents, "models/hero.skin").variants[0].asset];
    REQUIRE(skin.references.size() == 3);
    CHECK(skin.references[0].kind == ReferenceKind::foreign);
    CHECK(skin.references[0].dependency == 0);
    CHECK(skin.references[1].name == "sounds/step.ogg");
    CHECK(skin.references[1].optional);
    CHECK(skin.references[2].asset == contents.assets[hero.variants[0].asset].id);
    CHECK(skin.metadata.size() == 4);
    CHECK(std::ranges::count(skin.metadata, true, &ContentMetadata::creator) == 1);

    CHECK(contents.consumes.size() == 3);
    REQUIRE(contents.dependencies.size() == 2);
    CHECK(contents.dependencies[0].name == "core");
    CHECK(contents.dependencies[0].is_static);
    CHECK(contents.metadata.size() == 4);
    const ContentAsset& theme = contents.assets[name_in(contents, "music/theme.ogg").variants[0].asset];
    CHECK(theme.pieces.size() == 3);
}

TEST_CASE("bundle contents: the shares of all assets in their blocks are all the stored bytes") {
    for (const forge::Recipe& recipe :
         {forge::small_recipe(), forge::recipe_with_raw_pieces(), forge::wide_recipe(500)}) {
        const forge::ForgedBundle forged = forge::forge(recipe);
        const auto contents = contents_of(forged);
        REQUIRE(contents);
        const auto sum =
            std::accumulate(contents->assets.begin(), contents->assets.end(), std::uint64_t{0},
                            [](std::uint64_t all, const ContentAsset& asset) { return all + asset.stored_bytes; });
        CHECK(sum == forged.stored_bytes);
        CHECK(contents->stored_bytes == forged.stored_bytes);
        CHECK(contents->raw_bytes == forged.raw_bytes);
    }
}

// A24, A25
TEST_CASE("bundle contents: tables that lead nowhere are malformed, with the bundle's label") {
    const auto refused = [](auto spoil) {
        forge::Draft draft = forge::draft(forge::small_recipe());
        spoil(draft);
        const auto contents = contents_of(forge::forge(draft));
        REQUIRE_FALSE(contents);
        CHECK(contents.error().code() == ErrorCode::malformed);
        CHECK(contents.error().message().starts_with("forged: "));
    };
    refused([](forge::Draft& draft) { draft.names[0].target = 999; });
    refused([](forge::Draft& draft) {
        draft.placements[0].first_block = 999;
        draft.placements[1].first_block = 999;
    });
    refused([](forge::Draft& draft) {
        for (PlacementRecord& placement : draft.placements)
            placement.offset = 0xffff'ffff;
    });
    refused([](forge::Draft& draft) { draft.variants[0].asset = 77; });
    refused([](forge::Draft& draft) { draft.names[draft.name_with("textures/hero")].target = 0xffff'fffe; });
    refused([](forge::Draft& draft) { draft.metadata[0].subject = 1000; });
    refused([](forge::Draft& draft) { draft.foreign_assets[0].dependency = 9; });
    refused([](forge::Draft& draft) { draft.names[0].text = draft.add_string("../climbs"); });
}

TEST_CASE("bundle contents: values of metadata read back") {
    CHECK(format_value(std::string("text")) == "text");
    CHECK(format_value(1234.5) == "1234.5");
    CHECK(format_value(std::int64_t{-7}) == "-7");
    CHECK(format_value(true) == "true");
}

// A127
TEST_CASE("bundle contents: names that claim the same variants are malformed") {
    forge::Draft draft = forge::draft(forge::wide_recipe(500));
    const StringRef text = draft.add_string(std::string(255, 'a'));
    draft.variants.assign(256, VariantRecord{.asset = 0, .name = 0, .tag_first = 0, .tag_count = 16});
    draft.tags.assign(16, TagRecord{.axis = text, .value = text});
    for (NameRecord& name : draft.names) {
        name.target = 0;
        name.count = 256;
        name.flags = NameRecord::published | NameRecord::has_variants;
    }
    check_error(contents_of(forge::forge(draft)), ErrorCode::malformed, "claims records of");
}

// A127
TEST_CASE("bundle contents: assets that claim the same references are malformed") {
    forge::Draft draft = forge::draft(forge::wide_recipe(500));
    const StringRef text = draft.add_string(std::string(300, 'a'));
    ReferenceRecord one;
    one.spelling = text;
    one.kind = ReferenceKind::dynamic;
    one.target = text;
    draft.references.assign(5000, one);
    for (AssetRecord& asset : draft.assets) {
        asset.reference_first = 0;
        asset.reference_count = 5000;
    }
    CHECK(code_of(contents_of(forge::forge(draft))) == ErrorCode::malformed);
}

// A127
TEST_CASE("bundle contents: a text that very many records share is limit, before it fills the memory") {
    forge::Draft draft = forge::draft(forge::wide_recipe(100));
    const StringRef text = draft.add_string(std::string(60'000, 'a'));
    ReferenceRecord one;
    one.spelling = text;
    one.kind = ReferenceKind::dynamic;
    one.target = text;
    draft.references.assign(5000, one);
    for (std::size_t i = 0; i < draft.assets.size(); ++i) {
        draft.assets[i].reference_first = static_cast<std::uint32_t>(i * 50);
        draft.assets[i].reference_count = 50;
    }
    CHECK(code_of(contents_of(forge::forge(draft))) == ErrorCode::limit);
}

}  // namespace fardel::tests::bundle_contents_test
