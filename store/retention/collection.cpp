#include "retention/collection.h"

#include <fardel/format/hash.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace fardel {
namespace {

constexpr std::int64_t kListWriteMaxSeconds = 60;

// What is on disk while the lock of the store is held.
struct StoreState {
    std::map<BundleId, std::vector<Hash>> records;  // and the packs that they name
    std::set<BundleId> unreadable;                  // records of which nobody knows the packs
    std::vector<PackOnDisk> packs;
    std::set<BundleId> held;  // leased or pinned
    std::set<Hash> leased_packs;
    CondemnedList condemned;
};

class Collector {
public:
    Collector(RetentionDisk& disk, std::span<const PlannedRemoval> plan, const FindNeeds& find_needs,
              const RetentionRules& rules, const Clock& clock)
        : disk_(disk), plan_(plan), find_needs_(find_needs), rules_(rules), clock_(clock) {}

    Result<CollectionReport> run() {
        CondemnedList condemned;
        {
            FARDEL_TRY_ASSIGN(const auto lock, disk_.lock());
            // What is condemned is removed by a later collection only: a reader or writer that needs it takes it back
            // until then (docs/decisions/0035-condemned-in-one-file.md).
            FARDEL_TRY_ASSIGN(condemned, condemn());
        }
        // Each phase has the lock on its own: what waits for it can take back what is condemned.
        FARDEL_TRY_ASSIGN(const auto lock, disk_.lock());
        FARDEL_TRY(remove(condemned));
        return std::move(report_);
    }

private:
    // ---- What is there ----------------------------------------------------------------------------------------------

    Result<StoreState> read_state() {
        StoreState state;
        FARDEL_TRY_ASSIGN(state.condemned, disk_.read_condemned());
        FARDEL_TRY(read_leases(state));
        FARDEL_TRY_ASSIGN(const auto pinned, disk_.list_pinned(rules_.now));
        state.held.insert(pinned.begin(), pinned.end());
        FARDEL_TRY_ASSIGN(const auto bundles, disk_.list_records());
        for (const BundleId& bundle : bundles) {
            auto packs = disk_.find_packs_of(bundle);
            if (packs && *packs)
                state.records.emplace(bundle, **std::move(packs));
            else if (!packs)
                state.unreadable.insert(bundle);
        }
        FARDEL_TRY_ASSIGN(state.packs, disk_.list_packs());
        return state;
    }

    Status read_leases(StoreState& state) {
        FARDEL_TRY_ASSIGN(const auto leases, disk_.list_leases());
        for (const FoundLease& lease : leases) {
            // The lock of a lease ends with its writer; for a day it counts all the same, because on a file system
            // without locks living writers have none.
            if (!lease.is_locked && lease.renewed + rules_.lease_s <= rules_.now) {
                if (!rules_.dry_run)
                    FARDEL_TRY(disk_.remove_lease(lease.name));
                continue;
            }
            if (!lease.ids)
                return Error(ErrorCode::busy,
                             "lease " + lease.name + " cannot be read; nothing is removed while its writer may live");
            state.held.insert(lease.ids->bundles.begin(), lease.ids->bundles.end());
            state.leased_packs.insert(lease.ids->packs.begin(), lease.ids->packs.end());
        }
        return ok();
    }

    // Returns the bundles of `removable` that no other bundle, no lease and no pin needs.
    Result<std::set<BundleId>> without_needed(const StoreState& state, std::set<BundleId> removable) {
        std::vector<BundleId> kept(state.held.begin(), state.held.end());
        for (const auto& [bundle, packs] : state.records)
            if (!removable.contains(bundle))
                kept.push_back(bundle);
        for (const BundleId& bundle : state.held)
            removable.erase(bundle);
        while (!kept.empty()) {
            const BundleId bundle = kept.back();
            kept.pop_back();
            if (!state.records.contains(bundle))
                continue;
            FARDEL_TRY_ASSIGN(const auto* const needs, needs_of(bundle));
            for (const BundleId& need : *needs)
                if (removable.erase(need) != 0)
                    kept.push_back(need);
        }
        return removable;
    }

    // What a bundle needs never changes: its id covers it.
    Result<const std::vector<BundleId>*> needs_of(const BundleId& bundle) {
        if (const auto known = needs_.find(bundle); known != needs_.end())
            return &known->second;
        FARDEL_TRY_ASSIGN(auto needs, find_needs_(bundle));
        return &needs_.emplace(bundle, std::move(needs)).first->second;
    }

    // Returns the packs that some record outside of `removed` names.
    static std::set<Hash> named_packs(const StoreState& state, const std::set<BundleId>& removed) {
        std::set<Hash> named;
        for (const auto& [bundle, packs] : state.records)
            if (!removed.contains(bundle))
                named.insert(packs.begin(), packs.end());
        return named;
    }

    // ---- The first phase --------------------------------------------------------------------------------------------

    Result<CondemnedList> condemn() {
        FARDEL_TRY_ASSIGN(const StoreState state, read_state());
        for (const BundleId& bundle : state.unreadable)
            report_.notes.push_back("the record of bundle " + bundle.hex() +
                                    " cannot be read; no pack is removed until the bundle is added again or removed");
        std::map<BundleId, RemovalReason> reasons;
        for (const PlannedRemoval& planned : plan_)
            if (state.records.contains(planned.bundle) || state.unreadable.contains(planned.bundle))
                reasons.emplace(planned.bundle, planned.reason);
        std::set<BundleId> planned;
        for (const auto& [bundle, reason] : reasons)
            planned.insert(bundle);
        FARDEL_TRY_ASSIGN(const std::set<BundleId> removable, without_needed(state, std::move(planned)));

        // The grace begins when the list is on disk; this program may sleep at any moment.
        for (;;) {
            const UnixTime now = clock_();
            CondemnedList list = list_at(now, state, removable, reasons);
            if (list == state.condemned || rules_.dry_run)
                return list;
            FARDEL_TRY(disk_.replace_condemned(list));
            // A collector that slept between reading the clock and writing the marks would give them the old time, and
            // another one would remove at once what was condemned just now. So the list is written again with the
            // present time.
            if (clock_() <= now + std::max(rules_.grace_s / 2, kListWriteMaxSeconds))
                return list;
        }
    }

    CondemnedList list_at(UnixTime now, const StoreState& state, const std::set<BundleId>& removable,
                          const std::map<BundleId, RemovalReason>& reasons) const {
        CondemnedList list;
        for (const BundleId& bundle : removable)
            list.add(mark_of(state, CondemnedKind::bundle, id_from<Hash>(bundle), reasons.at(bundle), now));
        const std::set<Hash> named = named_packs(state, removable);
        // A record that cannot be read may name any pack.
        if (state.unreadable.empty())
            for (const PackOnDisk& pack : state.packs)
                if (!named.contains(pack.id) && !state.leased_packs.contains(pack.id))
                    list.add(mark_of(state, CondemnedKind::pack, pack.id, RemovalReason::unnamed, now));
        return list;
    }

    // A mark that exists stays, unless a wrong clock set it in the future.
    static CondemnedMark mark_of(const StoreState& state, CondemnedKind kind, const Hash& id, RemovalReason reason,
                                 UnixTime now) {
        const CondemnedMark* const before = state.condemned.find(kind, id);
        const bool counts = before != nullptr && before->since <= now;
        return {.kind = kind, .id = id, .reason = reason, .since = counts ? before->since : now};
    }

    // ---- The second phase -------------------------------------------------------------------------------------------

    // By the time when the collection began: one that slept between its phases must not remove what it condemned.
    // Without a grace, everything that is condemned is due.
    bool is_due(const CondemnedMark& mark) const {
        return rules_.grace_s <= 0 || mark.since + rules_.grace_s <= rules_.now;
    }

    Status remove(const CondemnedList& condemned) {
        FARDEL_TRY_ASSIGN(StoreState state, read_state());
        if (rules_.dry_run)
            state.condemned = condemned;
        else if (!state.condemned.is_empty())
            // Before packs are removed: another collector, killed meanwhile, may have removed a record without syncing
            // it, and a power failure would bring back a record whose packs are gone.
            FARDEL_TRY(disk_.sync_records());
        FARDEL_TRY_ASSIGN(const std::set<BundleId> removable, claim(state));
        CondemnedList left = state.condemned;
        FARDEL_TRY(remove_bundles(state, removable, left));
        FARDEL_TRY(remove_packs(state, removable, left));
        // The list is replaced after the removals: a mark of something that is gone is harmless, the reverse is not.
        if (left != state.condemned && !rules_.dry_run)
            FARDEL_TRY(disk_.replace_condemned(left));
        return ok();
    }

    // Returns the bundles to remove. No reader can open them while the claims are held.
    Result<std::set<BundleId>> claim(const StoreState& state) {
        std::set<BundleId> due;
        for (const CondemnedMark& mark : state.condemned.marks()) {
            const BundleId bundle = id_from<BundleId>(mark.id);
            if (mark.kind != CondemnedKind::bundle || !is_due(mark) ||
                (!state.records.contains(bundle) && !state.unreadable.contains(bundle)))
                continue;
            FARDEL_TRY_ASSIGN(auto claim, disk_.claim_use(bundle));
            if (claim == nullptr) {
                report_.notes.push_back("bundle " + bundle.hex() + " is in use");
                continue;
            }
            claims_.push_back(std::move(claim));
            due.insert(bundle);
        }
        // Again, with what is on disk now: a bundle that came since may need one that is due.
        return without_needed(state, std::move(due));
    }

    // Bundles go before those that they need: so a program that is killed leaves no bundle whose needs are missing.
    Result<std::vector<BundleId>> in_order(const std::set<BundleId>& removable) {
        std::map<BundleId, std::size_t> dependents;
        for (const BundleId& bundle : removable)
            dependents.emplace(bundle, 0);
        for (const BundleId& bundle : removable) {
            FARDEL_TRY_ASSIGN(const auto* const needs, needs_of(bundle));
            for (const BundleId& need : *needs)
                if (const auto found = dependents.find(need); found != dependents.end())
                    ++found->second;
        }
        std::vector<BundleId> order;
        for (const auto& [bundle, count] : dependents)
            if (count == 0)
                order.push_back(bundle);
        for (std::size_t i = 0; i < order.size(); ++i) {
            FARDEL_TRY_ASSIGN(const auto* const needs, needs_of(order[i]));
            for (const BundleId& need : *needs)
                if (const auto found = dependents.find(need); found != dependents.end() && --found->second == 0)
                    order.push_back(need);
        }
        return order;
    }

    Status remove_bundles(StoreState& state, const std::set<BundleId>& removable, CondemnedList& left) {
        FARDEL_TRY_ASSIGN(const std::vector<BundleId> order, in_order(removable));
        for (const BundleId& bundle : order) {
            const CondemnedMark mark = *state.condemned.find(CondemnedKind::bundle, id_from<Hash>(bundle));
            if (!rules_.dry_run) {
                FARDEL_TRY(disk_.remove_record(bundle));
                FARDEL_TRY(disk_.forget_use(bundle));
            }
            left.remove(mark.kind, mark.id);
            report_.bundles.push_back(
                {.bundle = bundle, .reason = mark.reason, .condemned = mark.since, .removed = true});
        }
        for (const CondemnedMark& mark : state.condemned.marks())
            if (const BundleId bundle = id_from<BundleId>(mark.id);
                mark.kind == CondemnedKind::bundle && !removable.contains(bundle))
                report_.bundles.push_back({.bundle = bundle, .reason = mark.reason, .condemned = mark.since});
        return ok();
    }

    Status remove_packs(const StoreState& state, const std::set<BundleId>& removed, CondemnedList& left) {
        const std::set<Hash> named = named_packs(state, removed);
        // A record that cannot be read may name any pack, so all packs stay as long as it does.
        const bool all_known = std::ranges::includes(removed, state.unreadable);
        for (const PackOnDisk& pack : state.packs) {
            const CondemnedMark* const mark = state.condemned.find(CondemnedKind::pack, pack.id);
            const bool is_needed = !all_known || named.contains(pack.id) || state.leased_packs.contains(pack.id);
            if (mark == nullptr || is_needed || !is_due(*mark)) {
                ++report_.packs;
                report_.pack_bytes += pack.size_bytes;
                report_.condemned_packs += mark != nullptr ? 1 : 0;
                report_.condemned_bytes += mark != nullptr ? pack.size_bytes : 0;
                continue;
            }
            if (!rules_.dry_run)
                FARDEL_TRY(disk_.remove_pack(pack.id));
            left.remove(CondemnedKind::pack, pack.id);
            ++report_.removed_packs;
            report_.removed_bytes += pack.size_bytes;
        }
        return ok();
    }

    RetentionDisk& disk_;
    const std::span<const PlannedRemoval> plan_;
    const FindNeeds& find_needs_;
    const RetentionRules& rules_;
    const Clock& clock_;
    std::map<BundleId, std::vector<BundleId>> needs_;
    std::vector<std::unique_ptr<DiskHold>> claims_;
    CollectionReport report_;
};

}  // namespace

Result<CollectionReport> collect(RetentionDisk& disk, std::span<const PlannedRemoval> plan, const FindNeeds& find_needs,
                                 const RetentionRules& rules, const Clock& clock) {
    return Collector(disk, plan, find_needs, rules, clock).run();
}

}  // namespace fardel
