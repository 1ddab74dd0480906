// A game plays with an incomplete bundle: a path says what is missing, exactly that is fetched, and the same mount has
// it.
#include "delivery/c/c_fetch.h"
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "vfs/test_bundle.h"

#include <fardel/delivery/fardel_fetch.h>
#include <fardel/delivery/fetch.h>
#include <fardel/delivery/remote_bundle.h>
#include <fardel/format/c_interface.h>
#include <fardel/vfs/fardel.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/vfs.h>

#include <atomic>

namespace fardel::tests::missing_content_test {

AssetId part_id(std::uint32_t seed) { return asset_id_of(bytes_of(random_text(seed, kPartBytes))); }

std::vector<AssetId> part_ids(std::vector<std::uint32_t> seeds) {
    std::vector<AssetId> ids;
    for (const std::uint32_t seed : seeds)
        ids.push_back(part_id(seed));
    std::ranges::sort(ids);
    return ids;
}

Result<std::vector<MissingContent>> missing_at(const Vfs& vfs, const std::string& path,
                                               ContentReach reach = ContentReach::assets) {
    return vfs.find_missing({&path, 1}, reach);
}

// What is missing of the one bundle that anything is missing of.
std::vector<AssetId> missing_of(const Vfs& vfs, const BundleId& bundle, const std::string& path, ContentReach reach) {
    const auto missing = value_of(missing_at(vfs, path, reach));
    if (missing.empty())
        return {};
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].bundle == bundle);
    CHECK(missing[0].is_mounted);
    return missing[0].assets;
}

// A store with all tables of the game and no content but its sounds.
BundleStore store_with_sounds(const ScratchFolder& scratch, const TreeServer& server, const BundleId& game) {
    BundleStore store = make_store(scratch);
    FetchOptions options = fetching_from({server.url()});
    options.work.selection.names = {"sound/**"};
    value_of(fetch_one(store, game, options));
    return store;
}

FetchSummary fetch_assets(const BundleStore& store, const std::string& url, const MissingContent& missing) {
    Fetch fetch = value_of(
        Fetch::start(store, {.servers = {url}, .bundles = {missing.bundle}, .selection = {.assets = missing.assets}}));
    return value_of(fetch.wait());
}

TEST_CASE_FIXTURE(ServedMaps,
                  "missing content: open says missing, the ids are fetched, and open succeeds on the same mount") {
    const BundleStore store = store_with_sounds(scratch, server, id);
    Vfs vfs({.open_needs_content = true});
    value_of(vfs.mount(value_of(store.open_bundle(id)), {.allow_unsigned = true}));
    for (const char* const path : {"/maps/one.bsp", "maps/one.bsp"}) {
        const auto refused = vfs.open(path);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code() == ErrorCode::missing);
        CHECK(refused.error().message().find(part_id(1).hex()) != std::string::npos);
        CHECK(refused.error().message().find(id.hex()) != std::string::npos);
    }
    CHECK(content_at(vfs, "sound/hello.wav") == random_text(5, kPartBytes));
    CHECK(missing_of(vfs, id, "sound/hello.wav", ContentReach::closures).empty());
    CHECK(missing_of(vfs, id, "maps/one.bsp", ContentReach::assets) == part_ids({1}));
    const auto missing = value_of(missing_at(vfs, "maps/one.bsp", ContentReach::closures));
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].assets == part_ids({1, 3}));

    const FetchSummary fetched = fetch_assets(store, server.url(), missing[0]);
    CHECK(fetched.plan.fetch_bytes >= 2 * kPartBytes);
    CHECK(fetched.plan.fetch_bytes < 2 * kPartBytes + 20'000);
    CHECK(missing_of(vfs, id, "maps/one.bsp", ContentReach::closures).empty());
    CHECK(content_at(vfs, "maps/one.bsp") == random_text(1, kPartBytes));
    CHECK(content_at(vfs, "textures/wall.tga") == random_text(3, kPartBytes));
    CHECK(missing_of(vfs, id, "maps/two.bsp", ContentReach::closures) == part_ids({2, 4}));
    CHECK(content_at(vfs, "textures/sky.tga").starts_with("missing: "));

    value_of(fetch_one(store, id, fetching_from({server.url()})));  // everything
    CHECK(missing_of(vfs, id, "maps/two.bsp", ContentReach::closures).empty());
    CHECK(content_at(vfs, "textures/sky.tga") == random_text(4, kPartBytes));
    CHECK(vfs.mounts().size() == 1);
}

TEST_CASE_FIXTURE(ServedMaps, "missing content: a file that was opened before its content came reads it afterwards") {
    const BundleStore store = store_with_sounds(scratch, server, id);
    Vfs vfs;
    value_of(vfs.mount(value_of(store.open_bundle(id)), {.allow_unsigned = true}));
    const File file = value_of(vfs.open("maps/one.bsp"));
    CHECK(file.read_all().error().code() == ErrorCode::missing);
    std::atomic<bool> stops = false;
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                while (!stops) {
                    const auto read = file.read_all();
                    if (!read && read.error().code() == ErrorCode::missing)
                        continue;
                    right += read && *read == bytes_of(random_text(1, kPartBytes)) ? 1 : 0;
                    return;
                }
            });
        fetch_assets(store, server.url(), {.bundle = id, .assets = {part_id(1)}});
        wait_until([&] { return right >= 4; });
        stops = true;
    }
    CHECK(right == 4);
}

TEST_CASE_FIXTURE(ServedMaps, "missing content: assets by id are found in whichever mount has them here") {
    const BundleStore store = store_with_sounds(scratch, server, id);
    Vfs vfs;
    value_of(vfs.mount(value_of(store.open_bundle(id)), {.allow_unsigned = true}));
    const std::string path = "/assets/" + part_id(1).hex();
    CHECK(missing_of(vfs, id, path, ContentReach::closures) == part_ids({1, 3}));
    CHECK(missing_of(vfs, id, "/bundles/" + id.hex() + "/maps/one.bsp", ContentReach::assets) == part_ids({1}));
    BundlePlan plan;
    add(plan, "copy.bin", random_text(1, kPartBytes), "application/octet-stream");
    value_of(vfs.mount(make_memory_source(written(plan)), {.allow_unsigned = true}));
    CHECK(missing_of(vfs, id, path, ContentReach::closures).empty());

    CHECK(value_of(vfs.find_missing({})).empty());
    const std::vector<std::string> both{"maps/one.bsp", "maps/two.bsp"};
    CHECK(value_of(vfs.find_missing(both, ContentReach::closures))[0].assets == part_ids({1, 2, 3, 4}));
    CHECK(code_of(vfs.find_missing(both, ContentReach::closures, 3)) == ErrorCode::limit);
    for (const char* const none : {"nothing.bsp", "maps"})
        CHECK(code_of(missing_at(vfs, none)) == ErrorCode::missing);
    CHECK(code_of(missing_at(vfs, "../x")) == ErrorCode::malformed);
}

TEST_CASE("missing content: references into a bundle that is not mounted name its assets") {
    const ScratchFolder scratch;
    BundlePlan textures;
    add(textures, "wall.tga", random_text(3, kPartBytes), "application/octet-stream");
    const Bytes base = written(textures);
    BundlePlan maps;
    add(maps, "one.bsp", random_text(1, kPartBytes), "application/octet-stream");
    maps.dependencies.push_back({.bundle = bundle_id_of(base), .name = "base", .version = "1", .is_static = true});
    maps.assets[0].references.push_back(
        {.spelling = "wall", .target = PlannedReference::Foreign{.asset = part_id(3), .dependency = 0}});
    Vfs vfs;
    value_of(vfs.mount(make_memory_source(written(maps)), {.allow_unsigned = true}));
    CHECK(value_of(missing_at(vfs, "one.bsp")).empty());
    const auto missing = value_of(missing_at(vfs, "one.bsp", ContentReach::closures));
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].bundle == bundle_id_of(base));
    CHECK(missing[0].assets == part_ids({3}));
    CHECK_FALSE(missing[0].is_mounted);
    value_of(vfs.mount(make_memory_source(base), {.allow_unsigned = true}));
    CHECK(value_of(missing_at(vfs, "one.bsp", ContentReach::closures)).empty());
}

TEST_CASE_FIXTURE(
    ServedMaps,
    "missing content: of a bundle that is read from a server, what is wanted comes, and open waits for nothing") {
    const BundleStore store = make_store(scratch);
    RemoteServers servers = value_of(RemoteServers::open({.servers = {server.url()}}));
    const auto bundle = value_of(RemoteBundle::open(store, servers, id));
    Vfs vfs({.open_needs_content = true});
    value_of(vfs.mount(bundle->source(), {.allow_unsigned = true}));
    CHECK(content_at(vfs, "maps/two.bsp").starts_with("missing: "));
    const auto missing = value_of(missing_at(vfs, "maps/two.bsp", ContentReach::closures));
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].assets == part_ids({2, 4}));
    CHECK(server.sent_bytes() < 100'000);  // tables, and no content
    REQUIRE(bundle->want(missing[0].assets, 7));
    wait_until([&] { return value_of(missing_at(vfs, "maps/two.bsp", ContentReach::closures)).empty(); });
    servers.close();
    CHECK(content_at(vfs, "maps/two.bsp") == random_text(2, kPartBytes));
    CHECK(content_at(vfs, "textures/sky.tga") == random_text(4, kPartBytes));
    CHECK(content_at(vfs, "maps/one.bsp").starts_with("missing: "));
    CHECK(server.sent_bytes() < 2 * kPartBytes + 100'000);
}

// ---- The same in C --------------------------------------------------------------------------------------------------

struct WantedContent {
    fardel_id bundle{};
    std::vector<fardel_id> assets;
    int calls = 0;
};

void take_missing(void* context, const fardel_missing_content* missing) {
    WantedContent& wanted = *static_cast<WantedContent*>(context);
    CHECK(missing->struct_size == sizeof *missing);
    CHECK(missing->is_mounted == 1);
    wanted.bundle = missing->bundle;
    wanted.assets.assign(missing->assets, missing->assets + missing->asset_count);
    ++wanted.calls;
}

TEST_CASE("missing content in C: open, missing, fetch these ids, open") {
    const ScratchFolder scratch;
    const Bytes bytes = game_of_maps();
    const TreeServer server({bytes});
    store_with_sounds(scratch, server, bundle_id_of(bytes));
    const CStore store(scratch);
    const fardel_id id = c::plain_id(bundle_id_of(bytes));
    fardel_reader reader = FARDEL_READER_INIT;
    REQUIRE(fardel_store_reader(store, &id, &reader, nullptr) == FARDEL_OK);
    fardel_vfs_options vfs_options = FARDEL_VFS_OPTIONS_INIT;
    vfs_options.flags = FARDEL_VFS_OPEN_NEEDS_CONTENT;
    fardel_vfs* vfs = nullptr;
    REQUIRE(fardel_vfs_create(&vfs_options, &vfs, nullptr) == FARDEL_OK);
    fardel_mount_options mount_options = FARDEL_MOUNT_OPTIONS_INIT;
    mount_options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    REQUIRE(fardel_mount_reader(vfs, &reader, &mount_options, nullptr, nullptr) == FARDEL_OK);

    fardel_file* file = nullptr;
    CHECK(fardel_open(vfs, "maps/one.bsp", &file, nullptr) == FARDEL_ERROR_MISSING);
    CHECK(file == nullptr);
    const char* const path = "maps/one.bsp";
    WantedContent wanted;
    std::size_t count = 0;
    REQUIRE(fardel_find_missing(vfs, &path, 1, FARDEL_MISSING_CLOSURES, take_missing, &wanted, &count, nullptr) ==
            FARDEL_OK);
    CHECK(count == 2);
    CHECK(wanted.calls == 1);
    REQUIRE(wanted.assets.size() == 2);

    const CServers servers(server.url());
    fardel_fetch_options options = FARDEL_FETCH_OPTIONS_INIT;
    options.servers = &servers.options;
    options.bundles = &wanted.bundle;
    options.bundle_count = 1;
    options.assets = wanted.assets.data();
    options.asset_count = wanted.assets.size();
    run_fetch(store, options);

    REQUIRE(fardel_open(vfs, "maps/one.bsp", &file, nullptr) == FARDEL_OK);
    std::string text(fardel_file_size(file), '\0');
    CHECK(fardel_read_all(file, text.data(), text.size(), nullptr) == FARDEL_OK);
    CHECK(text == random_text(1, kPartBytes));
    fardel_close(file);
    CHECK(fardel_find_missing(vfs, &path, 1, FARDEL_MISSING_CLOSURES, nullptr, nullptr, &count, nullptr) == FARDEL_OK);
    CHECK(count == 0);

    CHECK(fardel_find_missing(nullptr, &path, 1, 0, nullptr, nullptr, &count, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_find_missing(vfs, nullptr, 1, 0, nullptr, nullptr, &count, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_find_missing(vfs, &path, 1, 2, nullptr, nullptr, &count, nullptr) == FARDEL_ERROR_UNSUPPORTED);
    const char* const nothing = "nothing";
    CHECK(fardel_find_missing(vfs, &nothing, 1, 0, nullptr, nullptr, &count, nullptr) == FARDEL_ERROR_MISSING);
    fardel_vfs_destroy(vfs);
}

}  // namespace fardel::tests::missing_content_test
