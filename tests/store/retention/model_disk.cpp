#include "model_disk.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fardel::tests {
namespace {

std::size_t index(int number) { return static_cast<std::size_t>(number); }
std::uint8_t narrow(unsigned value) { return static_cast<std::uint8_t>(value); }

template <class Id, class Make>
std::vector<Id> ids_of(std::uint64_t bits, Make make) {
    std::vector<Id> ids;
    for (int number = 1; bits >> number != 0; ++number)
        if ((bits >> number & 1) != 0)
            ids.push_back(make(number));
    return ids;
}

}  // namespace

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

std::vector<BundleId> needs_in_model(const BundleId& bundle) {
    return number_of(bundle) == kBase ? std::vector<BundleId>() : std::vector<BundleId>{model_bundle(kBase)};
}

void fail_if(bool condition, std::string what) {
    if (condition)
        throw Violation{std::move(what)};
}

void ModelDisk::end(const std::function<void()>& act) {
    if (stopping_)
        return;
    if (position_ == results_.size()) {
        act();
        results_.push_back(0);
    }
    ++position_;
}

// A power failure can come before it.
void ModelDisk::sync(const std::function<void()>& act) {
    step(
        [&] {
            act();
            return 0;
        },
        crashes_);
}

struct ModelDisk::Hold final : DiskHold {
    Hold(ModelDisk& of, std::function<void()> ends) : disk(of), on_end(std::move(ends)) {}
    ~Hold() override { disk.end(on_end); }
    ModelDisk& disk;
    std::function<void()> on_end;
};

// The scheduler runs an actor that waits only when the lock is free.
Result<std::unique_ptr<DiskHold>> ModelDisk::lock() {
    step([&] {
        if (state_.lock != 0)
            pause();
        state_.lock = narrow(static_cast<unsigned>(number_) + 1);
        return 0;
    });
    return std::unique_ptr<DiskHold>(new Hold(*this, [this] { state_.lock = 0; }));
}

// ---- Records --------------------------------------------------------------------------------------------------------

Result<std::vector<BundleId>> ModelDisk::list_records() {
    const std::uint64_t there = step(
        [&] {
            std::uint64_t bits = 0;
            for (int bundle = 1; bundle < kBundles; ++bundle)
                bits |= state_.has_record(bundle) ? bit_of(bundle) : 0u;
            return bits;
        },
        !holds_lock());
    return ids_of<BundleId>(there, model_bundle);
}

std::uint16_t ModelDisk::packs_of(int bundle) {
    return static_cast<std::uint16_t>(step([&] { return state_.records[index(bundle)]; }, !holds_lock()));
}

Result<std::optional<std::vector<Hash>>> ModelDisk::find_packs_of(const BundleId& bundle) {
    const std::uint16_t packs = packs_of(number_of(bundle));
    return packs == 0 ? std::optional<std::vector<Hash>>() : std::optional(ids_of<Hash>(packs, model_pack));
}

// The new record is written to a file of its own, which is synced before it gets the name.
Status ModelDisk::write_record(int bundle, std::uint16_t packs) {
    const std::uint8_t bit = narrow(bit_of(bundle));
    step([&] {
        if ((state_.unsynced_records & bit) == 0)
            state_.older_records[index(bundle)] = state_.records[index(bundle)];
        state_.records[index(bundle)] = packs == 0 ? packs : packs | ModelState::kThere;
        state_.unsynced_records |= bit;
        if (broken_ == Broken::record_bytes)
            state_.unsynced_record_bytes |= bit;
        return 0;
    });
    if (broken_ != Broken::record_sync)
        sync([&] { state_.unsynced_records &= narrow(0xFFu & ~unsigned{bit}); });
    return ok();
}

Status ModelDisk::remove_record(const BundleId& bundle) { return write_record(number_of(bundle), 0); }

Status ModelDisk::sync_records() {
    if (broken_ != Broken::record_sync)
        sync([&] { state_.unsynced_records = 0; });
    return ok();
}

// ---- Packs ----------------------------------------------------------------------------------------------------------

// Nobody sees it until it has its name.
void ModelDisk::add_pack(int pack) {
    const std::uint8_t bit = narrow(bit_of(pack));
    step([&] {
        if (!state_.has_pack(pack)) {
            state_.packs |= bit;
            state_.unsynced_packs |= bit;
            if (broken_ == Broken::pack_bytes)
                state_.unsynced_pack_bytes |= bit;
        }
        return 0;
    });
    sync([&] { state_.unsynced_packs &= narrow(0xFFu & ~unsigned{bit}); });
}

Result<std::vector<PackOnDisk>> ModelDisk::list_packs() {
    const std::uint64_t there = step([&] { return state_.packs; }, !holds_lock());
    return ids_of<PackOnDisk>(there, [](int pack) { return PackOnDisk{.id = model_pack(pack), .size_bytes = 100}; });
}
Result<bool> ModelDisk::has_pack(const Hash& pack) {
    return step([&] { return state_.has_pack(number_of(pack)) ? 1u : 0u; }, !holds_lock()) != 0;
}
Status ModelDisk::remove_pack(const Hash& pack) {
    step([&] {
        const std::uint8_t bit = narrow(bit_of(number_of(pack)));
        state_.removed_packs |= state_.packs & bit;
        state_.packs &= narrow(0xFFu & ~unsigned{bit});
        return 0;
    });
    return ok();
}

// ---- What is condemned ----------------------------------------------------------------------------------------------

Result<CondemnedList> ModelDisk::read_condemned() {
    // Two bits for each bundle and pack.
    const std::uint64_t marks = step(
        [&] {
            std::uint64_t bits = 0;
            for (const std::uint8_t since : state_.marks.packs)
                bits = bits << 2 | since;
            for (const std::uint8_t since : state_.marks.bundles)
                bits = bits << 2 | since;
            return bits;
        },
        !holds_lock());
    CondemnedList list;
    for (int number = 0; number < kBundles + kPacks; ++number) {
        const bool is_bundle = number < kBundles;
        const std::uint64_t since = marks >> 2 * number & 3;
        if (since != 0)
            list.add({.kind = is_bundle ? CondemnedKind::bundle : CondemnedKind::pack,
                      .id = is_bundle ? id_from<Hash>(model_bundle(kBundles - 1 - number))
                                      : model_pack(kPacks - 1 - (number - kBundles)),
                      .reason = is_bundle ? RemovalReason::unused : RemovalReason::unnamed,
                      .since = model_time(since)});
    }
    return list;
}

Status ModelDisk::replace_condemned(const CondemnedList& list) {
    step([&] {
        if (state_.unsynced_marks == 0)
            state_.older_marks = state_.marks;
        state_.marks = {};
        for (const CondemnedMark& mark : list.marks()) {
            std::uint8_t& since = mark.kind == CondemnedKind::bundle ? state_.marks.bundles[mark.id.bytes[0]]
                                                                     : state_.marks.packs[mark.id.bytes[0]];
            since = narrow(static_cast<unsigned>(mark.since.seconds / model_time(1).seconds));
        }
        state_.unsynced_marks = 1;
        return 0;
    });
    sync([&] {
        state_.unsynced_marks = 0;
        state_.older_marks = {};
    });
    return ok();
}

// ---- Leases and uses ------------------------------------------------------------------------------------------------

struct ModelDisk::File final : LeaseFile {
    explicit File(ModelDisk& of) : disk(of) {}
    ~File() override {
        disk.end([this] { disk.own_lease() = {}; });
    }
    Status write(const LeasedIds& ids) override {
        disk.step(
            [&] {
                ModelLease& lease = disk.own_lease();
                lease.renewed = disk.state_.now;
                for (const BundleId& bundle : ids.bundles)
                    lease.bundles |= narrow(bit_of(number_of(bundle)));
                for (const Hash& pack : ids.packs)
                    lease.packs |= narrow(bit_of(number_of(pack)));
                return 0;
            },
            false);
        return ok();
    }
    ModelDisk& disk;
};

Result<std::unique_ptr<LeaseFile>> ModelDisk::create_lease() {
    step(
        [&] {
            own_lease() = {
                .is_there = 1, .is_locked = 1, .is_torn = 0, .renewed = state_.now, .bundles = 0, .packs = 0};
            return 0;
        },
        false);
    return std::unique_ptr<LeaseFile>(new File(*this));
}

Result<std::vector<FoundLease>> ModelDisk::list_leases() {
    std::vector<FoundLease> found;
    for (int actor = kWriter; actor < kActors && broken_ != Broken::leases; ++actor) {
        if (actor == kReader)
            continue;
        const std::uint64_t bits = step(
            [&] {
                const ModelLease& lease = state_.leases[index(actor)];
                return std::uint64_t{lease.is_there} | std::uint64_t{lease.is_locked} << 1 |
                       std::uint64_t{lease.is_torn} << 2 | std::uint64_t{lease.renewed} << 8 |
                       std::uint64_t{lease.bundles} << 16 | std::uint64_t{lease.packs} << 24;
            },
            !holds_lock());
        if ((bits & 1) == 0)
            continue;
        FoundLease lease{.name = std::to_string(actor),
                         .is_locked = (bits & 2) != 0,
                         .renewed = model_time(bits >> 8 & 0xFF),
                         .ids = std::nullopt};
        if ((bits & 4) == 0)
            lease.ids = LeasedIds{.bundles = ids_of<BundleId>(bits >> 16 & 0xFF, model_bundle),
                                  .packs = ids_of<Hash>(bits >> 24 & 0xFF, model_pack)};
        found.push_back(std::move(lease));
    }
    return found;
}

Status ModelDisk::remove_lease(const std::string& name) {
    step(
        [&] {
            state_.leases[static_cast<std::size_t>(std::stoi(name))] = {};
            return 0;
        },
        false);
    return ok();
}

Result<std::unique_ptr<DiskHold>> ModelDisk::open_use(const BundleId& id) {
    const std::size_t bundle = index(number_of(id));
    const bool opened = step([&] {
                            if (state_.claims[bundle] != 0)
                                return 0;
                            state_.uses[bundle] |= own_bit();
                            state_.used[bundle] = state_.now;
                            return 1;
                        }) != 0;
    if (!opened)
        return std::unique_ptr<DiskHold>();
    return std::unique_ptr<DiskHold>(
        new Hold(*this, [this, bundle] { state_.uses[bundle] &= narrow(0xFFu & ~unsigned{own_bit()}); }));
}

Result<std::unique_ptr<DiskHold>> ModelDisk::claim_use(const BundleId& id) {
    const std::size_t bundle = index(number_of(id));
    const bool claimed = step([&] {
                             if (broken_ != Broken::uses && state_.uses[bundle] != 0)
                                 return 0;
                             state_.claims[bundle] = narrow(static_cast<unsigned>(number_) + 1);
                             return 1;
                         }) != 0;
    if (!claimed)
        return std::unique_ptr<DiskHold>();
    return std::unique_ptr<DiskHold>(new Hold(*this, [this, bundle] { state_.claims[bundle] = 0; }));
}

// ---- What may happen to it ------------------------------------------------------------------------------------------

void kill_in_model(ModelState& state, int actor) {
    const std::uint8_t holder = narrow(static_cast<unsigned>(actor) + 1);
    if (state.lock == holder)
        state.lock = 0;
    state.leases[index(actor)].is_locked = 0;
    for (std::uint8_t& users : state.uses)
        users &= narrow(0xFFu & ~(1u << actor));
    for (std::uint8_t& claim : state.claims)
        claim = claim == holder ? 0 : claim;
}

void verify_closed(const ModelState& state, const std::string& when) {
    for (int bundle = 1; bundle < kBundles; ++bundle) {
        if (!state.has_record(bundle))
            continue;
        const unsigned packs = state.records[index(bundle)] & ~unsigned{ModelState::kThere};
        fail_if((packs & ~unsigned{state.packs}) != 0, when + ": a bundle lacks a pack");
        fail_if(bundle != kBase && !state.has_record(kBase), when + ": a bundle lacks its dependency");
        fail_if(bundle == kRead && state.was_signed != 0 && (packs & bit_of(kSignedPack)) == 0,
                when + ": what was added to a bundle is lost");
    }
}

// Each change that was not synced is there or not, whatever happened to the others. Bytes that were not synced are a
// part of the file or zeros: whoever reads records and lists sees that by their checksums, so they are as good as none.
void for_each_power_failure(const ModelState& state, const std::function<void(const ModelState&)>& visit) {
    ModelState left = state;
    for (int actor = 0; actor < kActors; ++actor)
        kill_in_model(left, actor);
    std::vector<std::function<void(ModelState&)>> changes;
    for (int number = 1; number < kPacks; ++number) {
        const std::uint8_t bit = narrow(bit_of(number));
        const std::size_t at = index(number);
        if (number < kBundles && (state.unsynced_records & bit) != 0)
            changes.emplace_back([=, &state](ModelState& one) {
                one.records[at] = state.older_records[at];
                if (at == kRead)  // the signer has not returned yet
                    one.was_signed = (one.records[at] & bit_of(kSignedPack)) != 0 ? 1 : 0;
            });
        // A torn record names nothing: readers refuse it, and what it had named is lost.
        if (number < kBundles && (state.unsynced_record_bytes & bit) != 0)
            changes.emplace_back([=](ModelState& one) { one.records[at] = one.records[at] != 0 ? bit_of(15) : 0; });
        if ((state.unsynced_packs & bit) != 0 || (state.unsynced_pack_bytes & bit) != 0)
            changes.emplace_back([=](ModelState& one) { one.packs &= narrow(0xFFu & ~unsigned{bit}); });
        if ((state.removed_packs & bit) != 0)
            changes.emplace_back([=](ModelState& one) { one.packs |= bit; });
    }
    if (state.unsynced_marks != 0) {
        changes.emplace_back([&state](ModelState& one) { one.marks = state.older_marks; });
        changes.emplace_back([](ModelState& one) { one.marks = {}; });
    }
    // Leases are never synced, and have no checksum. Cut short, or zeros from the start, they cannot be read; empty, or
    // with zeros behind their head, they can, and name nothing.
    if (std::ranges::any_of(state.leases, [](const ModelLease& lease) { return lease.is_there != 0; })) {
        changes.emplace_back([](ModelState& one) {
            for (ModelLease& lease : one.leases)
                lease.is_torn = lease.is_there;
        });
        changes.emplace_back([](ModelState& one) {
            for (ModelLease& lease : one.leases)
                lease.bundles = lease.packs = 0;
        });
    }
    for (std::size_t undone = 0; undone < (std::size_t{1} << changes.size()); ++undone) {
        ModelState one = left;
        for (std::size_t i = 0; i < changes.size(); ++i)
            if ((undone >> i & 1) != 0)
                changes[i](one);
        one.unsynced_records = one.unsynced_record_bytes = one.unsynced_packs = one.unsynced_pack_bytes = 0;
        one.removed_packs = one.unsynced_marks = 0;
        one.older_records = {};
        one.older_marks = {};
        visit(one);
    }
}

}  // namespace fardel::tests
