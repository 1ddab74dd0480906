// One store that two computers use over a network: two mounts of one folder, each with its own caches. Programs on both
// are killed at any moment, again and again.
#include "store_actors.h"

#include "kit/random_seed.h"
#include "kit/scratch_folder.h"
#include "kit/shared_folder.h"

#include <doctest/doctest.h>

#include <climits>

namespace fardel {
namespace {

using namespace fardel::tests;

// Each role on each mount, and `others`.
std::vector<StoreActor> actors_on(const FolderMount& one, const FolderMount& two, bool has_locks,
                                  std::vector<StoreActor> others = {}) {
    using enum StoreRole;
    for (const FolderMount* const mount : {&one, &two})
        for (const StoreRole role : {collector, writer, fetcher, reader})
            others.push_back({.role = role, .path = mount->path("store"), .is_safe = has_locks});
    return others;
}

bool is_skipped(MountKind kind) {
    const std::string missing = FolderMount::missing(kind);
    if (!missing.empty())
        MESSAGE("SKIPPED: " << missing);
    return !missing.empty();
}

// A106
TEST_CASE(
    "shared folder: collectors, writers, fetches and readers on two computers that are killed leave a whole store") {
    if (is_skipped(MountKind::cached))
        return;
    const ScratchFolder scratch;
    const SharedBundles bundles = make_shared_bundles(3);
    const std::string folder = scratch.path("server");
    static_cast<void>(value_of(BundleStore::open(folder + "/store", true)));
    const std::uint64_t seed = random_seed();
    CAPTURE(seed);
    {
        const FolderMount one(scratch, MountKind::cached, folder, "one");
        const FolderMount two(scratch, MountKind::cached, folder, "two");
        StoreActors actors(actors_on(one, two, true), bundles, seed);
        actors.disturb(100, 5, std::chrono::seconds(8));
        actors.end();
        for (const FolderMount* const mount : {&one, &two})
            check_whole(value_of(BundleStore::open(mount->path("store"), false)));
        check_goes_on(value_of(BundleStore::open(two.path("store"), false)), bundles);
    }
    check_whole(value_of(BundleStore::open(folder + "/store", false)));
}

// A106
TEST_CASE(
    "shared folder: a collector sees at once what a writer on another computer holds, whatever it listed before") {
    if (is_skipped(MountKind::cached))
        return;
    const ScratchFolder scratch;
    const SharedBundles bundles = make_shared_bundles(0);
    const std::string folder = scratch.path("server");
    static_cast<void>(value_of(BundleStore::open(folder + "/store", true)));
    const FolderMount one(scratch, MountKind::cached, folder, "one");
    const FolderMount two(scratch, MountKind::cached, folder, "two");
    const BundleStore here = value_of(BundleStore::open(one.path("store"), false));
    const BundleStore there = value_of(BundleStore::open(two.path("store"), false));
    value_of(here.add(make_memory_source(bundles.base)));
    CHECK(here.collect({.dry_run = true}));  // lists what there is
    {
        auto hold = value_of(StoreHold::open(there));
        REQUIRE(hold.hold(bundle_id_of(bundles.base)));
        CHECK(collect_everything(here));
        CHECK(has_bytes(there.peek_bundle(bundle_id_of(bundles.base)), bundles.base));
    }
    REQUIRE(there.pin({.bundle = bundle_id_of(bundles.base), .name = "pin", .until_s = std::nullopt}));
    CHECK(collect_everything(here));
    CHECK(has_bytes(there.peek_bundle(bundle_id_of(bundles.base)), bundles.base));
    CHECK(there.unpin(bundle_id_of(bundles.base), "pin"));
    CHECK(collect_everything(here));
    CHECK(value_of(here.list()).empty());
}

// A106
TEST_CASE(
    "shared folder: where computers do not see the locks of others, adding and reading work and the rest is refused") {
    if (is_skipped(MountKind::sshfs))
        return;
    const ScratchFolder scratch;
    const SharedBundles bundles = make_shared_bundles(3);
    const std::string folder = scratch.path("server");
    const BundleStore at_server = value_of(BundleStore::open(folder + "/store", true));
    const std::uint64_t seed = random_seed();
    CAPTURE(seed);
    {
        const FolderMount one(scratch, MountKind::sshfs, folder, "one");
        const FolderMount two(scratch, MountKind::sshfs, folder, "two");
        StoreActors actors(actors_on(one, two, false), bundles, seed);
        actors.disturb(100, 5, std::chrono::seconds(8));
        actors.end();
        for (const FolderMount* const mount : {&one, &two}) {
            const BundleStore store = value_of(BundleStore::open(mount->path("store"), false));
            check_error(store.collect({}), ErrorCode::unsupported, "(fuse.sshfs); do this on the computer");
            check_error(IncomingBundle::open(store, bundle_id_of(bundles.base)), ErrorCode::unsupported, "fuse.sshfs");
            check_whole(store);
        }
    }
    check_whole(at_server);
    check_goes_on(at_server, bundles);
}

// A106
TEST_CASE("shared folder: a collector with locks takes nothing from writers on computers whose locks it cannot see") {
    if (is_skipped(MountKind::sshfs))
        return;
    const ScratchFolder scratch;
    const SharedBundles bundles = make_shared_bundles(3);
    const std::string folder = scratch.path("server");
    const BundleStore at_server = value_of(BundleStore::open(folder + "/store", true));
    const std::uint64_t seed = random_seed();
    CAPTURE(seed);
    {
        const FolderMount one(scratch, MountKind::sshfs, folder, "one");
        const FolderMount two(scratch, MountKind::sshfs, folder, "two");
        using enum StoreRole;
        constexpr std::int64_t kDaySeconds = 24 * 60 * 60;
        // No writer is killed: its lease would keep everything for that day.
        StoreActors actors({{collector, at_server.path(), true, kDaySeconds},
                            {reader, at_server.path()},
                            {writer, one.path("store"), false},
                            {writer, two.path("store"), false}},
                           bundles, seed);
        actors.disturb(100, INT_MAX, std::chrono::seconds(4));
        actors.end();
    }
    check_whole(at_server);
    check_goes_on(at_server, bundles);
}

}  // namespace
}  // namespace fardel
