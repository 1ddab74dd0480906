// Programs that use one store at the same time, each a process that may be killed at any moment: collectors, writers,
// fetches and readers. Each looks itself whether what it relies on is there, and ends if it is not.
#pragma once

#include "kit/bundles.h"

#include <fardel/base/clock.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/incoming_bundle.h>
#include <fardel/store/retention.h>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>

namespace fardel::tests {

enum class StoreRole : std::uint8_t { collector, writer, fetcher, reader };

struct StoreActor {
    StoreRole role = StoreRole::reader;
    std::string path;          // of the store, as this program sees it
    bool is_safe = true;       // false: locks are not seen there, so a collector or fetcher must be refused
    std::int64_t lease_s = 0;  // of a collector
    pid_t id = -1;
};

struct SharedBundles {
    Bytes base;
    std::vector<Bytes> games;  // each needs the base
};

inline Bytes shared_bundle(std::uint32_t own, std::vector<BundleId> needs) {
    return BundleMaker()
        .add_data("shared.bin", noise_text(100'000, 1))
        .add_data("own.bin", noise_text(20'000, own))
        .needs(needs)
        .write_quickly();
}

inline SharedBundles make_shared_bundles(int games) {
    SharedBundles bundles{.base = shared_bundle(1, {}), .games = {}};
    for (int i = 0; i < games; ++i)
        bundles.games.push_back(shared_bundle(static_cast<std::uint32_t>(10 + i), {bundle_id_of(bundles.base)}));
    return bundles;
}

inline Error violated(const char* what) { return Error(ErrorCode::cancelled, what); }

inline Status verify_bytes(const Result<std::shared_ptr<const ByteSource>>& source, const Bytes& expected) {
    FARDEL_TRY(status_of(source));
    Bytes bytes(static_cast<std::size_t>((*source)->size_bytes()));
    FARDEL_TRY((*source)->read_at(0, bytes));
    return bytes == expected ? ok() : Status(violated("other bytes"));
}
// Whether the store has the bundle; `patience`: or has it after that time, because names are believed for a while.
inline bool has_bundle(const BundleStore& store, const Bytes& expected, std::chrono::seconds patience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds(50))) {
        const Status read = verify_bytes(store.peek_bundle(bundle_id_of(expected)), expected);
        if (read || std::chrono::steady_clock::now() >= end) {
            if (!read)
                std::fprintf(stderr, "%s\n", std::string(read.error().message()).c_str());
            return static_cast<bool>(read);
        }
    }
}

// Removes everything that nobody holds; what a lease without a lock names counts as held for `lease_s`.
inline Status collect_everything(const BundleStore& store, std::int64_t lease_s = 0) {
    const UnixTime now = system_now() + 1000;
    return status_of(
        store.collect({.now = now, .grace_s = 0, .lease_s = lease_s, .unused_for_s = 0, .repack_percent = 100}));
}

// Another program removed a pack that this one was about to name, or has a lock.
inline bool may_go_on(const Error& error) {
    return error.code() == ErrorCode::conflict || error.code() == ErrorCode::busy;
}

// What a writer holds and has added is there until it lets go, and then what it has pinned.
inline Status write_round(const BundleStore& store, const SharedBundles& bundles, const Bytes& game,
                          const std::string& pin, std::chrono::seconds patience = {}) {
    {
        FARDEL_TRY_ASSIGN(auto hold, StoreHold::open(store));
        FARDEL_TRY(hold.hold(bundle_id_of(bundles.base)));
        FARDEL_TRY(hold.hold(bundle_id_of(game)));
        for (const Bytes* const bundle : {&bundles.base, &game})
            FARDEL_TRY(store.add(make_memory_source(*bundle)));
        if (!has_bundle(store, game, patience) || !has_bundle(store, bundles.base, patience))
            return violated("what is held and was added is not there");
        FARDEL_TRY(store.pin({.bundle = bundle_id_of(game), .name = pin, .until = std::nullopt}));
    }
    if (!has_bundle(store, game, patience) || !has_bundle(store, bundles.base, patience))
        return violated("what is pinned is not there");
    return status_of(store.unpin(bundle_id_of(game), pin));
}

inline Status fetch_one(const BundleStore& store, const Bytes& bundle) {
    FARDEL_TRY_ASSIGN(IncomingBundle incoming, IncomingBundle::open(store, bundle_id_of(bundle)));
    if (!incoming.file_bytes())
        FARDEL_TRY(incoming.set_file_bytes(bundle.size()));
    constexpr std::size_t kPartBytes = 40'000;
    for (std::size_t at = 0; at < bundle.size(); at += kPartBytes)
        FARDEL_TRY(incoming.write(at, std::span(bundle).subspan(at, std::min(kPartBytes, bundle.size() - at))));
    return std::move(incoming).commit(open_bundle(bundle)->layout_id());
}

// What needs something is there after what it needs.
inline Status fetch_round(const BundleStore& store, const SharedBundles& bundles, const Bytes& game) {
    FARDEL_TRY_ASSIGN(auto hold, StoreHold::open(store));
    FARDEL_TRY(hold.hold(bundle_id_of(bundles.base)));
    FARDEL_TRY(hold.hold(bundle_id_of(game)));
    FARDEL_TRY(fetch_one(store, bundles.base));
    FARDEL_TRY(fetch_one(store, game));
    if (!has_bundle(store, game, {}) || !has_bundle(store, bundles.base, {}))
        return violated("what is held and was fetched is not there");
    return ok();
}

// What a reader has opened can be read whole, and what it needs is there, too.
inline Status read_round(const BundleStore& store, const SharedBundles& bundles, const Bytes& game,
                         std::chrono::seconds patience) {
    const auto opened = store.open_bundle(bundle_id_of(game));
    if (!opened && opened.error().code() == ErrorCode::missing)
        return ok();
    FARDEL_TRY(verify_bytes(opened, game));
    return has_bundle(store, bundles.base, patience) ? ok()
                                                     : Status(violated("what an open bundle needs is not there"));
}

inline Status act_once(const StoreActor& actor, const BundleStore& store, const SharedBundles& bundles,
                       const Bytes& game, const std::string& pin) {
    const std::chrono::seconds patience(actor.is_safe ? 0 : 10);
    switch (actor.role) {
        case StoreRole::collector: return collect_everything(store, actor.lease_s);
        case StoreRole::writer: return write_round(store, bundles, game, pin, patience);
        case StoreRole::fetcher: return fetch_round(store, bundles, game);
        case StoreRole::reader: return read_round(store, bundles, game, patience);
    }
    return ok();
}

// Several actors that are killed and started again. Each round of one is an event.
class StoreActors {
public:
    StoreActors(std::vector<StoreActor> actors, const SharedBundles& bundles, std::uint64_t seed)
        : actors_(std::move(actors)), bundles_(bundles), random_(static_cast<std::uint32_t>(seed)) {
        REQUIRE(::pipe(events_.data()) == 0);
        for (StoreActor& actor : actors_)
            start(actor);
    }
    ~StoreActors() {
        for (StoreActor& actor : actors_)
            if (actor.id > 0) {
                ::kill(actor.id, SIGKILL);
                ::waitpid(actor.id, nullptr, 0);
            }
        ::close(events_[0]);
        ::close(events_[1]);
    }
    StoreActors(const StoreActors&) = delete;
    StoreActors& operator=(const StoreActors&) = delete;

    // Until there were that many events and the time is over, with a kill after each so many events; then until every
    // role has ended a round.
    void disturb(int events, int events_per_kill, std::chrono::milliseconds time = {}) {
        const auto end = std::chrono::steady_clock::now() + time;
        for (int event = 1;; ++event) {
            const bool is_over = event > events && std::chrono::steady_clock::now() >= end;
            if (is_over && std::ranges::all_of(actors_, [&](const StoreActor& one) { return rounds(one.role) > 0; }))
                return;
            char byte = 0;
            pollfd readable{.fd = events_[0], .events = POLLIN, .revents = 0};
            REQUIRE_MESSAGE(::poll(&readable, 1, 60'000) == 1, "no actor ends a round");
            REQUIRE(::read(events_[0], &byte, 1) == 1);
            ++rounds_[static_cast<std::size_t>(byte)];
            if (is_over || event % events_per_kill != 0)
                continue;
            StoreActor& actor = actors_[random_() % actors_.size()];
            kill(actor);
            start(actor);
        }
    }
    void end() {
        for (StoreActor& actor : actors_)
            kill(actor);
    }

private:
    int rounds(StoreRole role) const { return rounds_[static_cast<std::size_t>(role)]; }
    void start(StoreActor& actor) {
        const auto seed = static_cast<std::uint32_t>(random_());
        actor.id = ::fork();
        REQUIRE(actor.id >= 0);
        if (actor.id == 0)
            act(actor, seed);
    }
    void kill(StoreActor& actor) {
        ::kill(actor.id, SIGKILL);
        int status = 0;
        REQUIRE(::waitpid(actor.id, &status, 0) == actor.id);
        actor.id = -1;
        CHECK_MESSAGE(WIFSIGNALED(status), "an actor saw something wrong: " << static_cast<int>(actor.role));
    }
    [[noreturn]] void act(const StoreActor& actor, std::uint32_t seed) const {
        std::mt19937 random(seed);
        const std::string pin = "writer-" + std::to_string(&actor - actors_.data());
        const auto store = BundleStore::open(actor.path, false);
        Status done = status_of(store);
        while (done) {
            const Bytes& game = bundles_.games[random() % bundles_.games.size()];
            done = act_once(actor, *store, bundles_, game, pin);
            const bool must_be_refused =
                !actor.is_safe && (actor.role == StoreRole::collector || actor.role == StoreRole::fetcher);
            if (must_be_refused && done)
                done = violated("it was not refused");
            else if (must_be_refused ? done.error().code() == ErrorCode::unsupported : !done && may_go_on(done.error()))
                done = ok();
            const char event = static_cast<char>(actor.role);
            if (::write(events_[1], &event, 1) != 1)
                break;
        }
        if (!done)
            std::fprintf(stderr, "%s: %s\n", actor.path.c_str(), std::string(done.error().message()).c_str());
        ::_exit(done ? 0 : 1);
    }

    std::vector<StoreActor> actors_;
    const SharedBundles& bundles_;
    std::mt19937 random_;
    std::array<int, 2> events_{};
    std::array<int, 4> rounds_{};
};

// Nothing is half there: all that is stored is as it should be, and each bundle has what it needs.
inline void check_whole(const BundleStore& store) {
    const auto report = value_of(store.check(true));
    for (const auto& finding : report.findings)
        MESSAGE(finding);
    CHECK(report.findings.empty());
    for (const StoredBundle& bundle : value_of(store.list()))
        CHECK(store.closure(bundle.bundle));
}

// The store goes on, and nobody holds anything.
inline void check_goes_on(const BundleStore& store, const SharedBundles& bundles) {
    for (const BundlePin& pin : value_of(store.pins()))
        CHECK(store.unpin(pin.bundle, pin.name));
    for (const Bytes& game : bundles.games)
        CHECK(write_round(store, bundles, game, "at-the-end"));
    CHECK(collect_everything(store));
    CHECK(value_of(store.list()).empty());
    CHECK(value_of(store.check(true)).packs == 0);
}

}  // namespace fardel::tests
