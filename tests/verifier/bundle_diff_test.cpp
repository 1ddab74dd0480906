#include <fardel/verifier/bundle_diff.h>

#include "bundle_forge/bundle_forge.h"
#include "kit/bundles.h"
#include "kit/files.h"

#include <fardel/format/bundle_writer.h>
#include <fardel/format/hash.h>

namespace fardel::tests::bundle_diff_test {

BundleDiff diff_of(const forge::Recipe& before, const forge::Recipe& after) {
    auto diff =
        diff_bundles(*tests::open_bundle(forge::forge(before).bytes), *tests::open_bundle(forge::forge(after).bytes));
    REQUIRE(diff);
    return *std::move(diff);
}

// Returns the difference between the small bundle and the same after `edit`.
template <class Edit>
BundleDiff diff_after(Edit edit) {
    forge::Recipe after = forge::small_recipe();
    edit(after);
    return diff_of(forge::small_recipe(), after);
}

forge::Name& name_in(forge::Recipe& recipe, std::string_view text) {
    const auto found = std::ranges::find(recipe.names, text, &forge::Name::text);
    REQUIRE(found != recipe.names.end());
    return *found;
}

using Aspects = std::vector<DiffAspect>;

void check_change(const BundleDiff& diff, std::string_view name, const Aspects& aspects) {
    REQUIRE(diff.changed.size() == 1);
    CHECK(diff.changed[0].after.text == name);
    CHECK(diff.changed[0].aspects == aspects);
    CHECK((diff.added.empty() && diff.removed.empty() && diff.renamed.empty()));
    CHECK_FALSE(diff.empty());
}

TEST_CASE("bundle diff: a bundle does not differ from itself") {
    const BundleDiff diff = diff_of(forge::small_recipe(), forge::small_recipe());
    CHECK(diff.empty());
    CHECK_FALSE(diff.layout_only());
    CHECK((diff.added.empty() && diff.removed.empty() && diff.changed.empty() && diff.renamed.empty()));
    CHECK(diff.fetch_bytes == 0);
    CHECK(diff.before.raw_bytes == diff.after.raw_bytes);
}

TEST_CASE("bundle diff: names come and go") {
    const BundleDiff diff = diff_after([](forge::Recipe& recipe) {
        recipe.assets.push_back({.bytes = forge::noise(5000, 9), .content_type = "image/png"});
        recipe.names.push_back({"textures/new", {{6, {}}}});
        std::erase_if(recipe.names, [](const forge::Name& name) { return name.text == "empty.txt"; });
    });
    REQUIRE(diff.added.size() == 1);
    CHECK(diff.added[0].text == "textures/new");
    CHECK(diff.added[0].variants.at(0).raw_bytes == 5000);
    REQUIRE(diff.removed.size() == 1);
    CHECK(diff.removed[0].text == "empty.txt");
    CHECK(diff.changed.empty());
    CHECK(diff.after.raw_bytes == diff.before.raw_bytes + 5000);
}

TEST_CASE("bundle diff: a name with the same assets elsewhere is renamed, preferably where its last part stays") {
    const BundleDiff one =
        diff_after([](forge::Recipe& recipe) { name_in(recipe, "textures/hero").text = "skins/champion"; });
    REQUIRE(one.renamed.size() == 1);
    CHECK(one.renamed[0].before.text == "textures/hero");
    CHECK(one.renamed[0].after.text == "skins/champion");
    CHECK((one.added.empty() && one.removed.empty() && one.changed.empty()));

    forge::Recipe before = forge::small_recipe(), after = before;
    before.names.push_back({"a/one", {{2, {}}}});
    before.names.push_back({"a/two", {{2, {}}}});
    after.names.push_back({"b/another", {{2, {}}}});
    after.names.push_back({"c/one", {{2, {}}}});
    const BundleDiff two = diff_of(before, after);
    REQUIRE(two.renamed.size() == 2);
    CHECK(two.renamed[0].before.text == "a/two");
    CHECK(two.renamed[0].after.text == "b/another");
    CHECK(two.renamed[1].before.text == "a/one");

    const BundleDiff unpublished = diff_after([](forge::Recipe& recipe) {
        forge::Name& name = name_in(recipe, "textures/hero");
        name.text = "skins/champion";
        name.published = false;
    });
    CHECK(unpublished.renamed.empty());
    CHECK(unpublished.added.size() == 1);
    CHECK(unpublished.removed.size() == 1);
}

TEST_CASE("bundle diff: each kind of change of a name is reported separately") {
    check_change(diff_after([](forge::Recipe& recipe) { recipe.assets[5].bytes = forge::noise(3000, 8); }),
                 "music/theme.ogg", {DiffAspect::content});
    check_change(diff_after([](forge::Recipe& recipe) { recipe.assets[5].content_type = "audio/x-other"; }),
                 "music/theme.ogg", {DiffAspect::content_type});
    check_change(diff_after([](forge::Recipe& recipe) {
                     name_in(recipe, "textures/sky").variants[0].tags = {{"quality", "sd"}};
                 }),
                 "textures/sky", {DiffAspect::variants});
    check_change(diff_after([](forge::Recipe& recipe) {
                     std::swap(name_in(recipe, "textures/hero").variants[0],
                               name_in(recipe, "textures/hero").variants[1]);
                 }),
                 "textures/hero", {DiffAspect::variants});
    check_change(diff_after([](forge::Recipe& recipe) { name_in(recipe, "music/theme.ogg").published = false; }),
                 "music/theme.ogg", {DiffAspect::published});
    check_change(diff_after([](forge::Recipe& recipe) { name_in(recipe, "textures/sky").extends = false; }),
                 "textures/sky", {DiffAspect::extends});
    check_change(diff_after([](forge::Recipe& recipe) {
                     name_in(recipe, "textures/sky").variants.clear();
                     name_in(recipe, "textures/sky").extends = false;
                 }),
                 "textures/sky", {DiffAspect::extends, DiffAspect::tombstone});
    check_change(diff_after([](forge::Recipe& recipe) { recipe.assets[1].references.pop_back(); }), "models/hero.skin",
                 {DiffAspect::references});
    check_change(diff_after([](forge::Recipe& recipe) { recipe.assets[1].metadata[0].second = std::string("MIT"); }),
                 "models/hero.skin", {DiffAspect::metadata});
}

TEST_CASE("bundle diff: consumes, dependencies and metadata are compared by their keys") {
    const BundleDiff diff = diff_after([](forge::Recipe& recipe) {
        recipe.consumes[0].optional = false;
        recipe.consumes.pop_back();
        recipe.dependencies[0].bundle.bytes.fill(0x33);
        recipe.dependencies[0].version = "1.1";
        recipe.metadata[1].second = std::string("1.1");
        recipe.creator_metadata.clear();
    });
    REQUIRE(diff.consumes.size() == 2);
    CHECK(diff.consumes[0].before->optional);
    CHECK_FALSE(diff.consumes[0].after->optional);
    CHECK_FALSE(diff.consumes[1].after);
    REQUIRE(diff.dependencies.size() == 1);
    CHECK(diff.dependencies[0].before->version == "1.0");
    CHECK(diff.dependencies[0].after->version == "1.1");
    CHECK_FALSE(diff.dependency_order);
    REQUIRE(diff.metadata.size() == 2);
    CHECK(diff.metadata[0].before->creator);
    CHECK(std::get<std::string>(diff.metadata[1].after->value) == "1.1");
    CHECK(diff.fetch_bytes == 0);

    CHECK(diff_after([](forge::Recipe& recipe) {
              std::swap(recipe.dependencies[0], recipe.dependencies[1]);
              recipe.assets[1].references[0].target = forge::Reference::Foreign{id_from<AssetId>(blake3({})), 1};
          }).dependency_order);
}

TEST_CASE("bundle diff: signatures alone are a difference of their own") {
    forge::ForgedBundle is_signed = forge::forge(forge::small_recipe());
    const auto before = tests::open_bundle(is_signed.bytes);
    forge::sign(is_signed);
    const auto diff = diff_bundles(*before, *tests::open_bundle(is_signed.bytes));
    REQUIRE(diff);
    CHECK(diff->signatures);
    CHECK(diff->same_bundle());
    CHECK_FALSE(diff->layout_only());
    CHECK_FALSE(diff->empty());
}

TEST_CASE("bundle diff: what a client fetches is the blocks that hold something new") {
    const tests::ScratchFolder scratch;
    const auto write = [&](const std::string& name, int level, const std::vector<forge::Bytes>& contents) {
        BundlePlan plan;
        for (const forge::Bytes& bytes : contents) {
            const auto index = static_cast<std::uint32_t>(plan.assets.size());
            const std::string text = "file" + std::to_string(index);
            plan.assets.push_back({.source = make_memory_blob(bytes), .key = text});
            plan.names.push_back({.name = *AssetName::parse(text), .variants = {{.asset = index}}});
        }
        auto staged = write_bundle(plan, scratch.path(name), {.level = level});
        REQUIRE(staged);
        REQUIRE(staged->commit());
        return *Bundle::open(*open_file_source(scratch.path(name)), {});
    };
    std::string prose;
    for (int i = 0; i < 30'000; ++i)
        prose += std::to_string(i * i % 977) + " words ";
    const forge::Bytes compressible = forge::bytes_of(prose);
    forge::Bytes noise = forge::noise(65536 * 3, 4);
    const auto before = write("a", 1, {compressible, noise});
    const auto again = write("b", 19, {compressible, noise});
    const auto layout = diff_bundles(*before, *again);
    REQUIRE(layout);
    CHECK(layout->layout_only());
    CHECK_FALSE(layout->empty());
    CHECK(layout->fetch_bytes == 0);
    CHECK(layout->before.stored_bytes != layout->after.stored_bytes);

    noise[65536 + 5] ^= std::byte{1};
    const auto edited = diff_bundles(*before, *write("c", 1, {compressible, noise}));
    REQUIRE(edited);
    CHECK(edited->fetch_blocks == 1);
    CHECK(edited->fetch_bytes == 65536);
    REQUIRE(edited->changed.size() == 1);
    CHECK(edited->changed[0].aspects == Aspects{DiffAspect::content});
}

}  // namespace fardel::tests::bundle_diff_test
