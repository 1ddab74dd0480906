// The protocol of retention, on a disk in memory: all interleavings of a writer, a reader and two collectors that are
// different, with a process that is killed or a power failure at each step.
//
// The code under test is that of the store (StoreLease, use_bundle, plan_retention, collect). Each actor runs until its
// next call that others can notice; it is run again from its start for each step, with the results that it had. A call
// that only holders of the store's lock can notice is no step of its own while its caller has the lock.
#include "kit/results.h"

#include "retention/collection.h"
#include "retention/retention_plan.h"
#include "retention/store_lease.h"

#include <fardel/format/hash.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <any>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_set>

namespace fardel {
namespace {

using namespace fardel::tests;

enum class Broken : std::uint8_t { nothing, leases, phases, uses, record_sync };

BundleId model_bundle(int number) {
    BundleId id;
    id.bytes[0] = static_cast<std::uint8_t>(number);
    return id;
}
Hash model_pack(int number) {
    Hash id;
    id.bytes[0] = static_cast<std::uint8_t>(number);
    return id;
}

const BundleId kBase = model_bundle(1);   // needed by kRead and kAdded; in pack 1
const BundleId kRead = model_bundle(2);   // that the reader opens; in pack 2
const BundleId kAdded = model_bundle(3);  // that the writer adds; in pack 3, that nothing names, and pack 4
constexpr std::int64_t kEarly = 1000;
constexpr std::int64_t kLate = 2000;
constexpr int kCollectors = 2;
constexpr int kWriter = 2;
constexpr int kAnyNumber = 1'000'000;
constexpr int kActors = 4;  // the last one is the reader

struct Lease {
    bool locked = true;
    std::int64_t renewed_s = 0;
    std::set<BundleId> bundles;
    std::set<Hash> packs;
};

// What is on the disk and who holds what. What a power failure may undo stands beside it.
struct Disk {
    std::int64_t now_s = kEarly;
    std::map<BundleId, std::set<Hash>> records;
    std::map<BundleId, std::set<Hash>> unsynced_removed;  // records
    std::set<BundleId> unsynced_added;
    std::set<Hash> packs;
    std::set<Hash> unsynced_removed_packs;
    CondemnedList condemned;
    int lock = -1;  // the actor that holds it
    std::map<int, Lease> leases;
    std::map<BundleId, std::set<int>> uses;
    std::map<BundleId, int> claims;
    std::map<BundleId, std::int64_t> used_s;
};

struct Actor {
    std::vector<std::shared_ptr<const std::any>> results;  // of its calls so far
    std::string seen;  // the same as text: what the actor does next depends on it alone
    bool done = false;
    bool dead = false;
};

struct World {
    Disk disk;
    std::array<Actor, kActors> actors;
    bool crashed = false;
    int last = -1;     // the actor that made the latest step
    int switches = 0;  // from an actor that could have gone on
};

// What a plan is made of.
struct ModelFacts {
    std::int64_t now_s = 0;
    std::map<BundleId, std::set<Hash>> records;
    std::map<BundleId, std::int64_t> used_s;
};

struct Pause {};  // thrown at the next step
struct Violation {
    std::string what;
};

std::vector<BundleId> needs_in_model(const BundleId& bundle) {
    return bundle == kBase ? std::vector<BundleId>() : std::vector<BundleId>{kBase};
}

// The store as one actor sees it during one run of its code.
class ModelDisk final : public RetentionDisk {
public:
    ModelDisk(World& world, int actor, Broken broken, bool crashes)
        : disk_(world.disk),
          actor_(world.actors[static_cast<std::size_t>(actor)]),
          number_(actor),
          broken_(broken),
          crashes_(crashes) {}

    // Performs `act` on the disk, or returns what it returned in an earlier run. If it is a new step and the actor has
    // made one already in this run, the run ends.
    template <class Act>
    auto step(Act act, bool is_step = true) -> decltype(act()) {
        using Value = decltype(act());
        if (position_ < actor_.results.size())
            return std::any_cast<Value>(*actor_.results[position_++]);
        if (is_step && stepped_)
            pause();
        stepped_ |= is_step;
        Value value = act();
        actor_.results.push_back(std::make_shared<const std::any>(value));
        ++position_;
        return value;
    }
    // For what a destructor does: no step, and nothing in a run that was ended.
    template <class Act>
    void end(Act act) {
        if (stopping_)
            return;
        if (position_ < actor_.results.size()) {
            ++position_;
            return;
        }
        act();
        actor_.results.push_back(std::make_shared<const std::any>(0));
        ++position_;
    }
    // What the actor holds is destroyed now, which must not change the disk.
    [[noreturn]] void pause() {
        stopping_ = true;
        throw Pause{};
    }
    bool holds_lock() const { return disk_.lock == number_; }
    Disk& disk() { return disk_; }

    struct Hold final : DiskHold {
        Hold(ModelDisk& of, std::function<void()> ends) : disk(of), on_end(std::move(ends)) {}
        ~Hold() override { disk.end(on_end); }
        ModelDisk& disk;
        std::function<void()> on_end;
    };

    // The scheduler runs an actor that waits only when the lock is free.
    Result<std::unique_ptr<DiskHold>> lock() override {
        step([&] {
            if (disk_.lock != -1)
                pause();
            disk_.lock = number_;
            return 0;
        });
        return std::unique_ptr<DiskHold>(new Hold(*this, [this] { disk_.lock = -1; }));
    }
    Result<std::vector<BundleId>> list_records() override {
        return step(
            [&] {
                std::vector<BundleId> ids;
                for (const auto& [id, packs] : disk_.records)
                    ids.push_back(id);
                return ids;
            },
            !holds_lock());
    }
    Result<std::optional<std::vector<Hash>>> find_packs_of(const BundleId& bundle) override {
        return step(
            [&] {
                const auto found = disk_.records.find(bundle);
                return found == disk_.records.end()
                           ? std::optional<std::vector<Hash>>()
                           : std::optional(std::vector<Hash>(found->second.begin(), found->second.end()));
            },
            !holds_lock());
    }
    Status remove_record(const BundleId& bundle) override {
        step([&] {
            if (disk_.records.contains(bundle))
                disk_.unsynced_removed[bundle] = disk_.records[bundle];
            disk_.records.erase(bundle);
            return 0;
        });
        if (broken_ != Broken::record_sync)
            step(
                [&] {
                    disk_.unsynced_removed.clear();
                    return 0;
                },
                crashes_);
        return ok();
    }
    Status sync_records() override {
        if (broken_ != Broken::record_sync)
            step(
                [&] {
                    disk_.unsynced_removed.clear();
                    disk_.unsynced_added.clear();
                    return 0;
                },
                crashes_);
        return ok();
    }
    Result<std::vector<BundleId>> list_pinned(std::int64_t) override { return std::vector<BundleId>(); }
    Result<std::vector<PackOnDisk>> list_packs() override {
        return step(
            [&] {
                std::vector<PackOnDisk> packs;
                for (const Hash& id : disk_.packs)
                    packs.push_back({.id = id, .size_bytes = 100});
                return packs;
            },
            !holds_lock());
    }
    Result<bool> has_pack(const Hash& pack) override {
        return step([&] { return disk_.packs.contains(pack); }, !holds_lock());
    }
    Status remove_pack(const Hash& pack) override {
        step([&] {
            if (disk_.packs.erase(pack) != 0)
                disk_.unsynced_removed_packs.insert(pack);
            return 0;
        });
        return ok();
    }
    Result<CondemnedList> read_condemned() override {
        return step([&] { return disk_.condemned; }, !holds_lock());
    }
    Status replace_condemned(const CondemnedList& list) override {
        step([&] {
            disk_.condemned = list;
            return 0;
        });
        return ok();
    }

    struct File final : LeaseFile {
        explicit File(ModelDisk& of) : disk(of) {}
        ~File() override {
            disk.end([this] { disk.disk_.leases.erase(disk.number_); });
        }
        Status write(const LeasedIds& ids) override {
            disk.step(
                [&] {
                    Lease& lease = disk.disk_.leases[disk.number_];
                    lease.renewed_s = disk.disk_.now_s;
                    lease.bundles = {ids.bundles.begin(), ids.bundles.end()};
                    lease.packs = {ids.packs.begin(), ids.packs.end()};
                    return 0;
                },
                false);
            return ok();
        }
        ModelDisk& disk;
    };
    Result<std::unique_ptr<LeaseFile>> create_lease() override {
        step(
            [&] {
                disk_.leases[number_] = {.locked = true, .renewed_s = disk_.now_s, .bundles = {}, .packs = {}};
                return 0;
            },
            false);
        return std::unique_ptr<LeaseFile>(new File(*this));
    }
    Result<std::vector<FoundLease>> list_leases() override {
        if (broken_ == Broken::leases)
            return std::vector<FoundLease>();
        return step(
            [&] {
                std::vector<FoundLease> found;
                for (const auto& [actor, lease] : disk_.leases)
                    found.push_back({.name = std::to_string(actor),
                                     .is_locked = lease.locked,
                                     .renewed_s = lease.renewed_s,
                                     .ids = LeasedIds{.bundles = {lease.bundles.begin(), lease.bundles.end()},
                                                      .packs = {lease.packs.begin(), lease.packs.end()}}});
                return found;
            },
            !holds_lock());
    }
    Status remove_lease(const std::string& name) override {
        step(
            [&] {
                disk_.leases.erase(std::stoi(name));
                return 0;
            },
            false);
        return ok();
    }
    Result<std::unique_ptr<DiskHold>> open_use(const BundleId& bundle) override {
        const bool opened = step([&] {
            if (disk_.claims.contains(bundle))
                return false;
            disk_.uses[bundle].insert(number_);
            disk_.used_s[bundle] = disk_.now_s;
            return true;
        });
        if (!opened)
            return std::unique_ptr<DiskHold>();
        return std::unique_ptr<DiskHold>(new Hold(*this, [this, bundle] { disk_.uses[bundle].erase(number_); }));
    }
    Result<std::unique_ptr<DiskHold>> claim_use(const BundleId& bundle) override {
        const bool claimed = step([&] {
            if (broken_ != Broken::uses && !disk_.uses[bundle].empty())
                return false;
            disk_.claims[bundle] = number_;
            return true;
        });
        if (!claimed)
            return std::unique_ptr<DiskHold>();
        return std::unique_ptr<DiskHold>(new Hold(*this, [this, bundle] { disk_.claims.erase(bundle); }));
    }
    Status forget_use(const BundleId&) override { return ok(); }

private:
    Disk& disk_;
    Actor& actor_;
    const int number_;
    const Broken broken_;
    const bool crashes_;  // whether the search has any
    std::size_t position_ = 0;
    bool stepped_ = false;
    bool stopping_ = false;
};

// ---- What the actors do ---------------------------------------------------------------------------------------------

void fail_if(bool condition, std::string what) {
    if (condition)
        throw Violation{std::move(what)};
}

void run_collector(const std::shared_ptr<ModelDisk>& disk, Broken broken) {
    const ModelFacts facts = disk->step([&] {
        return ModelFacts{disk->disk().now_s, disk->disk().records, disk->disk().used_s};
    });
    std::vector<RetentionFacts> bundles;
    for (const auto& [id, packs] : facts.records) {
        const auto used = facts.used_s.find(id);
        bundles.push_back({.bundle = id,
                           .needs = needs_in_model(id),
                           .packs = {},
                           .used_s = used == facts.used_s.end() ? 0 : used->second,
                           .source = {}});
    }
    RetentionRules rules{.now_s = facts.now_s, .grace_s = 500, .lease_s = 500, .unused_for_s = 400};
    if (broken == Broken::phases)
        rules.grace_s = 0;
    const auto plan = plan_retention(bundles, rules);
    const auto report = collect(
        *disk, plan, [](const BundleId& id) { return Result<std::vector<BundleId>>(needs_in_model(id)); }, rules,
        [&] { return disk->step([&] { return disk->disk().now_s; }, false); });
    fail_if(!report, "a collection failed");
}

// Adds a bundle as add_bundle() does: it shares pack 3 if that is there, and needs kBase.
void run_writer(const std::shared_ptr<ModelDisk>& disk) {
    auto lease = StoreLease::open(disk);
    fail_if(!lease, "no lease");
    fail_if(!lease->hold({.bundles = {kAdded, kBase}, .packs = {}}), "bundles cannot be held");
    const auto base = disk->find_packs_of(kBase);
    if (!*base)
        return;  // it would be fetched first
    fail_if(!lease->hold({.bundles = {}, .packs = {model_pack(3)}}), "a pack cannot be held");
    std::vector<Hash> packs{model_pack(4)};
    if (*disk->has_pack(model_pack(3)))
        packs.push_back(model_pack(3));
    fail_if(!lease->hold({.bundles = {}, .packs = {model_pack(4)}}), "a new pack cannot be held");
    disk->step([&] {
        disk->disk().packs.insert(model_pack(4));
        return 0;
    });
    const Status published = lease->publish(kAdded, packs, [&] {
        disk->step([&] {
            disk->disk().records[kAdded] = {packs.begin(), packs.end()};
            disk->disk().unsynced_added.insert(kAdded);
            disk->disk().used_s[kAdded] = disk->disk().now_s;
            return 0;
        });
        disk->step([&] {
            disk->disk().unsynced_added.erase(kAdded);
            disk->disk().unsynced_removed.erase(kAdded);
            return 0;
        });
        return ok();
    });
    fail_if(!published, "what the lease held was removed");
}

// Opens kRead and what it needs, reads, closes both, and opens kRead again.
void run_reader(const std::shared_ptr<ModelDisk>& disk) {
    std::int64_t opened_s = 0;
    {
        std::vector<std::unique_ptr<DiskHold>> uses;
        std::vector<Hash> opened;
        for (const BundleId& bundle : {kRead, kBase}) {
            uses.push_back(use_bundle(*disk, bundle));
            const auto packs = disk->find_packs_of(bundle);
            fail_if(!*packs && bundle == kBase, "an open bundle lost its dependency");
            if (!*packs)
                return;  // it is not in the store
            for (const Hash& pack : **packs) {
                fail_if(!*disk->has_pack(pack), "a bundle lost a pack while it was opened");
                opened.push_back(pack);
            }
        }
        opened_s = disk->step([&] {
            for (const Hash& pack : opened)
                fail_if(!disk->disk().packs.contains(pack), "an open bundle lost a pack");
            return disk->disk().now_s;
        });
    }
    const auto use = use_bundle(*disk, kRead);
    const bool is_gone =
        disk->step([&] { return !disk->disk().records.contains(kRead) && disk->disk().now_s == opened_s; });
    fail_if(is_gone, "a bundle that was just used is gone");
}

// ---- The search -----------------------------------------------------------------------------------------------------

std::string text_of_world(const World& world, bool switches_count) {
    const auto add_id = [](std::string& text, const auto& id) { text += static_cast<char>('0' + id.bytes[0]); };
    std::string text = std::to_string(world.disk.now_s) + (world.crashed ? "!" : ".");
    if (switches_count)
        text += std::to_string(world.switches) + "@" + std::to_string(world.last) + ".";
    const Disk& disk = world.disk;
    const auto add_records = [&](const std::map<BundleId, std::set<Hash>>& records) {
        for (const auto& [id, packs] : records) {
            add_id(text, id);
            text += ':';
            for (const Hash& pack : packs)
                add_id(text, pack);
        }
        text += '|';
    };
    add_records(disk.records);
    add_records(disk.unsynced_removed);
    for (const auto& id : disk.unsynced_added)
        add_id(text, id);
    text += '|';
    for (const auto& id : disk.packs)
        add_id(text, id);
    text += '|';
    for (const auto& id : disk.unsynced_removed_packs)
        add_id(text, id);
    text += '|';
    for (const CondemnedMark& mark : disk.condemned.marks()) {
        text += static_cast<char>('a' + static_cast<int>(mark.kind));
        add_id(text, mark.id);
        text += mark.since_s == kEarly ? 'e' : 'l';
    }
    // The two collectors do the same: worlds in which they changed places are equal.
    const bool changed = !switches_count && world.actors[1].seen < world.actors[0].seen;
    const auto label = [&](int actor) {
        return std::to_string(changed && (actor == 0 || actor == 1) ? 1 - actor : actor);
    };
    text += label(disk.lock);
    for (const auto& [actor, lease] : disk.leases) {
        text += 'L' + std::to_string(actor) + (lease.locked ? "l" : "u") + (lease.renewed_s == kEarly ? "e" : "l");
        for (const auto& id : lease.bundles)
            add_id(text, id);
        text += ',';
        for (const auto& id : lease.packs)
            add_id(text, id);
    }
    for (const auto& [id, actors] : disk.uses)
        for (const int actor : actors) {
            text += 'U';
            add_id(text, id);
            text += std::to_string(actor);
        }
    for (const auto& [id, actor] : disk.claims) {
        text += 'C' + label(actor);
        add_id(text, id);
    }
    for (const auto& [id, used_s] : disk.used_s) {
        add_id(text, id);
        text += std::to_string(used_s);
    }
    for (const int number : {changed ? 1 : 0, changed ? 0 : 1, 2, 3}) {
        const Actor& actor = world.actors[static_cast<std::size_t>(number)];
        text += "/" + actor.seen + (actor.dead ? "x" : actor.done ? "d" : "");
    }
    return text;
}

void verify_closed(const Disk& disk, const std::string& when) {
    for (const auto& [bundle, packs] : disk.records) {
        for (const Hash& pack : packs)
            fail_if(!disk.packs.contains(pack), when + ": a bundle lacks a pack");
        for (const BundleId& need : needs_in_model(bundle))
            fail_if(!disk.records.contains(need), when + ": a bundle lacks its dependency");
    }
}

class Search {
public:
    Search(Broken broken, bool crashes, std::vector<int> actors, int switches_max)
        : broken_(broken), crashes_(crashes), actors_(std::move(actors)), switches_max_(switches_max) {}

    // Each collector runs once. Of two runs, one condemned these things before the search begins, or one of the
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
        world.disk.records = {{kBase, {model_pack(1)}}, {kRead, {model_pack(2)}}};
        world.disk.packs = {model_pack(1), model_pack(2), model_pack(3)};
        world.disk.used_s = {{kBase, 0}, {kRead, 0}};
        if (condemned) {
            world.disk.now_s = kLate;
            for (const BundleId& id : {kBase, kRead})
                world.disk.condemned.add({.kind = CondemnedKind::bundle,
                                          .id = id_from<Hash>(id),
                                          .reason = RemovalReason::unused,
                                          .since_s = kEarly});
            for (const int number : {1, 2, 3})
                world.disk.condemned.add({.kind = CondemnedKind::pack,
                                          .id = model_pack(number),
                                          .reason = RemovalReason::unnamed,
                                          .since_s = kEarly});
        }
        try {
            visit(world);
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

    void visit(World world) {
        if (!seen_.insert(std::hash<std::string>()(text_of_world(world, switches_max_ != kAnyNumber))).second)
            return;
        verify_closed(world.disk, "now");
        if (crashes_)
            verify_after_power_failure(world);
        open_.push_back(std::move(world));
    }

    void expand(const World& world) {
        if (world.disk.now_s == kEarly) {
            World later = world;
            later.disk.now_s = kLate;
            visit(std::move(later));
        }
        World further = world;
        const bool goes_on = world.last >= 0 && is_alive(world, world.last) && advance(further, world.last);
        for (const int number : actors_) {
            if (!is_alive(world, number))
                continue;
            World next = world;
            next.last = number;
            next.switches += goes_on && number != world.last ? 1 : 0;
            if (next.switches <= switches_max_ && advance(next, number))
                visit(std::move(next));
            const Actor& actor = world.actors[static_cast<std::size_t>(number)];
            if (crashes_ && !world.crashed && !actor.results.empty()) {
                World killed = world;
                kill(killed, number);
                visit(std::move(killed));
            }
        }
    }

    static bool is_alive(const World& world, int number) {
        const Actor& actor = world.actors[static_cast<std::size_t>(number)];
        return !actor.done && !actor.dead;
    }

    // Lets an actor make one step. Returns false if it waits.
    bool advance(World& world, int number) {
        Actor& actor = world.actors[static_cast<std::size_t>(number)];
        const std::size_t before = actor.results.size();
        const auto disk = std::make_shared<ModelDisk>(world, number, broken_, crashes_);
        try {
            if (number < kCollectors)
                run_collector(disk, broken_);
            else if (number == kWriter)
                run_writer(disk);
            else
                run_reader(disk);
            actor.done = true;
        } catch (const Pause&) {
            if (actor.results.size() == before)
                return false;
        }
        note(actor, before);
        return true;
    }

    // What an actor does next depends on what its calls returned, and on nothing else.
    static void note(Actor& actor, std::size_t before) {
        const std::string all = actor.seen + text_of_results(actor, before) + std::to_string(actor.results.size());
        actor.seen = std::to_string(std::hash<std::string>()(all));
    }

    static std::string text_of_results(const Actor& actor, std::size_t from) {
        std::string text;
        for (std::size_t i = from; i < actor.results.size(); ++i) {
            const std::any& result = *actor.results[i];
            if (const auto* const flag = std::any_cast<bool>(&result))
                text += *flag ? 't' : 'f';
            else if (const auto* const number = std::any_cast<std::int64_t>(&result))
                text += std::to_string(*number);
            else if (const auto* const list = std::any_cast<CondemnedList>(&result))
                for (const CondemnedMark& mark : list->marks())
                    text += std::string(1, static_cast<char>('a' + mark.id.bytes[0])) +
                            std::to_string(static_cast<int>(mark.kind)) + std::to_string(mark.since_s);
            else if (const auto* const facts = std::any_cast<ModelFacts>(&result)) {
                text += std::to_string(facts->now_s);
                for (const auto& [id, named] : facts->records)
                    text += static_cast<char>('a' + id.bytes[0]);
                for (const auto& [id, used_s] : facts->used_s)
                    text += static_cast<char>('a' + id.bytes[0]) + std::to_string(used_s);
            } else if (const auto* const packs = std::any_cast<std::vector<PackOnDisk>>(&result))
                for (const PackOnDisk& pack : *packs)
                    text += static_cast<char>('a' + pack.id.bytes[0]);
            else if (const auto* const ids = std::any_cast<std::vector<BundleId>>(&result))
                for (const BundleId& id : *ids)
                    text += static_cast<char>('a' + id.bytes[0]);
            else if (const auto* const named = std::any_cast<std::optional<std::vector<Hash>>>(&result)) {
                text += *named ? "y" : "n";
                for (const Hash& id : named->value_or(std::vector<Hash>()))
                    text += static_cast<char>('a' + id.bytes[0]);
            } else if (const auto* const leases = std::any_cast<std::vector<FoundLease>>(&result)) {
                for (const FoundLease& lease : *leases) {
                    text += lease.name + (lease.is_locked ? "l" : "u") + std::to_string(lease.renewed_s);
                    for (const BundleId& id : lease.ids->bundles)
                        text += static_cast<char>('a' + id.bytes[0]);
                    for (const Hash& id : lease.ids->packs)
                        text += static_cast<char>('a' + id.bytes[0]);
                }
            } else if (!std::any_cast<int>(&result)) {
                text += "?" + std::to_string(result.type().hash_code());
            }
            text += ';';
        }
        return text;
    }

    static void kill(World& world, int number) {
        world.crashed = true;
        world.actors[static_cast<std::size_t>(number)].dead = true;
        Disk& disk = world.disk;
        if (disk.lock == number)
            disk.lock = -1;
        if (const auto lease = disk.leases.find(number); lease != disk.leases.end())
            lease->second.locked = false;
        for (auto& [id, actors] : disk.uses)
            actors.erase(number);
        std::erase_if(disk.claims, [&](const auto& claim) { return claim.second == number; });
    }

    // Each change that was not synced is there or not, whatever happened to the others.
    void verify_after_power_failure(const World& world) {
        std::vector<BundleId> removed;
        for (const auto& [id, packs] : world.disk.unsynced_removed)
            removed.push_back(id);
        const std::vector<BundleId> added(world.disk.unsynced_added.begin(), world.disk.unsynced_added.end());
        const std::vector<Hash> packs(world.disk.unsynced_removed_packs.begin(),
                                      world.disk.unsynced_removed_packs.end());
        const std::size_t changes = removed.size() + added.size() + packs.size();
        for (std::size_t undone = 0; undone < (std::size_t{1} << changes); ++undone) {
            World after;
            after.disk = world.disk;
            for (int number = 0; number < kActors; ++number)
                kill(after, number);
            after.disk.leases.clear();
            std::size_t bit = 0;
            for (const BundleId& id : removed)
                if ((undone >> bit++ & 1) != 0)
                    after.disk.records[id] = world.disk.unsynced_removed.at(id);
            for (const BundleId& id : added)
                if ((undone >> bit++ & 1) != 0)
                    after.disk.records.erase(id);
            for (const Hash& pack : packs)
                if ((undone >> bit++ & 1) != 0)
                    after.disk.packs.insert(pack);
            verify_closed(after.disk, "after a power failure");
        }
    }

    const Broken broken_;
    const bool crashes_;
    const std::vector<int> actors_;
    const int switches_max_;
    std::unordered_set<std::size_t> seen_;  // hashes of worlds
    std::vector<World> open_;
};

TEST_CASE("retention model: no interleaving takes anything from a reader, a writer or a published bundle") {  // A106
    struct Scope {
        std::vector<int> actors;
        int switches_max;  // from an actor that could go on
    };
    std::size_t states = 0;
    for (const Scope& scope : {Scope{{0, 2}, kAnyNumber}, Scope{{0, 3}, kAnyNumber}, Scope{{2, 3}, kAnyNumber},
                               Scope{{0, 1}, kAnyNumber}, Scope{{0, 1, 2, 3}, 1}}) {
        CAPTURE(scope.actors.size());
        CAPTURE(scope.actors.back());
        Search search(Broken::nothing, false, scope.actors, scope.switches_max);
        CHECK(search.run() == "");
        states += search.states();
    }
    MESSAGE(states, " states");
    CHECK(states > 10'000);
}

TEST_CASE("retention model: no process that is killed and no power failure at any step breaks a bundle") {  // A101
    std::size_t states = 0;
    for (const std::vector<int>& actors : {std::vector{0, 1}, std::vector{0, 1, 2}, std::vector{0, 1, 3}}) {
        Search search(Broken::nothing, true, actors, actors.size() == 2 ? 1 : 0);
        CHECK(search.run() == "");
        states += search.states();
    }
    MESSAGE(states, " states");
    CHECK(states > 5'000);
}

TEST_CASE("retention model: without leases, phases, uses or syncing, the search finds what goes wrong") {  // A101 A106
    CHECK(Search(Broken::leases, false, {0, 1, 2}, kAnyNumber).run() != "");
    CHECK(Search(Broken::phases, false, {0, 3}, kAnyNumber).run() == "a bundle that was just used is gone");
    CHECK(Search(Broken::uses, false, {0, 1, 3}, 3).run() != "");
    CHECK(Search(Broken::record_sync, true, {0, 1}, 2).run().starts_with("after a power failure"));
}

}  // namespace
}  // namespace fardel
