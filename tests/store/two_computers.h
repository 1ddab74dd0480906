// One store that two computers use over a network, each through a mount of its own.
#pragma once

#include "store_actors.h"

namespace fardel::tests {

// Where the folder of the store is mounted, and where its server has it. The store is "store" in it.
struct TwoComputers {
    std::string one;
    std::string two;
    std::string server;

    BundleStore open_one() const { return value_of(BundleStore::open(one + "/store", false)); }
    BundleStore open_two() const { return value_of(BundleStore::open(two + "/store", false)); }
    BundleStore open_server() const { return value_of(BundleStore::open(server + "/store", true)); }
};

// Each role on each computer.
inline std::vector<StoreActor> actors_on(const TwoComputers& computers, bool has_locks) {
    using enum StoreRole;
    std::vector<StoreActor> actors;
    for (const std::string& mount : {computers.one, computers.two})
        for (const StoreRole role : {collector, writer, fetcher, reader})
            actors.push_back({.role = role, .path = mount + "/store", .is_safe = has_locks});
    return actors;
}

// Programs on both that are killed at any moment, again and again, leave a whole store.
inline void check_killed_programs(const TwoComputers& computers) {
    const SharedBundles bundles = make_shared_bundles(3);
    static_cast<void>(computers.open_server());
    const std::uint64_t seed = random_seed();
    CAPTURE(seed);
    StoreActors actors(actors_on(computers, true), bundles, seed);
    actors.disturb(100, 5, std::chrono::seconds(8));
    actors.end();
    check_whole(computers.open_one());
    check_whole(computers.open_two());
    check_goes_on(computers.open_two(), bundles);
}

// A collector sees at once what a writer on the other computer holds, whatever it listed before.
inline void check_collector_sees_writer(const TwoComputers& computers) {
    const SharedBundles bundles = make_shared_bundles(0);
    const BundleId base = bundle_id_of(bundles.base);
    static_cast<void>(computers.open_server());
    const BundleStore here = computers.open_one();
    const BundleStore there = computers.open_two();
    value_of(here.add(make_memory_source(bundles.base)));
    CHECK(here.collect({.dry_run = true}));  // lists what there is
    {
        auto hold = value_of(StoreHold::open(there));
        REQUIRE(hold.hold(base));
        CHECK(collect_everything(here));
        CHECK(has_bundle(there, bundles.base, {}));
    }
    REQUIRE(there.pin({.bundle = base, .name = "pin", .until = std::nullopt}));
    CHECK(collect_everything(here));
    CHECK(has_bundle(there, bundles.base, {}));
    CHECK(there.unpin(base, "pin"));
    CHECK(collect_everything(here));
    CHECK(value_of(here.list()).empty());
}

// Where computers do not see the locks of others, adding and reading work and the rest is refused, with the words.
inline void check_refused_without_locks(const TwoComputers& computers, const char* words) {
    const SharedBundles bundles = make_shared_bundles(3);
    static_cast<void>(computers.open_server());
    const std::uint64_t seed = random_seed();
    CAPTURE(seed);
    {
        StoreActors actors(actors_on(computers, false), bundles, seed);
        actors.disturb(100, 5, std::chrono::seconds(8));
        actors.end();
    }
    for (const BundleStore& store : {computers.open_one(), computers.open_two()}) {
        check_error(store.collect({}), ErrorCode::unsupported, words);
        check_error(IncomingBundle::open(store, bundle_id_of(bundles.base)), ErrorCode::unsupported, words);
        check_whole(store);
    }
    check_whole(computers.open_server());
    check_goes_on(computers.open_server(), bundles);
}

}  // namespace fardel::tests
