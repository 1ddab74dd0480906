// Stores and trees whose folder is moved away while a program writes to it, as when a disk is unplugged.
#include "served_bundle.h"

#include "kit/failing_call.h"
#include "kit/opened_bundle.h"
#include "kit/small_disk.h"

#include <fardel/base/clock.h>
#include <fardel/delivery/publish.h>
#include <fardel/store/range_client.h>
#include <fardel/store/retention.h>

#include <doctest/doctest.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

namespace fardel {
namespace {

using namespace fardel::tests;

#if defined(FARDEL_CAN_FAIL_CALLS)

std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    return names;
}

template <class Value>
int exit_code_of(const Result<Value>& result) {
    return result ? 0 : 1 + static_cast<int>(result.error().code());
}

// Runs `work` in a child process once per call of its first thread that changes files. As the call begins, the folder
// that `prepare` created is moved away; the child goes on to its end, and the folder is put back for `verify`. Returns
// the number of runs.
template <class Prepare, class Work, class Verify>
int for_each_vanished(const SmallDisk& disk, Prepare prepare, Work work, Verify verify) {
    const std::string folder = disk.path("folder");
    const std::string away = disk.path("away");
    int number = 1;
    int failures = 0;
    for (bool paused = true; paused; ++number) {
        CAPTURE(number);
        REQUIRE(number < 1000);
        std::filesystem::remove_all(folder);
        prepare(folder);
        int exit_code = 0;
        {
            PausedChild child(number, changes_files, [&] { return work(folder); });
            paused = child.is_paused();
            if (paused)
                std::filesystem::rename(folder, away);
            exit_code = child.finish();
        }
        CAPTURE(exit_code);
        CHECK((exit_code == 0 || exit_code == 1 + static_cast<int>(ErrorCode::missing)));
        failures += exit_code != 0 ? 1 : 0;
        if (paused) {
            CHECK(names_in(disk.root()) == std::vector<std::string>{"away"});
            std::filesystem::remove_all(folder);
            std::filesystem::rename(away, folder);
        }
        verify(folder, exit_code);
    }
    CHECK(failures > 0);
    return number;
}

BundleStore store_in(const std::string& folder) { return value_of(BundleStore::open(folder, false)); }

void verify_clean(const BundleStore& store) {
    store.remove_leftovers();
    const StoreCheckReport report = value_of(store.check(true));
    CHECK(report.findings.empty());
    CHECK(report.incoming == 0);
    CHECK(report.abandoned_files == 0);
}

TEST_CASE("vanished folder: a fetch into a store that is moved away ends with an error, and the next one ends well") {
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    value_of(RangeClient::open({}));  // loads libcurl
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const int runs = for_each_vanished(
        disk, [](const std::string& folder) { value_of(BundleStore::open(folder, true)); },
        [&](const std::string& folder) {
            const auto store = BundleStore::open(folder, false);
            return store ? exit_code_of(fetch_one(*store, id, fetching_from({server.url()}))) : exit_code_of(store);
        },
        [&](const std::string& folder, int exit_code) {
            const BundleStore store = store_in(folder);
            CHECK(value_of(store.check(true)).findings.empty());
            CHECK((exit_code != 0 || is_whole(store, id)));
            value_of(fetch_one(store, id, fetching_from({server.url()})));
            CHECK(stored_bytes(store, id) == bytes);
            verify_clean(store);
        });
    CHECK(runs > 30);
}

TEST_CASE("vanished folder: an addition to a store that is moved away ends with an error, and the next one ends well") {
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const auto add_to = [&](const std::string& folder) {
        const auto store = BundleStore::open(folder, false);
        return store ? exit_code_of(store->add(make_memory_source(bytes))) : exit_code_of(store);
    };
    const int runs = for_each_vanished(
        disk, [](const std::string& folder) { value_of(BundleStore::open(folder, true)); }, add_to,
        [&](const std::string& folder, int exit_code) {
            const BundleStore store = store_in(folder);
            CHECK(value_of(store.check(true)).findings.empty());
            CHECK((exit_code != 0 || is_whole(store, id)));
            CHECK(add_to(folder) == 0);
            CHECK(stored_bytes(store, id) == bytes);
            verify_clean(store);
        });
    CHECK(runs > 15);
}

TEST_CASE("vanished folder: a collection in a store that is moved away loses nothing, and the next one ends well") {
    const Bytes stays = game_version("1");
    const Bytes goes = game_version("2");
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const auto collect = [](const std::string& folder) {
        const auto store = BundleStore::open(folder, false);
        const RetentionRules rules{.now_s = wall_clock_ns() / 1'000'000'000, .grace_s = 0};
        return store ? exit_code_of(store->collect(rules)) : exit_code_of(store);
    };
    const int runs = for_each_vanished(
        disk,
        [&](const std::string& folder) {
            const BundleStore store = value_of(BundleStore::open(folder, true));
            value_of(store.add(make_memory_source(stays)));
            value_of(store.add(make_memory_source(goes)));
            CHECK(store.remove_bundles(std::vector{bundle_id_of(goes)}, wall_clock_ns() / 1'000'000'000));
        },
        collect,
        [&](const std::string& folder, int) {
            const BundleStore store = store_in(folder);
            CHECK(value_of(store.check(true)).findings.empty());
            CHECK(collect(folder) == 0);
            CHECK(value_of(store.list()).size() == 1);
            CHECK(stored_bytes(store, bundle_id_of(stays)) == stays);
            verify_clean(store);
        });
    CHECK(runs > 10);
}

TEST_CASE("vanished folder: a tree that is moved away while a bundle is published has it whole or not at all") {
    const Bytes bytes = game_version("1");
    const std::string name = "/" + tree_path_of(bundle_id_of(bytes));
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const auto publish = [&](const std::string& tree) {
        return exit_code_of(publish_bundle(make_memory_source(bytes), tree));
    };
    const int runs = for_each_vanished(
        disk, [](const std::string& tree) { std::filesystem::create_directory(tree); }, publish,
        [&](const std::string& tree, int exit_code) {
            const bool is_there = std::filesystem::exists(tree + name);
            CHECK((is_there || exit_code != 0));
            CHECK((!is_there || read_file(tree + name) == text_of(bytes)));
            CHECK(publish(tree) == 0);
            CHECK(read_file(tree + name) == text_of(bytes));
            for (const auto& entry : std::filesystem::recursive_directory_iterator(tree))
                CHECK(entry.path().extension() != ".tmp");
        });
    CHECK(runs > 10);
}

#endif

}  // namespace
}  // namespace fardel
