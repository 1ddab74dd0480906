// The content of test bundles, and the keys that sign them.
#include "bundle_forge.h"

#include "kit/ids.h"

#include <fardel/format/hash.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace fardel::forge {
namespace {

template <class T>
T must(Result<T> result) {
    if (!result)
        std::abort();  // a mistake in the test
    return std::move(result).value();
}

}  // namespace

Recipe small_recipe() {
    Recipe recipe;
    recipe.assets = {
        {.content_type = "text/plain"},
        {.bytes = bytes_of("models/hero.skin names textures/hero"),
         .content_type = "text/plain",
         .references = {{"shared/skin", Reference::Foreign{tests::id_of("a skin of another bundle"), 0}},
                        {"sounds/step.ogg", Reference::Dynamic{"sounds/step.ogg"}, true},
                        {"textures/hero", Reference::Internal{2}}},
         .metadata = {{"licence", "CC0-1.0"}, {"metric.polygons", 1234.5}, {"expires", std::int64_t{4102444800}}},
         .creator_metadata = {{"author", "tests"}}},
        {.bytes = noise(700, 1),
         .content_type = "image/png",
         .metadata = {{"metric.pixels", 256.0}, {"streamed", true}}},
        {.bytes = noise(900, 2), .content_type = "image/png"},
        {.bytes = noise(800, 3), .content_type = "image/png"},
        {.bytes = Bytes(65536 * 2 + 1000, std::byte{7}), .content_type = "audio/ogg"},
    };
    recipe.names = {
        {"empty.txt", {{0, {}}}},
        {"models/hero.skin", {{1, {}}}},
        {"music/theme.ogg", {{5, {}}}},
        {"textures/hero", {{2, {{"texture", "astc"}}}, {3, {{"lang", "fr"}, {"texture", "bc7"}}}, {4, {}}}},
        {"textures/sky", {{4, {{"quality", "hd"}}}}, true, true},
        {"old/gone.txt", {}},
    };
    recipe.consumes = {{"sounds/step.ogg", false, true}, {"sounds/**", true, false}, {"textures/wall", false, false}};
    recipe.dependencies = {{tests::filled_id<BundleId>(0x11), "core", "1.0", true},
                           {tests::filled_id<BundleId>(0x22), "extras", "", false}};
    recipe.metadata = {{"name", "tests/small"}, {"version", "1.0"}, {"build", "forge"}};
    recipe.creator_metadata = {{"tool", "bundle_forge"}};
    return recipe;
}

Recipe recipe_with_raw_pieces() {
    Recipe recipe = small_recipe();
    recipe.assets.push_back({.bytes = noise(65536 + 5000, 4), .content_type = "model/gltf-binary"});
    recipe.assets.push_back({.bytes = noise(100'000, 5), .content_type = "video/webm", .streamed = true});
    recipe.names.push_back({"models/hero.glb", {{6, {}}}, false});
    recipe.names.push_back({"video/intro.webm", {{7, {}}}});
    return recipe;
}

Recipe wide_recipe(std::size_t names) {
    Recipe recipe;
    for (std::size_t i = 0; i < names; ++i) {
        const std::string number = std::to_string(i);
        recipe.assets.push_back({.bytes = bytes_of("content of file " + number), .content_type = "text/plain"});
        recipe.names.push_back(
            {"folder" + std::to_string(i % 7) + "/file" + number, {{static_cast<std::uint32_t>(i), {}}}});
    }
    return recipe;
}

std::uint32_t music_block(const Draft& draft) {
    const auto block = std::ranges::find(draft.blocks, Codec::zstd, &BlockRecord::codec);
    return static_cast<std::uint32_t>(block - draft.blocks.begin());
}

SecretKey test_key(std::uint8_t seed) {
    std::array<std::byte, 32> bytes;
    bytes.fill(static_cast<std::byte>(seed));
    return SecretKey::from_seed(bytes);
}

Statement statement_about(const ForgedBundle& bundle, std::string name) {
    Statement statement;
    statement.bundle = bundle.id;
    statement.layouts = {bundle.layout_id};
    statement.manifest_bytes = bundle.head.manifest_bytes;
    statement.raw_bytes = bundle.raw_bytes;
    statement.stored_bytes = bundle.stored_bytes;
    statement.name = std::move(name);
    statement.version = "1.0";
    statement.created = {1'700'000'000};
    return statement;
}

void append_envelope(ForgedBundle& bundle, const Envelope& envelope) {
    const Bytes bytes = must(encode_envelope(envelope));
    bundle.bytes.insert(bundle.bytes.end(), bytes.begin(), bytes.end());
}

void sign(ForgedBundle& bundle) {
    const auto author = make_key_signer(test_key(1));
    const auto registry = make_key_signer(test_key(2));
    const Envelope statement = must(sign_statement(statement_about(bundle), *author));
    CountersignRequest request;
    request.created = {1'700'000'100};
    append_envelope(bundle, statement);
    append_envelope(bundle, must(countersign(statement, request, *registry)));
}

TrustPolicy test_policy() {
    const PolicyKey author{"author", test_key(1).public_key()};
    const PolicyKey registry{"registry", test_key(2).public_key()};
    return must(make_policy(std::span(&author, 1), std::span(&registry, 1)));
}

}  // namespace fardel::forge
