// Two collectors, a writer and a reader as processes on one real store; each is killed at any moment, again and again.
#include "kit/opened_bundle.h"
#include "kit/random_seed.h"
#include "kit/results.h"
#include "kit/sample_plan.h"
#include "kit/scratch_folder.h"

#include <fardel/base/clock.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/retention.h>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <random>
#include <vector>

namespace fardel {
namespace {

using namespace fardel::tests;

constexpr int kGames = 4;  // each needs the base
constexpr int kEvents = 300;
constexpr int kKills = 60;

enum class Role : std::uint8_t { first_collector, second_collector, writer, reader };
constexpr std::size_t kRoles = 4;

struct SharedStore {
    std::string path;
    Bytes base;
    std::vector<Bytes> games;
    int events = -1;  // one byte is written there after each round
};

Bytes bundle_with(std::uint32_t own, std::vector<BundleId> needs) {
    BundlePlan plan;
    add(plan, "shared.bin", noise_text(100'000, 1), "application/octet-stream");
    add(plan, "own.bin", noise_text(20'000, own), "application/octet-stream");
    for (const BundleId& need : needs)
        plan.dependencies.push_back({.bundle = need, .is_static = true});
    return written(plan);
}

bool has_bytes(const Result<std::shared_ptr<const ByteSource>>& source, const Bytes& expected) {
    Bytes bytes(expected.size());
    return source && (*source)->size_bytes() == bytes.size() && (*source)->read_at(0, bytes) && bytes == expected;
}

// Removes everything that nobody holds.
bool collect_everything(const BundleStore& store) {
    const std::int64_t now_s = wall_clock_ns() / 1'000'000'000 + 1000;
    const auto collected =
        store.collect({.now_s = now_s, .grace_s = 0, .lease_s = 0, .unused_for_s = 0, .repack_percent = 100});
    return collected || collected.error().code() == ErrorCode::busy;
}

// What a writer holds and has added is there until it lets go. Returns false on a violation.
bool write_round(const BundleStore& store, const SharedStore& shared, const Bytes& game) {
    auto hold = StoreHold::open(store);
    if (!hold)
        return hold.error().code() == ErrorCode::busy;
    if (!hold->hold(bundle_id_of(shared.base)) || !hold->hold(bundle_id_of(game)))
        return false;
    for (const Bytes* const bundle : {&shared.base, &game}) {
        const auto added = store.add(make_memory_source(*bundle));
        if (!added)  // another program removed a pack that it was about to name, or has the lock
            return added.error().code() == ErrorCode::conflict || added.error().code() == ErrorCode::busy;
    }
    return has_bytes(store.peek_bundle(bundle_id_of(game)), game) &&
           has_bytes(store.peek_bundle(bundle_id_of(shared.base)), shared.base);
}

// What a reader has opened can be read whole, and what it needs is there, too.
bool read_round(const BundleStore& store, const SharedStore& shared, const Bytes& game) {
    const auto opened = store.open_bundle(bundle_id_of(game));
    if (!opened)
        return opened.error().code() == ErrorCode::missing;
    return has_bytes(opened, game) && has_bytes(store.open_bundle(bundle_id_of(shared.base)), shared.base);
}

[[noreturn]] void act(Role role, const SharedStore& shared, std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto store = BundleStore::open(shared.path, false);
    bool good = store.has_value();
    while (good) {
        const Bytes& game = shared.games[random() % shared.games.size()];
        switch (role) {
            case Role::first_collector:
            case Role::second_collector: good = collect_everything(*store); break;
            case Role::writer: good = write_round(*store, shared, game); break;
            case Role::reader: good = read_round(*store, shared, game); break;
        }
        const char event = 'e';
        if (::write(shared.events, &event, 1) != 1)
            break;
    }
    ::_exit(good ? 0 : 1 + static_cast<int>(role));
}

pid_t start(Role role, const SharedStore& shared, std::uint32_t seed) {
    const pid_t child = ::fork();
    if (child == 0)
        act(role, shared, seed);
    return child;
}

}  // namespace

TEST_CASE(
    "retention: two collectors, a writer and a reader that are killed at any moment leave a whole store") {  // A106
    const ScratchFolder scratch;
    SharedStore shared{.path = scratch.path("store"), .base = bundle_with(1, {}), .games = {}};
    for (int i = 0; i < kGames; ++i)
        shared.games.push_back(bundle_with(static_cast<std::uint32_t>(10 + i), {bundle_id_of(shared.base)}));
    const BundleStore store = value_of(BundleStore::open(shared.path, true));
    std::array<int, 2> pipe{};
    REQUIRE(::pipe(pipe.data()) == 0);
    shared.events = pipe[1];

    const std::uint64_t seed = random_seed();
    CAPTURE(seed);
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    std::array<pid_t, kRoles> children{};
    const auto start_again = [&](std::size_t role) {
        children[role] = start(static_cast<Role>(role), shared, static_cast<std::uint32_t>(random()));
        REQUIRE(children[role] > 0);
    };
    const auto kill_child = [&](std::size_t role) {
        ::kill(children[role], SIGKILL);
        int status = 0;
        REQUIRE(::waitpid(children[role], &status, 0) == children[role]);
        CHECK_MESSAGE(WIFSIGNALED(status), "role " << role << " saw something wrong");
    };
    for (std::size_t role = 0; role < kRoles; ++role)
        start_again(role);
    for (int event = 0; event < kEvents; ++event) {
        char byte = 0;
        REQUIRE(::read(pipe[0], &byte, 1) == 1);
        if (event % (kEvents / kKills) != 0)
            continue;
        const std::size_t role = random() % kRoles;
        kill_child(role);
        start_again(role);
    }
    for (std::size_t role = 0; role < kRoles; ++role)
        kill_child(role);
    ::close(pipe[0]);
    ::close(pipe[1]);

    const auto report = value_of(store.check(true));
    CHECK(report.findings.empty());
    for (const StoredBundle& bundle : value_of(store.list())) {
        if (bundle.bundle == bundle_id_of(shared.base))
            continue;
        CHECK(store.closure(bundle.bundle));
    }
    for (const Bytes& game : shared.games)
        CHECK(write_round(store, shared, game));
    CHECK(collect_everything(store));
    CHECK(value_of(store.list()).empty());
    CHECK(value_of(store.check(true)).packs == 0);
}

}  // namespace fardel
