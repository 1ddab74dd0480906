// Deltas whose writer or reader is killed at any step: what is visible is whole, and the next attempt ends well.
#include "delivery/served_bundle.h"

#include <fardel/delivery/delta_list.h>
#include <fardel/delivery/delta_record.h>
#include <fardel/hosting/make_delta.h>

#include "kit/bundles.h"
#include "kit/disks.h"
#include "kit/failing_call.h"
#include "kit/files.h"

#include <fardel/delivery/delta.h>
#include <fardel/format/staged_file.h>
#include <fardel/hosting/publish_delta.h>

namespace fardel::tests::delta_crash_test {

#if defined(FARDEL_CAN_FAIL_CALLS)

// Two versions of which one block differs, and one is added.
Bytes delta_game(std::uint32_t number) {
    BundlePlan plan;
    add(plan, "a.bin", random_text(1, 70'000), "application/octet-stream");
    add(plan, "b.txt", prose(150'000, number));
    add(plan, "version.txt", std::to_string(number));
    return written(plan, {.level = 3, .jobs = 1});
}

Bytes delta_file_between(const Bytes& old, const Bytes& target) {
    const ScratchFolder scratch;
    const auto file = value_of(stage_file(scratch.path("delta")));
    value_of(make_delta(open_bundle(old), *open_bundle(target), *file, {.effort = 3}));
    REQUIRE(file->commit());
    return bytes_of(scratch.read("delta"));
}

TEST_CASE("delta: a program that is killed while it applies one leaves the old file or the new one") {  // A100
    const Bytes old = delta_game(1);
    const Bytes target = delta_game(2);
    const Bytes delta = delta_file_between(old, target);
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const std::string path = disk.path("game.fardel");
    const auto apply = [&] {
        const auto file = stage_file(path);
        return file && apply_delta(open_bundle(old), *make_memory_source(delta), **file) && (*file)->commit() ? 0 : 1;
    };
    int number = 1;
    for (bool paused = true; paused; ++number) {
        CAPTURE(number);
        REQUIRE(number < 500);
        write_file(path, text_of(old));
        {
            PausedChild child(number, changes_files, apply);
            paused = child.is_paused();
            CHECK((paused || child.exit_code() == 0));
        }
        const Bytes seen = bytes_of(read_file(path));
        CHECK((seen == old || seen == target));
        CHECK(apply() == 0);
        CHECK(bytes_of(read_file(path)) == target);
        CHECK(temporary_files(disk.root()) == 0);
    }
    CHECK(number > 8);
}

TEST_CASE("delta: a publication that is killed at any step lists only deltas that are there, whole") {  // A100
    const Bytes old = delta_game(1);
    const Bytes target = delta_game(2);
    const auto new_bundle = open_bundle(target);
    const std::string list_path = delta_list_path_of(new_bundle->id());
    const std::string delta_path = delta_path_of(new_bundle->id(), bundle_id_of(old));
    const Bytes right = delta_file_between(old, target);
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const std::string tree = disk.path("tree");
    const auto publish = [&] {
        const auto folder = make_folder_target(tree);
        return publish_delta(open_bundle(old), *new_bundle, *folder, {.effort = 3}) ? 0 : 1;
    };
    int number = 1;
    for (bool paused = true; paused; ++number) {
        CAPTURE(number);
        REQUIRE(number < 500);
        std::filesystem::remove_all(tree);
        {
            PausedChild child(number, changes_files, publish);
            paused = child.is_paused();
            CHECK((paused || child.exit_code() == 0));
        }
        if (std::filesystem::exists(tree + "/" + delta_path))
            CHECK(bytes_of(read_file(tree + "/" + delta_path)) == right);
        if (std::filesystem::exists(tree + "/" + list_path)) {
            CHECK(value_of(decode_delta_list(bytes_of(read_file(tree + "/" + list_path)))).size() == 1);
            CHECK(std::filesystem::exists(tree + "/" + delta_path));
        }
        CHECK(publish() == 0);
        CHECK(bytes_of(read_file(tree + "/" + delta_path)) == right);
        CHECK(value_of(decode_delta_list(bytes_of(read_file(tree + "/" + list_path)))).size() == 1);
        CHECK(temporary_files(tree) == 0);
    }
    CHECK(number > 12);
}

TEST_CASE("delta: a fetch that is killed while it uses one goes on, and nothing unverified is visible") {  // A100, A118
    const Bytes old = delta_game(1);
    const Bytes target = delta_game(2);
    const BundleId id = bundle_id_of(target);
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const auto tree = make_folder_target(disk.path("tree"));
    const auto new_bundle = open_bundle(target);
    const DeltaPublication made = value_of(publish_delta(open_bundle(old), *new_bundle, *tree, {.effort = 3}));
    const std::string list = delta_list_path_of(id);
    const TreeServer server(
        {old, target}, nullptr,
        {{list, read_file(disk.path("tree/" + list))}, {made.path, read_file(disk.path("tree/" + made.path))}});
    value_of(RangeClient::open({}));  // loads libcurl
    const std::string path = disk.path("store");
    std::size_t of_deltas = 0;
    int number = 1;
    for (bool paused = true; paused; number += 3) {  // fetch_crash_test stops at every step
        CAPTURE(number);
        REQUIRE(number < 1000);
        std::filesystem::remove_all(path);
        {
            const BundleStore store = value_of(BundleStore::open(path, true));
            value_of(store.add(make_memory_source(old)));
        }
        {
            PausedChild child(number, changes_files, [&] {
                const auto store = BundleStore::open(path, true);
                return store && fetch_one(*store, id, fetching_from({server.url()})) ? 0 : 1;
            });
            paused = child.is_paused();
            CHECK((paused || child.exit_code() == 0));
        }
        const BundleStore store = value_of(BundleStore::open(path, true));
        CHECK(value_of(store.check(true)).findings.empty());
        const bool was_whole = is_whole(store, id);
        const FetchSummary fetched = value_of(fetch_one(store, id, fetching_from({server.url()})));
        CHECK((!was_whole || fetched.received_bytes == 0));
        CHECK(stored_bytes(store, id) == target);
        const StoreCheckReport report = value_of(store.check(true));
        CHECK(report.findings.empty());
        CHECK(report.incoming == 0);
        CHECK(report.abandoned_files == 0);
    }
    for (const RangeRequest& request : server.requests())
        of_deltas += request.path.ends_with(".delta") ? 1 : 0;
    CHECK(of_deltas > 10);
    CHECK(number > 30);
}

#else

TEST_CASE("delta: calls are counted without sanitizers") {
    MESSAGE("SKIPPED: the calls of a sanitizer would count, too");
}

#endif

}  // namespace fardel::tests::delta_crash_test
