// The protocol of retention, on a disk in memory: all interleavings of its actors that are different, with a process
// that is killed or a power failure at each step.
//
// The code under test is that of the store (StoreLease, use_bundle, plan_retention, collect). A call that only holders
// of the store's lock can notice is no step of its own while its caller has the lock.
#include "model_actors.h"
#include "model_disk.h"
#include "retention/leased_ids.h"

#include "kit/test.h"

#include <array>
#include <unordered_map>
#include <unordered_set>

namespace fardel::tests::retention_model_test {

constexpr int kAnyNumber = 1'000'000;

template <class Value>
std::uint64_t hash_of_bytes(const Value& value, std::uint64_t seed = 0) {
    static_assert(std::has_unique_object_representations_v<Value>);
    const auto hash = std::hash<std::string_view>()({reinterpret_cast<const char*>(&value), sizeof value});
    return hash ^ (seed * 0x9E3779B97F4A7C15u + (seed >> 29));
}

struct ModelActor {
    std::shared_ptr<const ModelDisk::Results> results = std::make_shared<const ModelDisk::Results>();
    std::uint64_t seen = 0;  // hash of the results: what the actor does next depends on them alone
    bool done = false;
    bool dead = false;

    bool is_alive() const { return !done && !dead; }
};

struct World {
    ModelState state;
    std::array<ModelActor, kActors> actors;
    bool crashed = false;
    int last = -1;     // the actor that made the latest step
    int switches = 0;  // from an actor that could have gone on
};

// What one step of an actor leads to.
struct ModelStep {
    bool moved = false;  // false: it waits for the lock
    ModelState state;
    ModelActor actor;
};

class Search {
public:
    Search(Broken broken, bool crashes, std::vector<int> actors, int switches_max)
        : broken_(broken), crashes_(crashes), actors_(std::move(actors)), switches_max_(switches_max) {}

    // Each actor runs once. Of two collections, one condemned these things before the search begins, or one of the
    // collectors condemns them early and the other one removes them late. Returns the first violation; empty if there
    // is none.
    std::string run() {
        for (const bool condemned : {false, true})
            if (std::string found = run(condemned); !found.empty())
                return found;
        return {};
    }
    std::size_t states() const { return seen_.size(); }

private:
    std::string run(bool condemned) {
        World world;
        ModelState& state = world.state;
        for (const int bundle : {kBase, kRead})
            state.records[static_cast<std::size_t>(bundle)] = bit_of(bundle) | ModelState::kThere;
        state.packs = static_cast<std::uint8_t>(bit_of(1) | bit_of(2) | bit_of(kSharedPack));
        if (condemned) {
            state.now = kLate;
            state.marks.bundles = {0, kEarly, kEarly, 0};
            state.marks.packs = {0, kEarly, kEarly, kEarly, 0, 0, 0};
        }
        try {
            visit(std::move(world));
            while (!open_.empty()) {
                const World next = std::move(open_.back());
                open_.pop_back();
                expand(next);
            }
        } catch (const Violation& violation) {
            return violation.what;
        }
        return {};
    }

    std::uint64_t hash_of(const World& world) const {
        const bool counts = switches_max_ != kAnyNumber;
        // The two collectors do the same: worlds in which they changed places are equal.
        const bool changed = !counts && world.actors[1].seen < world.actors[0].seen;
        ModelState state = world.state;
        const auto change = [](std::uint8_t& actor) {
            actor = static_cast<std::uint8_t>(actor == 1 || actor == 2 ? 3 - actor : actor);
        };
        if (changed) {
            change(state.lock);
            for (std::uint8_t& claim : state.claims)
                change(claim);
        }
        std::array<std::uint64_t, kActors + 1> actors{};
        for (int number = 0; number < kActors; ++number) {
            const bool is_collector = number < kCollectors;
            const ModelActor& actor =
                world.actors[static_cast<std::size_t>(changed && is_collector ? 1 - number : number)];
            actors[static_cast<std::size_t>(number)] = actor.seen * 4 + (actor.dead ? 2 : actor.done ? 1 : 0);
        }
        actors[kActors] =
            static_cast<std::uint64_t>(counts ? world.switches * 16 + world.last + 1 : 0) * 2 + (world.crashed ? 1 : 0);
        return hash_of_bytes(actors, hash_of_bytes(state));
    }

    void visit(World world) {
        if (!seen_.insert(hash_of(world)).second)
            return;
        verify_closed(world.state, "now");
        if (crashes_)
            verify_after_power_failure(world.state);
        open_.push_back(std::move(world));
    }

    void expand(const World& world) {
        if (world.state.now == kEarly) {
            World later = world;
            later.state.now = kLate;
            visit(std::move(later));
        }
        const bool goes_on = switches_max_ != kAnyNumber && world.last >= 0 && actor_of(world, world.last).is_alive() &&
                             step_of(world, world.last).moved;
        for (const int number : actors_) {
            if (!actor_of(world, number).is_alive())
                continue;
            const int switches = world.switches + (goes_on && number != world.last ? 1 : 0);
            if (switches <= switches_max_)
                if (const ModelStep& step = step_of(world, number); step.moved) {
                    World next = world;
                    next.state = step.state;
                    next.actors[static_cast<std::size_t>(number)] = step.actor;
                    next.last = number;
                    next.switches = switches;
                    visit(std::move(next));
                }
            if (crashes_ && !world.crashed && !actor_of(world, number).results->empty()) {
                World killed = world;
                killed.crashed = true;
                killed.actors[static_cast<std::size_t>(number)].dead = true;
                kill_in_model(killed.state, number);
                visit(std::move(killed));
            }
        }
    }

    static const ModelActor& actor_of(const World& world, int number) {
        return world.actors[static_cast<std::size_t>(number)];
    }

    // Lets an actor make one step. What it does depends on its results and the disk alone: the same step is made once.
    const ModelStep& step_of(const World& world, int number) {
        const ModelActor& actor = actor_of(world, number);
        const std::array<std::uint64_t, 2> who{static_cast<std::uint64_t>(number), actor.seen};
        const auto [found, is_new] = steps_.try_emplace(hash_of_bytes(who, hash_of_bytes(world.state)));
        ModelStep& step = found->second;
        if (!is_new)
            return step;
        step.state = world.state;
        step.actor = actor;
        ModelDisk::Results results = *actor.results;
        {
            ModelDisk disk(step.state, results, number, broken_, crashes_);
            try {
                run_actor(disk, number, broken_);
                step.actor.done = true;
            } catch (const Pause&) {
            }
        }
        step.moved = step.actor.done || results.size() != actor.results->size();
        for (std::size_t i = actor.results->size(); i < results.size(); ++i)
            step.actor.seen = hash_of_bytes(results[i], step.actor.seen + i + 1);
        step.actor.results = std::make_shared<const ModelDisk::Results>(std::move(results));
        return step;
    }

    // All processes are gone. What is left is whole, and a collection succeeds when the leases are old enough.
    void verify_after_power_failure(const ModelState& state) {
        ModelState alone = state;
        for (int actor = 0; actor < kActors; ++actor)
            kill_in_model(alone, actor);
        if (!failed_.insert(hash_of_bytes(alone)).second)
            return;
        for_each_power_failure(state, [&](const ModelState& left) {
            verify_closed(left, "after a power failure");
            if (!collected_.insert(hash_of_bytes(left)).second)
                return;
            ModelState after = left;
            after.now = kLater;
            ModelDisk::Results results;
            ModelDisk disk(after, results, 0, broken_, true, true);
            run_actor(disk, 0, broken_);
            verify_closed(after, "after a power failure and a collection");
        });
    }

    const Broken broken_;
    const bool crashes_;
    const std::vector<int> actors_;
    const int switches_max_;
    // By hashes.
    std::unordered_set<std::uint64_t> seen_;       // worlds
    std::unordered_set<std::uint64_t> failed_;     // disks when the power failed
    std::unordered_set<std::uint64_t> collected_;  // and what was left of them
    std::unordered_map<std::uint64_t, ModelStep> steps_;
    std::vector<World> open_;
};

struct Scope {
    std::vector<int> actors;
    int switches_max = kAnyNumber;  // from an actor that could go on
};

std::size_t search_all(bool crashes, const std::vector<Scope>& scopes) {
    std::size_t states = 0;
    for (const Scope& scope : scopes) {
        CAPTURE(scope.actors.size());
        CAPTURE(scope.actors.back());
        Search search(Broken::nothing, crashes, scope.actors, scope.switches_max);
        CHECK(search.run() == "");
        states += search.states();
    }
    MESSAGE(states, " states");
    return states;
}

TEST_CASE("retention model: no interleaving takes anything from a reader, a writer or a published bundle") {  // A106
    CHECK(search_all(false,
                     {{{0, kWriter}}, {{0, kReader}}, {{kWriter, kReader}}, {{0, 1}}, {{0, 1, kWriter, kReader}, 1}}) >
          10'000);
}

TEST_CASE("retention model: a repacked bundle loses nothing beside readers, writers and collectors") {  // A106
    CHECK(search_all(false, {{{0, kRepacker}},
                             {{kReader, kRepacker}},
                             {{kSigner, kRepacker}},
                             {{0, kReader, kRepacker}, 2},
                             {{0, kSigner, kRepacker}, 2}}) > 1'000);
}

TEST_CASE("retention model: no process that is killed and no power failure at any step breaks a bundle") {  // A101
    CHECK(search_all(true, {{{0, 1}, 1},
                            {{0, 1, kWriter}, 0},
                            {{0, 1, kReader}, 0},
                            {{0, kRepacker}, 1},
                            {{0, kSigner, kRepacker}, 0}}) > 5'000);
}

TEST_CASE("retention model: without leases, phases, uses or syncing, the search finds what goes wrong") {  // A101 A106
    CHECK(Search(Broken::leases, false, {0, 1, kWriter}, 2).run() != "");
    CHECK(Search(Broken::phases, false, {0, kReader}, kAnyNumber).run() == "a bundle that was just used is gone");
    CHECK(Search(Broken::uses, false, {0, 1, kReader}, 3).run() != "");
    CHECK(Search(Broken::record_sync, true, {0, 1}, 2).run().starts_with("after a power failure"));
}

TEST_CASE("retention model: the search finds torn files, and what repacking does without leases, uses or comparing") {
    CHECK(Search(Broken::pack_bytes, true, {kWriter}, 0).run() == "after a power failure: a bundle lacks a pack");
    CHECK(Search(Broken::pack_bytes, true, {kRepacker}, 0).run() == "after a power failure: a bundle lacks a pack");
    CHECK(Search(Broken::record_bytes, true, {kRepacker}, 0).run() == "after a power failure: a bundle lacks a pack");
    CHECK(Search(Broken::record_sync, true, {0, kRepacker}, 1).run().starts_with("after a power failure"));
    CHECK(Search(Broken::leases, false, {0, kSigner, kRepacker}, 2).run() != "");
    CHECK(Search(Broken::comparison, false, {kSigner, kRepacker}, kAnyNumber).run() ==
          "now: what was added to a bundle is lost");
    CHECK(Search(Broken::uses, false, {0, kReader, kRepacker}, 2).run() == "a bundle lost a pack while it was opened");
}

// What the model takes a torn lease for.
TEST_CASE("retention model: a lease that a power failure tore is unreadable, or names nothing that is there") {
    const LeasedIds ids{.bundles = {model_bundle(kRead)}, .packs = {model_pack(kAddedPack)}};
    const std::vector<std::byte> whole = encode_lease(ids);
    REQUIRE(decode_lease(whole));
    CHECK(decode_lease(whole)->packs == ids.packs);
    for (std::size_t size = 1; size < whole.size(); ++size)
        CHECK_FALSE(decode_lease(std::span(whole).first(size)));
    CHECK_FALSE(decode_lease(std::vector<std::byte>(whole.size())));
    const auto empty = decode_lease({});
    REQUIRE(empty);
    CHECK((empty->bundles.empty() && empty->packs.empty()));
    std::vector<std::byte> head_only = whole;
    std::fill(head_only.end() - 2 * 32, head_only.end(), std::byte{0});
    const auto zeros = decode_lease(head_only);
    REQUIRE(zeros);
    CHECK(zeros->bundles == std::vector<BundleId>{BundleId()});
    CHECK(zeros->packs == std::vector<Hash>{Hash()});
}

}  // namespace fardel::tests::retention_model_test
