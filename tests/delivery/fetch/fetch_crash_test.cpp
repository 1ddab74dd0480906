// Fetching and publishing that are killed, or whose disk is full, small, broken or without power.
#include "delivery/served_bundle.h"

#include "kit/failing_call.h"
#include "kit/opened_bundle.h"
#include "kit/power_loss.h"
#include "kit/small_disk.h"
#include "kit/vanished_folder.h"

#include <fardel/base/system_error.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/hosting/publish.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

namespace fardel {
namespace {

using namespace fardel::tests;

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

TEST_CASE("fetch: killed at any step, the next one goes on, and fetches little again") {  // A100, A118
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    value_of(RangeClient::open({}));  // loads libcurl
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");  // syncing is quick there; any other disk will do
    const std::string path = disk.path("store");
    int number = 1;
    for (bool paused = true; paused; ++number) {
        CAPTURE(number);
        REQUIRE(number < 1000);
        std::filesystem::remove_all(path);
        {
            PausedChild child(number, changes_files, [&] {
                const auto store = BundleStore::open(path, true);
                return store && fetch_one(*store, id, fetching_from({server.url()})) ? 0 : 1;
            });
            paused = child.is_paused();
            CHECK((paused || child.exit_code() == 0));
        }
        const std::uint64_t kept = bytes_below(path + "/incoming") + bytes_below(path + "/packs");
        const BundleStore store = value_of(BundleStore::open(path, true));
        CHECK(value_of(store.check(true)).findings.empty());
        const bool was_whole = is_whole(store, id);
        const FetchSummary fetched = value_of(fetch_one(store, id, fetching_from({server.url()})));
        CHECK(fetched.received_bytes + kept <= bytes.size() + kFetchedAgainMax);
        CHECK((!was_whole || fetched.received_bytes == 0));
        CHECK(stored_bytes(store, id) == bytes);
        const StoreCheckReport report = value_of(store.check(true));
        CHECK(report.findings.empty());
        CHECK(report.unused_packs == 0);
        CHECK(report.incoming == 0);
        CHECK(report.abandoned_files == 0);
    }
    CHECK(number > 30);
}

TEST_CASE("fetch: while the store is gone for a few steps, nothing unverified is visible, and the next one ends well") {
    const Bytes bytes = game_version("1");  // A102
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    value_of(RangeClient::open({}));
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const int returns = for_each_absence(
        disk.path("folder"),
        [](const std::string& folder) {
            std::filesystem::create_directory(folder);
            static_cast<void>(value_of(BundleStore::open(folder + "/store", true)));
        },
        [&](const std::string& folder) {
            const auto store = BundleStore::open(folder + "/store", false);
            const auto fetched =
                store ? status_of(fetch_one(*store, id, fetching_from({server.url()}))) : Status(store.error());
            return fetched ? 0 : 1 + static_cast<int>(fetched.error().code());
        },
        [&](const std::string& folder, int exit_code) {
            CHECK((exit_code == 0 || exit_code == 1 + static_cast<int>(ErrorCode::missing) ||
                   exit_code == 1 + static_cast<int>(ErrorCode::malformed) ||
                   exit_code == 1 + static_cast<int>(ErrorCode::conflict)));
            const BundleStore store = value_of(BundleStore::open(folder + "/store", false));
            CHECK(value_of(store.check(true)).findings.empty());
            CHECK((exit_code != 0 || is_whole(store, id)));
            CHECK(fetch_one(store, id, fetching_from({server.url()})));
            CHECK(stored_bytes(store, id) == bytes);
            CHECK(value_of(store.check(true)).findings.empty());
        });
    CHECK(returns > 10);
}

TEST_CASE("fetch: an error of the store's disk ends it at once, and no other server is asked") {  // A102
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    const TreeServer first({bytes});
    const TreeServer second({bytes});
    value_of(RangeClient::open({}));
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const auto is_write = [](unsigned long long call) { return call == SYS_pwrite64; };
    constexpr int kErrors[] = {EIO, ENOSPC, EROFS};
    int number = 1;
    for (bool failed = true; failed; ++number) {
        const int error = kErrors[number % 3];
        CAPTURE(number);
        CAPTURE(error);
        REQUIRE(number < 1000);
        std::filesystem::remove_all(disk.path("store"));
        const FailedCall outcome = fail_call(
            number, error,
            [&] {
                const auto store = BundleStore::open(disk.path("store"), true);
                if (!store)
                    return 1 + static_cast<int>(store.error().code());
                const auto fetched = fetch_one(*store, id, fetching_from({first.url(), second.url()}));
                return fetched ? 0 : 1 + static_cast<int>(fetched.error().code());
            },
            is_write);
        failed = outcome.failed;
        CHECK(outcome.exit_code == (failed ? 1 + static_cast<int>(error_code_of(error)) : 0));
        CHECK(second.requests().empty());
    }
    CHECK(number > 5);
}

TEST_CASE(
    "fetch: whichever call on files fails, nothing unverified is visible, and the next fetch ends well") {  // A102
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    value_of(RangeClient::open({}));
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    constexpr int kErrors[] = {ENOSPC, EIO, EROFS, EDQUOT};
    int number = 1;
    for (bool failed = true; failed; ++number) {
        const int error = kErrors[number % 4];  // each call fails with one of them only
        CAPTURE(number);
        CAPTURE(error);
        REQUIRE(number < 1000);
        std::filesystem::remove_all(disk.path("store"));
        const FailedCall outcome = fail_call(number, error, [&] {
            const auto store = BundleStore::open(disk.path("store"), true);
            if (!store)
                return 1 + static_cast<int>(store.error().code());
            const auto fetched = fetch_one(*store, id, fetching_from({server.url()}));
            return fetched ? 0 : 1 + static_cast<int>(fetched.error().code());
        });
        failed = outcome.failed;
        CAPTURE(outcome.call);
        // Calls on sockets fail, too: a server that cannot be reached.
        CHECK((outcome.exit_code == 0 || outcome.exit_code == 1 + static_cast<int>(error_code_of(error)) ||
               outcome.exit_code == 1 + static_cast<int>(ErrorCode::unreachable)));
        const BundleStore store = value_of(BundleStore::open(disk.path("store"), true));
        if (is_whole(store, id))
            CHECK(stored_bytes(store, id) == bytes);
        else
            CHECK(outcome.exit_code != 0);
        value_of(fetch_one(store, id, fetching_from({server.url()})));
        CHECK(stored_bytes(store, id) == bytes);
        store.remove_leftovers();
        const StoreCheckReport report = value_of(store.check(true));
        CHECK(report.findings.empty());
        CHECK(report.incoming == 0);
        CHECK(report.abandoned_files == 0);
    }
    CHECK(number > 60);
}

TEST_CASE("fetch: whenever the folder of the store vanishes, it stays gone, and the next fetch ends well") {  // A102
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    value_of(RangeClient::open({}));
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const std::string path = disk.path("store");
    const std::string away = disk.path("away");
    int number = 1;
    int failures = 0;
    for (bool paused = true; paused; ++number) {
        CAPTURE(number);
        REQUIRE(number < 1000);
        std::filesystem::remove_all(path);
        value_of(BundleStore::open(path, true));
        PausedChild child(number, changes_files, [&] {
            const auto store = BundleStore::open(path, false);
            if (!store)
                return 1 + static_cast<int>(store.error().code());
            const auto fetched = fetch_one(*store, id, fetching_from({server.url()}));
            return fetched ? 0 : 1 + static_cast<int>(fetched.error().code());
        });
        paused = child.is_paused();
        if (paused)
            std::filesystem::rename(path, away);  // as when a disk is unplugged
        const int exit_code = child.finish();
        CAPTURE(exit_code);
        // If it goes while it is looked at, it is no store any more, or another program seems to have removed a pack.
        constexpr ErrorCode kCodes[] = {ErrorCode::missing, ErrorCode::malformed, ErrorCode::conflict};
        CHECK((exit_code == 0 ||
               std::ranges::any_of(kCodes, [&](ErrorCode code) { return exit_code == 1 + static_cast<int>(code); })));
        failures += exit_code != 0 ? 1 : 0;
        if (paused) {
            CHECK_FALSE(std::filesystem::exists(path));
            std::filesystem::remove_all(path);
            std::filesystem::rename(away, path);
        }
        const BundleStore store = value_of(BundleStore::open(path, false));
        CHECK(value_of(store.check(true)).findings.empty());
        CHECK((exit_code != 0 || is_whole(store, id)));
        value_of(fetch_one(store, id, fetching_from({server.url()})));
        CHECK(stored_bytes(store, id) == bytes);
        store.remove_leftovers();
        const StoreCheckReport report = value_of(store.check(true));
        CHECK(report.findings.empty());
        CHECK(report.incoming == 0);
        CHECK(report.abandoned_files == 0);
    }
    CHECK(number > 30);
    CHECK(failures > 0);
}

TEST_CASE("publish: killed or failing at any step, a file appears whole or not at all") {  // A100, A102
    const Bytes bytes = game_version("1");
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto publish = [&](const std::string& tree) {
        const auto published = publish_bundle(make_memory_source(bytes), tree);
        return published ? 0 : 1 + static_cast<int>(published.error().code());
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
    bool paused = true;
    for (int number = 1; paused; ++number) {
        CAPTURE(number);
        PausedChild child(number, changes_files, [&] { return publish(tree); });
        paused = child.is_paused();
        CHECK((paused || child.exit_code() == 0));
        child.kill();
        check_tree();
    }
    constexpr int kErrors[] = {ENOSPC, EIO, EROFS, EDQUOT};
    bool failed = true;
    for (int number = 1; failed; ++number) {
        const int error = kErrors[number % 4];
        CAPTURE(number);
        CAPTURE(error);
        const FailedCall outcome = fail_call(number, error, [&] { return publish(tree); });
        failed = outcome.failed;
        CHECK((outcome.exit_code == 0 || outcome.exit_code == 1 + static_cast<int>(error_code_of(error))));
        check_tree();
    }
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

TEST_CASE("fetch: a bundle of the store whose pack is gone is fetched again") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer server({bytes});
    const BundleStore store = make_store(scratch);
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

}  // namespace
}  // namespace fardel
