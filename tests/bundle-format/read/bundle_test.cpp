// Compares the reader with the plans that bundles were written from, and reads bundles whose hashes are all correct but
// whose content is not.
#include <fardel/format/block_cache.h>
#include <fardel/format/bundle.h>

#include "bundle-format/plans.h"
#include "bundle_forge/bundle_forge.h"
#include "bundle_forge/damage.h"
#include "kit/bundles.h"
#include "kit/emulator.h"

#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <map>
#include <set>

namespace fardel::tests::bundle_test {

using forge::Bytes;
using forge::changed;
using forge::joined;

ErrorCode refusal_of(Bytes bytes) { return code_of(Bundle::open(make_memory_source(std::move(bytes)), {})); }

// ---- Random bundles, and their content as plain values

struct KnownVariant {
    Tags tags;  // by axis
    std::string content;
};

struct KnownName {
    std::string other_spelling;  // equal under case folding
    bool published = true;
    std::vector<KnownVariant> variants;  // none: a tombstone
};

struct Known {
    BundlePlan plan;
    std::map<std::string, KnownName> names;
    std::set<std::string> contents;
};

class Inventor {
public:
    explicit Inventor(std::mt19937_64& random) : random_(random) {}

    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

    // Returns a name and another spelling of it. `number` makes the name unique.
    std::pair<std::string, std::string> name(std::uint32_t number) {
        static constexpr std::pair<const char*, const char*> kLetters[] = {{"a", "A"},  {"z", "Z"}, {"é", "É"},
                                                                           {"ß", "SS"}, {"σ", "Σ"}, {"ς", "σ"},
                                                                           {"ж", "Ж"},  {"-", "-"}, {"水", "水"}};
        std::pair<std::string, std::string> made;
        for (std::uint32_t depth = below(4); depth > 0; --depth)
            append(made, "d" + std::to_string(below(3)) + "/");
        for (std::uint32_t length = 1 + below(8); length > 0; --length) {
            const auto& [lower, upper] = kLetters[below(std::size(kLetters))];
            const bool swapped = below(2) == 0;
            made.first += swapped ? upper : lower;
            made.second += below(2) == 0 ? upper : lower;
        }
        append(made, "." + std::to_string(number));
        return made;
    }

    std::string content() {
        if (!contents_.empty() && below(5) == 0)
            return contents_[below(static_cast<std::uint32_t>(contents_.size()))];
        const std::size_t size = below(12) == 0 ? below(600'000) : below(4) == 0 ? below(70'000) : below(1500);
        const auto seed = static_cast<std::uint32_t>(random_());
        contents_.push_back(below(2) == 0 ? noise_text(size, seed) : prose(size, seed));
        return contents_.back();
    }

    Known bundle() {
        Known known;
        for (std::uint32_t number = 0, count = below(60); number < count; ++number) {
            const auto [text, other] = name(number);
            KnownName& entry = known.names[text];
            entry.other_spelling = other;
            PlannedName planned{.name = name_of(text)};
            const std::uint32_t kind = below(10);  // 0: a tombstone; 1 to 3: variants; else a plain name
            const std::uint32_t variants = kind == 0 ? 0 : kind <= 3 ? 2 + below(4) : 1;
            for (std::uint32_t v = 0; v < variants; ++v) {
                KnownVariant variant{.content = content()};
                if (variants > 1)
                    variant.tags = {{"lang", std::to_string(v)}};
                if (variants > 1 && below(2) == 0)
                    variant.tags.insert(variant.tags.begin(), {"Axis", "x"});
                static constexpr const char* kTypes[] = {"text/plain", "image/png", "audio/ogg"};
                const std::uint32_t asset = add_asset(known.plan, text + "#" + std::to_string(v), variant.content,
                                                      kTypes[below(3)], below(3) == 0);
                planned.variants.push_back({.tags = Tags(variant.tags.rbegin(), variant.tags.rend()), .asset = asset});
                known.contents.insert(variant.content);
                entry.variants.push_back(std::move(variant));
            }
            planned.published = entry.published = variants == 0 || below(4) != 0;
            known.plan.names.push_back(std::move(planned));
        }
        std::ranges::shuffle(known.plan.names, random_);
        return known;
    }

private:
    static void append(std::pair<std::string, std::string>& both, const std::string& text) {
        both.first += text;
        both.second += text;
    }

    std::mt19937_64& random_;
    std::vector<std::string> contents_;
};

void check_names(const Bundle& bundle, const Known& known) {
    REQUIRE(bundle.name_count() == known.names.size());
    std::uint32_t index = 0;
    for (const auto& entry : known.names) {
        const std::string& text = entry.first;
        const std::string& other = entry.second.other_spelling;
        CAPTURE(text);
        const NameIndex here{index++};
        CHECK(bundle.name_text(here).value() == text);
        CHECK(bundle.find_name(text).value() == here);
        CHECK(bundle.find_name(text, CaseRule::fold).value() == here);
        CHECK(bundle.find_name(other, CaseRule::fold).value() == here);
        CHECK(bundle.find_name(other, CaseRule::exact).value().has_value() == (other == text));
        CHECK_FALSE(bundle.find_name(text + "x", CaseRule::fold).value());
        CHECK_FALSE(bundle.find_name(std::string_view(text).substr(1), CaseRule::fold).value());
    }
}

void check_listing(const Bundle& bundle, const Known& known, Inventor& inventor) {
    for (int round = 0; round < 100; ++round) {
        std::string text = inventor.name(inventor.below(60)).first;
        text.resize(inventor.below(static_cast<std::uint32_t>(text.size()) + 1));
        const auto expected = std::distance(known.names.begin(), known.names.lower_bound(text));
        CHECK(bundle.lower_bound_name(text).value() == NameIndex{static_cast<std::uint32_t>(expected)});
    }
    CHECK(bundle.lower_bound_name("").value() == NameIndex{0});
    CHECK(bundle.lower_bound_name("\xff").value() == NameIndex{bundle.name_count()});
}

void check_ranges(const Bundle& bundle, AssetIndex asset, const std::string& content, Inventor& inventor) {
    CHECK(text_of(bundle.read_all(asset).value()) == content);
    const auto size = static_cast<std::uint32_t>(content.size());
    for (int round = 0; round < 6; ++round) {
        const std::uint32_t offset = inventor.below(size + 1);
        // Half of the ranges are short, so that many are inside one block; the others have any length and cover
        // several.
        const std::uint32_t length =
            inventor.below((round % 2 == 0 ? std::min(size - offset, 100u) : size - offset) + 1);
        Bytes out(length);
        REQUIRE(bundle.read_at(asset, offset, out));
        CHECK(text_of(out) == content.substr(offset, length));
    }
    Bytes past(1);
    CHECK(bundle.read_at(asset, size, past).error().code() == ErrorCode::limit);
    CHECK(bundle.read_at(asset, ~std::uint64_t{0}, past).error().code() == ErrorCode::limit);
    CHECK(bundle.read_at(asset, size, {}));
    if (size > 0)
        CHECK(bundle.read_all(asset, size - 1).error().code() == ErrorCode::limit);
}

void check_variants(const Bundle& bundle, const Known& known, Inventor& inventor) {
    for (const auto& entry : known.names) {
        const KnownName& expected = entry.second;
        CAPTURE(entry.first);
        const NameRecord name = bundle.name(bundle.find_name(entry.first).value().value()).value();
        CHECK(name.is(NameRecord::published) == expected.published);
        CHECK(name.is(NameRecord::tombstone) == expected.variants.empty());
        CHECK(name.is(NameRecord::has_variants) == (expected.variants.size() > 1));
        CHECK(name.count == (expected.variants.size() > 1 ? expected.variants.size() : 0));
        if (expected.variants.empty()) {
            CHECK(bundle.default_asset(name).error().code() == ErrorCode::missing);
            continue;
        }
        check_ranges(bundle, bundle.default_asset(name).value(), expected.variants.front().content, inventor);
        for (std::uint32_t v = 0; v < name.count; ++v) {
            const VariantRecord variant = bundle.variant(name.target + v).value();
            Tags tags;
            for (std::uint32_t t = 0; t < variant.tag_count; ++t) {
                const TagRecord tag = bundle.tag(variant.tag_first + t).value();
                tags.push_back(
                    {std::string(bundle.string(tag.axis).value()), std::string(bundle.string(tag.value).value())});
            }
            CHECK(tags == expected.variants[v].tags);
            check_ranges(bundle, AssetIndex{variant.asset}, expected.variants[v].content, inventor);
        }
    }
}

void check_assets(const Bundle& bundle, const Known& known) {
    REQUIRE(bundle.asset_count() == known.contents.size());
    for (const std::string& content : known.contents) {
        const auto found = bundle.find_asset(id_of(content)).value();
        REQUIRE(found);
        const AssetRecord record = bundle.asset(*found).value();
        CHECK(record.id == id_of(content));
        CHECK(record.raw_bytes == content.size());
        CHECK(bundle.verify_asset(*found));
        AssetId similar = record.id;
        similar.bytes[31] ^= 1;
        CHECK_FALSE(bundle.find_asset(similar).value());
    }
    for (std::uint32_t i = 1; i < bundle.asset_count(); ++i)
        CHECK(bundle.asset(AssetIndex{i - 1}).value().id < bundle.asset(AssetIndex{i}).value().id);
}

// ---- Bundles that a dishonest author wrote

TEST_CASE("bundle: the reader returns the same as a map of the plan, for random plans") {
    FARDEL_RANDOM(random);
    Inventor inventor(random);
    for (int round = 0; round < (kEmulated ? 2 : 10); ++round) {
        CAPTURE(round);
        const Known known = inventor.bundle();
        const Bytes bytes = written(known.plan, quick(1 + inventor.below(4)));
        for (const std::size_t cache_bytes : {std::size_t{0}, std::size_t{1} << 18, std::size_t{64} << 20}) {
            BundleOptions options;
            if (cache_bytes != 0)
                options.cache = std::make_shared<BlockCache>(cache_bytes);
            const auto bundle = open_bundle(bytes, options);
            check_names(*bundle, known);
            check_listing(*bundle, known, inventor);
            check_variants(*bundle, known, inventor);
            check_assets(*bundle, known);
        }
    }
}

// A40 to A43, A45: the author wrote bad frames under correct hashes.
TEST_CASE("bundle: a block that is not a frame of its size is malformed, each time, and the other blocks are read") {
    const Bytes good =
        forge::rle_frame(std::byte{7}, 65536);  // magic 4, descriptor 1, content size 2, block header 3, 7
    Bytes no_size = changed(changed(good, 4, 0x00), 5, 0x30);  // a window of 64 KiB instead of the size
    no_size.erase(no_size.begin() + 6);
    const std::pair<const char*, Bytes> frames[] = {
        {"a bomb of 16 MiB", forge::rle_frame(std::byte{7}, 16 << 20)},
        {"a bomb under the right size", changed(good, 8, 0x10)},
        {"a smaller content size", changed(good, 5, 0x01)},
        {"no content size", no_size},
        {"a checksum", joined(changed(good, 4, 0x64), Bytes(4))},
        {"a dictionary", changed(good, 4, 0x61)},
        {"two frames", joined(good, good)},
        {"a skippable frame behind",
         joined(good, {std::byte{0x50}, std::byte{0x2a}, std::byte{0x4d}, std::byte{0x18}, {}, {}, {}, {}})},
        {"a byte behind", joined(good, Bytes(1))},
        {"a cut frame", {good.begin(), good.end() - 1}},
        {"a reserved block type", changed(good, 7, 0x07)},
        {"noise", noise(40, 9)},
    };
    const Bytes music(65536 * 2 + 1000, std::byte{7});
    for (const auto& frame : frames) {
        CAPTURE(frame.first);
        forge::Draft draft = forge::draft(forge::small_recipe());
        draft.store_block(forge::music_block(draft), frame.second, Codec::zstd);
        const auto bundle = open_bundle(forge::forge(draft).bytes);
        for (std::uint32_t i = 0; i < bundle->asset_count(); ++i) {
            const bool hit = bundle->asset(AssetIndex{i}).value().raw_bytes == music.size();
            for (int again = 0; again < 2; ++again) {
                const auto bytes = bundle->read_all(AssetIndex{i});
                REQUIRE(bytes.has_value() != hit);
                if (!hit)
                    continue;
                CHECK(bytes.error().code() == ErrorCode::malformed);
                Bytes out(100, std::byte{9});
                CHECK(bundle->read_at(AssetIndex{i}, 65536, out));  // its second block
                CHECK(out == Bytes(100, std::byte{7}));
            }
        }
    }
}

// A44, A46
TEST_CASE("bundle: a block of an unknown codec, or of the reserved codec with a dictionary, is unsupported") {
    for (const unsigned codec : {2u, 4u, 0xffffu}) {
        forge::Draft draft = forge::draft(forge::wide_recipe(3));
        draft.blocks[0].codec = static_cast<Codec>(codec);
        const auto bundle = open_bundle(forge::forge(draft).bytes);
        CHECK(bundle->read_all(AssetIndex{0}).error().code() == ErrorCode::unsupported);
    }
}

// A58: id and pieces disagree. The id of an asset of one piece is compared when it is first read; that of an asset of
// several pieces when the whole asset is verified.
TEST_CASE("bundle: an asset whose bytes have another id is corrupt") {
    forge::Draft draft = forge::draft(forge::small_recipe());
    for (AssetRecord& asset : draft.assets)
        asset.id.bytes[31] ^= 1;
    const auto bundle = open_bundle(forge::forge(draft).bytes);
    for (std::uint32_t i = 0; i < bundle->asset_count(); ++i) {
        CHECK(bundle->verify_asset(AssetIndex{i}).error().code() == ErrorCode::corrupt);
        const AssetRecord& asset = draft.assets[i];
        if (asset.raw_bytes == 0)  // there is nothing to read: it is refused with its record
            CHECK(bundle->asset(AssetIndex{i}).error().code() == ErrorCode::corrupt);
        else
            CHECK(bundle->asset(AssetIndex{i}).value().id == asset.id);
        if (asset.piece_count() <= 1)
            CHECK(bundle->read_all(AssetIndex{i}).error().code() == ErrorCode::corrupt);
    }
}

TEST_CASE("bundle: an asset whose pieces are not those of the manifest is corrupt, whoever signed the layout") {  // A58
    forge::Draft draft = forge::draft(forge::small_recipe());
    for (Hash& piece : draft.pieces)
        piece.bytes[0] ^= 1;
    forge::ForgedBundle made = forge::forge(draft);
    forge::sign(made);
    const TrustPolicy policy = forge::test_policy();
    const std::uint32_t music = draft.asset_with(Bytes(65536 * 2 + 1000, std::byte{7}));
    const auto without_policy = open_bundle(made.bytes);
    CHECK(without_policy->read_all(AssetIndex{music}).error().code() == ErrorCode::corrupt);
    const auto trusted = open_bundle(made.bytes, {.policy = &policy, .time = TrustTime::at({1'800'000'000})});
    CHECK(trusted->verdict().layout_signed);
    CHECK(trusted->read_all(AssetIndex{music}).error().code() == ErrorCode::corrupt);
    CHECK(trusted->verify_asset(AssetIndex{music}).error().code() == ErrorCode::corrupt);
}

// A127: the proof of a piece that two assets claim is not the other's.
TEST_CASE("bundle: assets that claim the same pieces are each compared with them") {
    forge::Draft draft = forge::draft(forge::recipe_with_raw_pieces());
    const std::uint32_t music = draft.asset_with(Bytes(65536 * 2 + 1000, std::byte{7}));
    const std::uint32_t model = draft.asset_with(noise(65536 + 5000, 4));
    draft.assets[model].piece_first = draft.assets[music].piece_first;
    const auto bundle = open_bundle(forge::forge(draft).bytes);
    CHECK(bundle->read_all(AssetIndex{music}));
    CHECK(bundle->read_all(AssetIndex{model}).error().code() == ErrorCode::corrupt);
    std::byte few[3];
    CHECK(bundle->read_at(AssetIndex{model}, 100, few).error().code() == ErrorCode::corrupt);
    CHECK(bundle->view(AssetIndex{model}, 0, 1000).error().code() == ErrorCode::corrupt);
    CHECK(bundle->read_all(AssetIndex{music}));
}

// A121: views lie across blocks, so bytes behind a piece would be taken for the next one's.
TEST_CASE("bundle: a layout with a block that is longer than its piece gives no view of other bytes") {
    forge::Draft draft = forge::draft(forge::recipe_with_raw_pieces());
    const Bytes content = noise(65536 + 5000, 4);
    const std::uint32_t model = draft.asset_with(content);
    const std::uint32_t block = draft.placements[model].first_block;
    Bytes longer(content.begin(), content.begin() + 65536);
    const Bytes evil(4096, std::byte{0xee});
    longer.insert(longer.end(), evil.begin(), evil.end());
    draft.blocks[block].raw_bytes = static_cast<std::uint32_t>(longer.size());
    draft.store_block(block, std::move(longer), Codec::raw);
    const auto bundle = open_bundle(forge::forge(draft).bytes);
    CHECK_FALSE(bundle->view(AssetIndex{model}, 0, content.size()));
    CHECK_FALSE(bundle->view(AssetIndex{model}, 65530, 20));
    CHECK(bundle->read_all(AssetIndex{model}).error().code() == ErrorCode::malformed);
}

// A121
TEST_CASE("bundle: a layout that a trusted key signed gives no other bytes to an asset, through no kind of read") {
    forge::Recipe recipe = forge::recipe_with_raw_pieces();
    const TrustPolicy policy = forge::test_policy();
    const forge::ForgedBundle genuine = forge::forge(recipe);
    forge::Draft draft = forge::draft(recipe);
    // Each block gets other bytes of its size, with the right stored hash.
    for (std::uint32_t i = 0; i < draft.blocks.size(); ++i)
        draft.store_block(i, noise(draft.blocks[i].raw_bytes, 1000 + i), Codec::raw);
    draft.codecs.clear();
    forge::ForgedBundle evil = forge::forge(draft);
    REQUIRE(evil.id == genuine.id);
    forge::sign(evil);
    for (const bool cached : {false, true}) {
        const auto bundle =
            open_bundle(evil.bytes, {.policy = &policy,
                                     .time = TrustTime::at({1'800'000'000}),
                                     .cache = cached ? std::make_shared<BlockCache>(8u << 20) : nullptr});
        CHECK(bundle->verdict().layout_signed);
        for (int round = 0; round < 2; ++round)
            for (std::uint32_t i = 0; i < bundle->asset_count(); ++i) {
                CAPTURE(i);
                const std::uint64_t size = bundle->asset(AssetIndex{i}).value().raw_bytes;
                if (size == 0)
                    continue;
                std::byte one{};
                CHECK(bundle->read_at(AssetIndex{i}, size - 1, {&one, 1}).error().code() == ErrorCode::corrupt);
                CHECK(one == std::byte{0});
                CHECK(bundle->read_all(AssetIndex{i}).error().code() == ErrorCode::corrupt);
                CHECK(bundle->verify_asset(AssetIndex{i}).error().code() == ErrorCode::corrupt);
                const auto view = bundle->view(AssetIndex{i}, 0, size);
                CHECK_FALSE(view);
            }
    }
}

// A121. The proof belongs to the asset: that its neighbour's bytes are genuine says nothing about it.
TEST_CASE("bundle: a layout that leads two assets to the same bytes gives them to the right one only") {
    forge::Recipe recipe;
    for (const char* text : {"what the first asset contains", "what the other one contains  "})
        recipe.assets.push_back({.bytes = forge::bytes_of(text)});
    for (const std::uint32_t seed : {1u, 2u})
        recipe.assets.push_back({.bytes = noise(100'000, seed)});
    const auto genuine = forge::forge(recipe);
    for (const std::size_t first : {0u, 2u}) {
        forge::Draft draft = forge::draft(recipe);
        const std::uint32_t one = draft.asset_with(recipe.assets[first].bytes);
        const std::uint32_t other = draft.asset_with(recipe.assets[first + 1].bytes);
        draft.placements[other] = draft.placements[one];
        const auto evil = forge::forge(draft);
        REQUIRE(evil.id == genuine.id);
        const auto bundle = open_bundle(evil.bytes, {.cache = std::make_shared<BlockCache>(8u << 20)});
        for (int round = 0; round < 2; ++round) {
            CHECK(bundle->read_all(AssetIndex{one}).value() == recipe.assets[first].bytes);
            CHECK(bundle->read_all(AssetIndex{other}).error().code() == ErrorCode::corrupt);
        }
    }
}

// A61
TEST_CASE("bundle: ids that differ only in their last byte are distinguished") {
    forge::Draft draft = forge::draft(forge::wide_recipe(200));
    for (std::size_t i = 0; i < draft.assets.size(); ++i) {
        draft.assets[i].id.bytes.fill(0xab);
        draft.assets[i].id.bytes[31] = static_cast<std::uint8_t>(i);
    }
    draft.index_again();
    const auto bundle = open_bundle(forge::forge(draft).bytes);
    for (unsigned last = 0; last < 256; ++last) {
        AssetId id;
        id.bytes.fill(0xab);
        id.bytes[31] = static_cast<std::uint8_t>(last);
        const auto found = bundle->find_asset(id).value();
        CHECK(found.has_value() == (last < 200));
        if (found)
            CHECK(*found == AssetIndex{last});
    }
}

// A22
TEST_CASE("bundle: bytes behind the last envelope are malformed") {
    forge::ForgedBundle made = forge::forge(forge::small_recipe());
    for (const bool is_signed : {false, true}) {
        if (is_signed)
            forge::sign(made);
        for (const std::size_t more : {1u, 7u, 8u, 32u, 4096u})
            for (const std::byte value : {std::byte{0}, std::byte{0xff}}) {
                CAPTURE(more);
                CHECK(refusal_of(joined(made.bytes, Bytes(more, value))) == ErrorCode::malformed);
            }
        CHECK(refusal_of(joined(made.bytes, Bytes(limits::kTrailerBytesMax + 1))) == ErrorCode::limit);
    }
}

// A27, A28
TEST_CASE("bundle: optional additions of a later minor version are kept, required ones are unsupported") {
    forge::Draft draft = forge::draft(forge::small_recipe());
    draft.edit_head = [](BundleHead& head) {
        head.minor = 9;
        head.optional_flags = 1ull << 40;
    };
    draft.edit_layout_head = [](LayoutHead& head) { head.optional_flags = 2; };
    const Bytes bytes = forge::forge(draft).bytes;
    const auto bundle = open_bundle(bytes);
    CHECK(bundle->head().minor == 9);
    CHECK(bundle->head().optional_flags == 1ull << 40);
    CHECK(bundle->layout_head().optional_flags == 2);
    CHECK(bundle->read_all(AssetIndex{0}));
    for (const std::size_t head : {std::size_t{0}, std::size_t{limits::kHeadBytes}}) {
        CHECK(refusal_of(changed(bytes, head + 8, 2)) == ErrorCode::unsupported);   // major
        CHECK(refusal_of(changed(bytes, head + 16, 1)) == ErrorCode::unsupported);  // required flags
        CHECK(refusal_of(changed(bytes, head + 23, 0x80)) == ErrorCode::unsupported);
    }
}

// A34
TEST_CASE("bundle: nothing, noise, zeros and other formats are malformed at once") {
    CHECK(refusal_of({}) == ErrorCode::malformed);
    CHECK(refusal_of(Bytes(1)) == ErrorCode::malformed);
    CHECK(refusal_of(Bytes(100'000)) == ErrorCode::malformed);
    CHECK(refusal_of(noise(100'000, 1)) == ErrorCode::malformed);
    CHECK(refusal_of(joined(forge::bytes_of("PK\x03\x04"), Bytes(10'000))) == ErrorCode::malformed);
    CHECK(refusal_of(joined(forge::bytes_of("FARDEL\r\n"), Bytes(10'000))) != ErrorCode::io);
}

}  // namespace fardel::tests::bundle_test
