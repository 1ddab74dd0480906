// Fetching a part of a bundle: by name, by tag, by what a name refers to.
#include "served_bundle.h"

#include "kit/opened_bundle.h"

#include <fardel/vfs/vfs.h>

#include <doctest/doctest.h>

#include <algorithm>

namespace fardel {
namespace {

using namespace fardel::tests;

FetchOptions fetching(const TreeServer& server, ContentSelection selection) {
    FetchOptions options = fetching_from({server.url()});
    options.selection = std::move(selection);
    return options;
}

std::string stored_text(const BundleStore& store, const BundleId& id, const std::string& name, std::string tags = "") {
    Vfs vfs;
    if (!tags.empty())
        vfs.prefer(value_of(parse_variant_preference(tags)));
    value_of(vfs.mount(value_of(store.open_bundle(id)), {.allow_unsigned = true}));
    const auto file = vfs.open(name);
    if (!file)
        return file.error().text();
    std::string text(file->size_bytes(), '\0');
    const auto count = file->read_at(0, std::as_writable_bytes(std::span(text)));
    return count ? text : count.error().text();
}

StoredBundle stored(const BundleStore& store) {
    const auto bundles = value_of(store.list());
    REQUIRE(bundles.size() == 1);
    return bundles[0];
}

TEST_CASE("partial fetch: names by pattern; what is not here is missing, by its asset id; later fetches add") {
    const ScratchFolder scratch;
    const Bytes bytes = game_of_maps();
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    const BundleStore store = make_store(scratch);
    const auto first = value_of(fetch_one(store, id, fetching(server, {.names = {"maps/one*"}})));
    REQUIRE(first.plan.bundles.size() == 1);
    CHECK(first.plan.fetch_bytes >= kPartBytes);
    CHECK(first.plan.fetch_bytes < 2 * kPartBytes);
    CHECK(first.plan.bundles[0].left_bytes > 4 * kPartBytes);
    CHECK(stored(store).held_bytes < stored(store).file_bytes);
    CHECK(stored_text(store, id, "maps/one.bsp") == random_text(1, kPartBytes));
    const std::string refused = stored_text(store, id, "maps/two.bsp");
    CHECK(refused.starts_with("missing: "));
    CHECK(refused.find(asset_id_of(bytes_of(random_text(2, kPartBytes))).hex()) != std::string::npos);
    const auto checked = value_of(store.check(true));
    CHECK(checked.findings.empty());
    CHECK(checked.incomplete == 1);

    const std::uint64_t before = server.sent_bytes();
    const auto second = value_of(fetch_one(store, id, fetching(server, {.names = {"maps/**"}})));
    CHECK(server.sent_bytes() - before == second.plan.fetch_bytes);
    CHECK(second.plan.fetch_bytes < 2 * kPartBytes);
    CHECK(stored_text(store, id, "maps/one.bsp") == random_text(1, kPartBytes));
    CHECK(stored_text(store, id, "maps/two.bsp") == random_text(2, kPartBytes));

    value_of(fetch_one(store, id, fetching(server, {})));
    CHECK(stored_bytes(store, id) == bytes);
    CHECK(server.sent_bytes() < bytes.size() + 8192);
}

TEST_CASE("partial fetch: the closure of a name, and one language") {
    const ScratchFolder scratch;
    const Bytes bytes = game_of_maps();
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    const BundleStore store = make_store(scratch);
    value_of(fetch_one(store, id, fetching(server, {.closures = {"maps/one.bsp"}})));
    CHECK(stored_text(store, id, "textures/wall.tga") == random_text(3, kPartBytes));
    CHECK(stored_text(store, id, "textures/sky.tga").starts_with("missing: "));
    CHECK(stored_text(store, id, "sound/hello.wav").starts_with("missing: "));
    value_of(fetch_one(store, id, fetching(server, {.names = {"sound/**"}, .tags = {{"lang", "de"}}})));
    CHECK(stored_text(store, id, "sound/hello.wav", "lang=de") == random_text(6, kPartBytes));
    CHECK(stored_text(store, id, "sound/hello.wav").starts_with("missing: "));
    const auto all = value_of(fetch_one(store, id, fetching(server, {.tags = {{"lang", "de"}}})));
    CHECK(stored_text(store, id, "textures/sky.tga") == random_text(4, kPartBytes));
    CHECK(all.plan.bundles[0].left_bytes >= kPartBytes);
    CHECK(all.plan.bundles[0].left_bytes < kPartBytes + 8192);
}

TEST_CASE("partial fetch: a selection that means nothing is refused before content is fetched") {
    const ScratchFolder scratch;
    const Bytes bytes = game_of_maps();
    const TreeServer server({bytes});
    const BundleStore store = make_store(scratch);
    const auto code = [&](ContentSelection selection) {
        return fetch_one(store, bundle_id_of(bytes), fetching(server, std::move(selection))).error().code();
    };
    CHECK(code({.names = {"maps/three*"}}) == ErrorCode::missing);
    CHECK(code({.closures = {"maps/three.bsp"}}) == ErrorCode::missing);
    CHECK(code({.names = {"a**b"}}) == ErrorCode::malformed);
    CHECK(value_of(store.list()).empty());
}

}  // namespace
}  // namespace fardel
