// Fetching and publishing that are killed, or whose disk is full, small, broken or without power.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "kit/disks.h"
#include "kit/failing_call.h"
#include "kit/power_loss.h"

#include <fardel/base/system_error.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/hosting/publish.h>

#include <map>

namespace fardel::tests::fetch_crash_test {

constexpr std::uint64_t kFetchedAgainMax = 140'000;  // one block, and the bytes between two blocks

std::uint64_t bytes_below(const std::string& folder) {
    std::uint64_t bytes = 0;
    if (std::filesystem::exists(folder))
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            if (entry.path().extension() != ".log")
                bytes += entry.file_size();
    return bytes;
}

#if defined(FARDEL_CAN_FAIL_CALLS)

bool has_temporary_file(const std::string& folder) {
    return std::ranges::any_of(std::filesystem::directory_iterator(folder),
                               [](const auto& entry) { return entry.path().extension() == ".tmp"; });
}

// A bundle that a server serves, and a store on a small disk, where syncing is quick; any other disk will do.
struct FetchSite {
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server{std::vector<Bytes>{bytes}};
    const ScratchFolder scratch;
    const SmallDisk disk{scratch, "64m"};
    const std::string folder = disk.path("folder");
    const std::string path = folder + "/store";

    FetchSite() {
        value_of(RangeClient::open({}));  // loads libcurl
        renew();
    }
    void renew() const {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directory(folder);
    }
    BundleStore store() const { return value_of(BundleStore::open(path, true)); }
    int fetch(bool creates = true) const {
        const auto opened = BundleStore::open(path, creates);
        return opened ? exit_code_of(fetch_one(*opened, id, fetching_from({server.url()}))) : exit_code_of(opened);
    }
    // The next fetch ends well and leaves nothing behind.
    FetchSummary check_completes(const BundleStore& opened) const {
        const FetchSummary fetched = value_of(fetch_one(opened, id, fetching_from({server.url()})));
        CHECK(stored_bytes(opened, id) == bytes);
        return fetched;
    }
};

TEST_CASE("fetch: killed at any step, the next one goes on, and fetches little again") {  // A100, A118
    const FetchSite site;
    const auto verify = [&](int, bool) {
        const std::uint64_t kept = bytes_below(site.path + "/incoming") + bytes_below(site.path + "/packs");
        const BundleStore store = site.store();
        CHECK(value_of(store.check(true)).findings.empty());
        const bool was_whole = is_whole(store, site.id);
        const FetchSummary fetched = site.check_completes(store);
        CHECK(fetched.received_bytes + kept <= site.bytes.size() + kFetchedAgainMax);
        CHECK((!was_whole || fetched.received_bytes == 0));
        CHECK(value_of(store.check(true)).unused_packs == 0);
        check_tidy(store);
    };
    CHECK(kill_at_each_call(
              1000, [&] { site.renew(); }, [&] { return site.fetch(); }, verify) > 30);
}

// If the folder goes while it is looked at, it is no store any more, or another program seems to have removed a pack.
constexpr std::initializer_list<ErrorCode> kEndsWithoutFolder = {ErrorCode::missing, ErrorCode::malformed,
                                                                 ErrorCode::conflict};

TEST_CASE("fetch: while the store is gone for a few steps, nothing unverified is visible, and the next one ends well") {
    const FetchSite site;  // A102
    const int returns = for_each_absence(
        site.folder,
        [&](const std::string&) {
            site.renew();
            static_cast<void>(site.store());
        },
        [&](const std::string&) { return site.fetch(false); },
        [&](const std::string&, int exit_code) {
            CHECK(is_end(exit_code, kEndsWithoutFolder));
            const BundleStore store = value_of(BundleStore::open(site.path, false));
            CHECK(value_of(store.check(true)).findings.empty());
            CHECK((exit_code != 0 || is_whole(store, site.id)));
            site.check_completes(store);
            CHECK(value_of(store.check(true)).findings.empty());
        });
    CHECK(returns > 10);
}

TEST_CASE("fetch: an error of the store's disk ends it at once, and no other server is asked") {  // A102
    const FetchSite site;
    const TreeServer second({site.bytes});
    const auto fetch = [&] {
        const auto store = BundleStore::open(site.path, true);
        return store ? exit_code_of(fetch_one(*store, site.id, fetching_from({site.server.url(), second.url()})))
                     : exit_code_of(store);
    };
    const auto verify = [&](const FailedCall& outcome) {
        CHECK(outcome.exit_code == (outcome.failed ? exit_code_of(error_code_of(outcome.error)) : 0));
        CHECK(second.requests().empty());
    };
    const int runs = fail_each_call(
        1000, {EIO, ENOSPC, EROFS},
        [&] {
            site.renew();
            static_cast<void>(site.store());  // with its spare room, which it can do without
        },
        fetch, verify, [](unsigned long long call) { return call == SYS_pwrite64; });
    CHECK(runs > 5);
}

TEST_CASE(
    "fetch: whichever call on files fails, nothing unverified is visible, and the next fetch ends well") {  // A102
    const FetchSite site;
    const auto verify = [&](const FailedCall& outcome) {
        CHECK(outcome.is_end({ErrorCode::unreachable}));  // calls on sockets fail, too
        const BundleStore store = site.store();
        if (is_whole(store, site.id))
            CHECK(stored_bytes(store, site.id) == site.bytes);
        else
            CHECK(outcome.exit_code != 0);
        site.check_completes(store);
        store.remove_leftovers();
        check_tidy(store);
    };
    const int runs = fail_each_call(
        1000, {ENOSPC, EIO, EROFS, EDQUOT}, [&] { site.renew(); }, [&] { return site.fetch(); }, verify);
    CHECK(runs > 60);
}

TEST_CASE("fetch: whenever the folder of the store vanishes, it stays gone, and the next fetch ends well") {  // A102
    const FetchSite site;
    int runs = 0;
    const int failures = for_each_vanished(
        site.path, [&](const std::string&) { static_cast<void>(site.store()); },
        [&](const std::string&) { return site.fetch(false); },
        [&](const std::string&, int exit_code) {
            ++runs;
            CHECK(is_end(exit_code, kEndsWithoutFolder));
            const BundleStore store = value_of(BundleStore::open(site.path, false));
            CHECK(value_of(store.check(true)).findings.empty());
            CHECK((exit_code != 0 || is_whole(store, site.id)));
            site.check_completes(store);
            store.remove_leftovers();
            check_tidy(store);
        });
    CHECK(runs > 29);
    CHECK(failures > 0);
}

TEST_CASE("publish: killed or failing at any step, a file appears whole or not at all") {  // A100, A102
    const Bytes bytes = game_version("1");
    const std::string text = text_of(bytes);
    const auto publish = [&](const std::string& tree) {
        return exit_code_of(publish_bundle(make_memory_source(bytes), tree));
    };
    const std::string name = tree_path_of(bundle_id_of(bytes));
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const std::string tree = disk.path("tree");
    const auto check_tree = [&] {
        if (std::filesystem::exists(tree + "/" + name))
            CHECK(read_file(tree + "/" + name) == text);
        CHECK(publish(tree) == 0);
        CHECK(read_file(tree + "/" + name) == text);
        CHECK_FALSE(has_temporary_file(tree + "/bundles"));
        std::filesystem::remove_all(tree);
    };
    const auto publish_there = [&] { return publish(tree); };
    kill_at_each_call(
        1000, [] {}, publish_there, [&](int, bool) { check_tree(); });
    fail_each_call(
        1000, {ENOSPC, EIO, EROFS, EDQUOT}, [] {}, publish_there,
        [&](const FailedCall& outcome) {
            CHECK(outcome.is_end());
            check_tree();
        });
}

#endif

TEST_CASE("fetch: a bundle that is larger than the disk is refused before any content is sent") {  // A102
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "512k");
    if (disk.is_missing())
        return;
    const Bytes bytes = game_version("1");
    const TreeServer server({bytes});
    const BundleStore store = value_of(BundleStore::open(disk.path("store"), true));
    check_error(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()})), ErrorCode::no_space,
                "bytes free");
    CHECK(server.sent_bytes() < 50'000);
}

TEST_CASE("fetch: tables that are larger than the free space are refused before they are sent") {  // A143
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "2m");
    if (disk.is_missing())
        return;
    BundleMaker maker;
    for (int i = 0; i < 10'000; ++i)
        maker.add("folder/file-" + std::to_string(i) + ".txt", std::to_string(i));
    const Bytes bytes = maker.write_quickly();
    const auto bundle = value_of(Bundle::open(make_memory_source(bytes), {}));
    const std::uint64_t tables_bytes = bundle->head().manifest_bytes + bundle->layout_head().layout_bytes;
    REQUIRE(tables_bytes > 400'000);
    const TreeServer server({bytes});
    const BundleStore store = value_of(BundleStore::open(disk.path("store"), true));
    const auto free_bytes = [&] { return std::filesystem::space(disk.root()).available; };
    write_file(disk.path("filler"), std::string(free_bytes() - 300'000, 'x'));
    bool was_asked = false;
    FetchOptions options = fetching_from({server.url()});
    options.consent = [&](const FetchPlan&) {
        was_asked = true;
        return ok();
    };
    check_error(fetch_one(store, bundle->id(), options), ErrorCode::no_space, "the tables of bundle ");
    CHECK_FALSE(was_asked);
    CHECK(server.sent_bytes() < 20'000);
    CHECK(bytes_below(disk.path("store/incoming")) < 20'000);
}

TEST_CASE(
    "fetch: the tables of all bundles together meet the bound before consent, at the bound and one past it") {  // A143
    const ScratchFolder scratch;
    const Bytes base = BundleMaker().add_data("base.bin", random_text(7, 100'000)).write_quickly();
    const Bytes game = game_version("1", {bundle_id_of(base)});
    const TreeServer server({base, game});
    FetchOptions options = fetching_from({server.url()});
    options.tables_bytes_max = 0;
    for (const Bytes& bytes : {base, game}) {
        const auto bundle = value_of(Bundle::open(make_memory_source(bytes), {}));
        options.tables_bytes_max += bundle->head().manifest_bytes + bundle->layout_head().layout_bytes;
    }
    --options.tables_bytes_max;
    const BundleStore store = value_of(BundleStore::open(scratch.path("store"), true));
    check_error(fetch_one(store, bundle_id_of(game), options), ErrorCode::limit, "the tables of what is to be fetched");
    CHECK(value_of(store.list()).empty());
    ++options.tables_bytes_max;
    value_of(fetch_one(store, bundle_id_of(game), options));
    CHECK(stored_bytes(store, bundle_id_of(game)) == game);
}

TEST_CASE("fetch: a disk that becomes full is no_space, and with room again the fetch goes on") {  // A102
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "1m");
    if (disk.is_missing())
        return;
    const Bytes bytes = game_version("1");
    const TreeServer server({bytes});
    const BundleStore store = value_of(BundleStore::open(disk.path("store"), true));
    FetchOptions options = fetching_from({server.url()});
    options.progress = [&](const FetchProgress& progress) {
        if (progress.received_bytes > 300'000 && !std::filesystem::exists(disk.path("filler")))
            disk.fill();
    };
    CHECK(code_of(fetch_one(store, bundle_id_of(bytes), options)) == ErrorCode::no_space);
    CHECK(value_of(store.list()).empty());
    std::filesystem::remove(disk.path("filler"));
    const std::uint64_t kept = bytes_below(disk.path("store/incoming"));
    CHECK(kept > 100'000);
    const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()})));
    CHECK(fetched.received_bytes + kept <= bytes.size() + kFetchedAgainMax);
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
}

TEST_CASE_FIXTURE(ServedGame, "fetch: a bundle of the store whose pack is gone is fetched again") {
    value_of(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()})));
    std::filesystem::remove_all(scratch.path("store/packs"));
    value_of(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()})));
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
}

#if defined(FARDEL_CAN_FAIL_CALLS)

TEST_CASE("publish: after a power failure at any moment, a file of the tree is whole or not there") {  // A101
    BundlePlan plan;
    add(plan, "a.bin", noise_text(40'000, 1), "application/octet-stream");
    for (int i = 0; i < 10; ++i)
        add(plan, "texts/" + std::to_string(i) + ".txt", prose(500, static_cast<std::uint32_t>(i)));
    const Bytes bytes = written(plan);
    const std::string name = "/tree/" + tree_path_of(bundle_id_of(bytes));
    const auto publish = [&](const std::string& folder) {
        const auto published = publish_bundle(make_memory_source(bytes), folder + "/tree");
        return published ? 0 : 1 + static_cast<int>(published.error().code());
    };
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const std::string root = disk.path("root");
    std::filesystem::create_directory(root);
    const RecordedFolder recorded(root, [&] { return publish(root); });
    REQUIRE(recorded.exit_code() == 0);
    CHECK(recorded.steps() > 10);
    const std::string left = disk.path("left");
    std::map<std::string, std::string> whole;  // by path below the tree
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/tree"))
        if (entry.is_regular_file())
            whole[entry.path().string().substr(root.size())] = read_file(entry.path());
    CHECK(whole.size() == 3);  // the bundle, its tables, its assets one by one
    for_each_power_loss(recorded, left, 4, [&](std::size_t step) {
        for (const auto& [path, content] : whole) {
            const bool is_there = std::filesystem::exists(left + path);
            CHECK((!is_there || read_file(left + path) == content));
            CHECK((is_there || step + 1 < recorded.steps()));
        }
        CHECK(publish(left) == 0);
        for (const auto& [path, content] : whole)
            CHECK(read_file(left + path) == content);
    });
}

#endif

}  // namespace fardel::tests::fetch_crash_test
