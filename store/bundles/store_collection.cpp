#include "bundles/store_collection.h"

#include "bundles/leftovers.h"
#include "bundles/repack.h"
#include "bundles/retention_folder.h"
#include "packs/record_source.h"
#include "packs/referred_file.h"
#include "retention/collection.h"
#include "retention/retention_plan.h"

#include <fardel/base/clock.h>
#include <fardel/format/bundle.h>
#include <fardel/format/dependencies.h>
#include <fardel/format/statement.h>
#include <fardel/format/trust_policy.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace fardel {
namespace {

// Whether an error says that the bundle itself is wrong, rather than the system or the moment.
bool is_of_bundle(const Error& error) {
    switch (error.code()) {
        // Errors of the disk or of memory end the collection instead: they say nothing about what the bundle needs.
        case ErrorCode::missing:
        case ErrorCode::corrupt:
        case ErrorCode::malformed:
        case ErrorCode::limit:
        case ErrorCode::unsupported: return true;
        default: return false;
    }
}

// Returns nothing if the bundle is gone, or cannot be opened because of what it is.
Result<std::shared_ptr<const Bundle>> open_stored(const StoreFolder& folder, const BundleId& id) {
    auto found = open_stored_bundle(folder, id);
    if (!found)
        return is_of_bundle(found.error()) ? Result<std::shared_ptr<const Bundle>>(nullptr) : found.error();
    if (!*found)
        return std::shared_ptr<const Bundle>();
    auto bundle = Bundle::open((*std::move(found))->source, {});
    if (!bundle)
        return is_of_bundle(bundle.error()) ? Result<std::shared_ptr<const Bundle>>(nullptr) : bundle.error();
    return std::shared_ptr<const Bundle>(*std::move(bundle));
}

Result<std::vector<BundleId>> needs_of_bundle(const Bundle& bundle) {
    auto needs = static_dependencies(bundle);
    if (!needs && is_of_bundle(needs.error()))
        return std::vector<BundleId>();
    return needs;
}

// A bundle that requires a licence token.
struct LicensedBundle {
    BundleId bundle;
    std::string name;
};

// What the tokens of a store say about its bundles.
class StoreLicenses {
public:
    Status read(const RetentionFolder& disk) {
        FARDEL_TRY_ASSIGN(const auto envelopes, disk.list_licenses());
        for (const Envelope& envelope : envelopes)
            if (auto token = license_token_of(envelope))
                tokens_.push_back({.envelope = envelope, .token = *std::move(token)});
        return ok();
    }

    // Whether there were tokens about the bundle, and all of them have ended.
    bool are_over(const LicensedBundle& bundle, std::optional<UnixTime> now) const {
        bool was_licensed = false;
        for (const Token& one : tokens_) {
            if (!one.token.is_about(bundle.bundle, bundle.name))
                continue;
            was_licensed = true;
            if (!has_passed(one.token.expires, now))
                return false;
        }
        // A bundle for which there never was a token stays: it may have been fetched before it was paid for.
        return was_licensed;
    }

    // Tokens that have ended stay as long as a bundle is here that they are about: they say why it goes. `bundles`: all
    // that require one.
    Status remove_ended(const RetentionFolder& disk, std::span<const LicensedBundle> bundles, UnixTime now) const {
        for (const Token& one : tokens_)
            if (has_passed(one.token.expires, now) && std::ranges::none_of(bundles, [&](const LicensedBundle& bundle) {
                    return one.token.is_about(bundle.bundle, bundle.name);
                }))
                FARDEL_TRY(disk.remove_license(one.envelope));
        return ok();
    }

private:
    struct Token {
        Envelope envelope;
        LicenseToken token;
    };

    std::vector<Token> tokens_;
};

// All that a plan needs, read without the lock of the store: the collection decides again under it.
class FactsOfStore {
public:
    FactsOfStore(const StoreFolder& folder, std::optional<UnixTime> now) : folder_(folder), disk_(folder), now_(now) {}

    Status read(bool opens_bundles) {
        FARDEL_TRY(licenses.read(disk_));
        FARDEL_TRY_ASSIGN(condemned, disk_.read_condemned());
        FARDEL_TRY_ASSIGN(pins, disk_.list_pins());
        FARDEL_TRY_ASSIGN(const auto referred, folder_.list_references());
        for (const StorePack& pack : referred)
            referred_.insert(pack.id);
        FARDEL_TRY_ASSIGN(const auto ids, folder_.list_records());
        for (const BundleId& id : ids)
            FARDEL_TRY(read_bundle(id, opens_bundles));
        return ok();
    }

    CondemnedList condemned;
    std::vector<BundlePin> pins;
    std::vector<RetentionFacts> bundles;   // ascending
    std::vector<LicensedBundle> licensed;  // those that could be opened
    bool are_all_opened = true;
    StoreLicenses licenses;

private:
    Status read_bundle(const BundleId& id, bool opens_bundles) {
        const CondemnedMark* const mark = condemned.find(CondemnedKind::bundle, id_from<Hash>(id));
        RetentionFacts facts{.bundle = id, .needs = {}, .packs = {}, .source = disk_.source_of(id)};
        facts.is_removed_by_hand = mark != nullptr && mark->reason == RemovalReason::by_hand;
        facts.is_released = mark != nullptr && mark->reason == RemovalReason::released;
        facts.is_pinned = std::ranges::any_of(
            pins, [&](const BundlePin& pin) { return pin.bundle == id && !has_passed(pin.until, now_); });
        FARDEL_TRY_ASSIGN(facts.used, disk_.last_use(id));
        const auto record = folder_.find_record(id);
        if (record && !*record)
            return ok();  // removed meanwhile
        // If one bundle cannot be opened, nobody knows whether a token is about it, and no token is removed.
        are_all_opened &= record && opens_bundles;
        if (record) {
            facts.file_bytes = (*record)->file_bytes;
            for (const StorePack& pack : (*record)->packs)
                facts.packs.push_back({.id = pack.id, .size_bytes = referred_.contains(pack.id) ? 0 : pack.size_bytes});
            if (opens_bundles) {
                FARDEL_TRY_ASSIGN(const auto bundle, open_stored(folder_, id));
                are_all_opened &= bundle != nullptr;
                if (bundle) {
                    FARDEL_TRY_ASSIGN(facts.needs, needs_of_bundle(*bundle));
                    const auto in_date = bundle->verify_content_date(now_);
                    FARDEL_TRY(read_license(*bundle, facts));
                    facts.is_expired = !in_date && in_date.error().code() == ErrorCode::expired;
                }
            }
        }
        bundles.push_back(std::move(facts));
        return ok();
    }

    Status read_license(const Bundle& bundle, RetentionFacts& facts) {
        const auto requirement = bundle.find_license_requirement();
        const auto name = bundle.find_bundle_text("name");
        for (const Error* const error : {requirement ? nullptr : &requirement.error(), name ? nullptr : &name.error()})
            if (error != nullptr) {
                are_all_opened = false;
                return is_of_bundle(*error) ? ok() : Status(*error);
            }
        if (!*requirement)
            return ok();
        licensed.push_back({.bundle = bundle.id(), .name = std::string(name->value_or(""))});
        facts.is_unlicensed = licenses.are_over(licensed.back(), now_);
        return ok();
    }

    const StoreFolder& folder_;
    RetentionFolder disk_;
    const std::optional<UnixTime> now_;
    std::set<PackId> referred_;  // packs that are files elsewhere: they cost nothing
};

std::string ids_of(const std::vector<BundleId>& bundles) {
    std::string text;
    for (const BundleId& bundle : bundles)
        text += "\n  " + bundle.hex();
    return text;
}

// Returns whether packs were replaced, which can be condemned then.
Result<bool> repack_sparse(const StoreFolder& folder, std::span<const RetentionFacts> bundles,
                           const RetentionRules& rules, CollectionReport& report) {
    if (rules.repack_percent == 0)
        return false;
    RepackFacts facts{.used = {}, .leaving = {}, .gone = {}, .percent = rules.repack_percent};
    for (const RetentionFacts& bundle : bundles)
        facts.used.emplace(bundle.bundle, bundle.used);
    for (const CollectedBundle& bundle : report.bundles)
        (bundle.removed ? facts.gone : facts.leaving).insert(bundle.bundle);
    FARDEL_TRY_ASSIGN(const auto groups, find_repack_groups(folder, facts));
    if (rules.dry_run) {
        for (const RepackGroup& group : groups) {
            report.repacked_packs += group.packs.size();
            report.repacked_bytes += group.pack_bytes;
            report.repack_written_bytes += group.named_bytes;
        }
        return false;
    }
    FARDEL_TRY_ASSIGN(RepackReport repacked, repack(folder, groups));
    report.repacked_packs = repacked.packs;
    report.repacked_bytes = repacked.pack_bytes;
    report.repack_written_bytes = repacked.written_bytes;
    report.notes.insert(report.notes.end(), repacked.notes.begin(), repacked.notes.end());
    return repacked.packs != 0;
}

// Why each bundle stays that is neither removed nor condemned: what a person asks who wants room.
Result<std::vector<KeptBundle>> explain_kept(const FactsOfStore& facts, RetentionFolder& disk,
                                             const CollectionReport& report, UnixTime now,
                                             const std::map<BundleId, std::vector<BundleId>>& needs) {
    std::set<BundleId> going;
    for (const CollectedBundle& bundle : report.bundles)
        going.insert(bundle.bundle);
    std::set<BundleId> held;
    FARDEL_TRY_ASSIGN(const auto leases, disk.list_leases());
    for (const FoundLease& lease : leases)
        if (lease.ids)
            held.insert(lease.ids->bundles.begin(), lease.ids->bundles.end());
    std::set<BundleId> needed;
    for (const auto& [bundle, its] : needs)
        if (!going.contains(bundle))
            needed.insert(its.begin(), its.end());
    std::vector<KeptBundle> kept;
    for (const RetentionFacts& bundle : facts.bundles) {
        if (going.contains(bundle.bundle))
            continue;
        KeptBundle one{.bundle = bundle.bundle, .file_bytes = bundle.file_bytes, .reason = {}, .pins = {}};
        for (const BundlePin& pin : facts.pins)
            if (pin.bundle == bundle.bundle && !has_passed(pin.until, now))
                one.pins.push_back(pin.name);
        one.reason = !one.pins.empty()                ? KeptReason::pinned
                     : needed.contains(bundle.bundle) ? KeptReason::needed
                     : held.contains(bundle.bundle)   ? KeptReason::held
                                                      : KeptReason::none;
        kept.push_back(std::move(one));
    }
    return kept;
}

// Pins are written under the lock, so one that was renewed meanwhile stays.
Status remove_passed_pins(RetentionFolder& disk, UnixTime now) {
    FARDEL_TRY_ASSIGN(const auto lock, disk.lock());
    FARDEL_TRY_ASSIGN(const auto pins, disk.list_pins());
    for (const BundlePin& pin : pins)
        if (has_passed(pin.until, now))
            FARDEL_TRY(disk.remove_pin(pin.bundle, pin.name));
    return ok();
}

// What remains is as the second collection found it; what either removed was removed.
void add_second_report(CollectionReport& report, CollectionReport second) {
    std::erase_if(report.bundles, [](const CollectedBundle& bundle) { return !bundle.removed; });
    report.bundles.insert(report.bundles.end(), second.bundles.begin(), second.bundles.end());
    report.removed_packs += second.removed_packs;
    report.removed_bytes += second.removed_bytes;
    report.condemned_packs = second.condemned_packs;
    report.condemned_bytes = second.condemned_bytes;
    report.packs = second.packs;
    report.pack_bytes = second.pack_bytes;
    for (std::string& note : second.notes)
        if (std::ranges::find(report.notes, note) == report.notes.end())
            report.notes.push_back(std::move(note));
}

}  // namespace

Result<std::vector<BundleId>> stored_needs(const StoreFolder& folder, const BundleId& bundle) {
    FARDEL_TRY_ASSIGN(const auto opened, open_stored(folder, bundle));
    return opened ? needs_of_bundle(*opened) : std::vector<BundleId>();
}

Result<CollectionReport> collect_store(const StoreFolder& folder, const RetentionRules& rules) {
    // A collection may take hours, and the rules may have a time of their own: it goes on from theirs.
    const Clock clock = [now = rules.now, begun = system_now()] { return now + (system_now() - begun); };
    RetentionFolder disk(folder);
    FARDEL_TRY(disk.refresh_licenses());
    FactsOfStore facts(folder, rules.now);
    FARDEL_TRY(facts.read(true));
    const auto plan = plan_retention(facts.bundles, rules);
    std::set<BundleId> unlicensed;
    for (const RetentionFacts& bundle : facts.bundles)
        if (bundle.is_unlicensed)
            unlicensed.insert(bundle.bundle);
    // A pin would otherwise keep on disk what must be purged when its licence is over.
    disk.ignore_pins_of(std::move(unlicensed));
    std::map<BundleId, std::uint64_t> sizes;
    std::map<BundleId, std::vector<BundleId>> needs;
    for (RetentionFacts& bundle : facts.bundles) {
        sizes.emplace(bundle.bundle, bundle.file_bytes);
        needs.emplace(bundle.bundle, std::move(bundle.needs));
    }
    const FindNeeds find_needs = [&](const BundleId& bundle) -> Result<std::vector<BundleId>> {
        if (const auto known = needs.find(bundle); known != needs.end())
            return known->second;
        return stored_needs(folder, bundle);
    };
    FARDEL_TRY_ASSIGN(CollectionReport report, collect(disk, plan, find_needs, rules, clock));
    // After the removal, which is what makes packs sparse.
    FARDEL_TRY_ASSIGN(const bool repacked, repack_sparse(folder, facts.bundles, rules, report));
    if (repacked) {
        FARDEL_TRY_ASSIGN(CollectionReport after, collect(disk, plan, find_needs, rules, clock));
        add_second_report(report, std::move(after));
    }
    FARDEL_TRY_ASSIGN(report.kept, explain_kept(facts, disk, report, rules.now, needs));
    for (CollectedBundle& bundle : report.bundles)
        if (const auto size = sizes.find(bundle.bundle); size != sizes.end())
            bundle.file_bytes = size->second;
    if (!rules.dry_run) {
        remove_abandoned_packs(folder);
        remove_needless_incoming(folder);
        if (facts.are_all_opened)
            FARDEL_TRY(facts.licenses.remove_ended(disk, facts.licensed, rules.now));
        FARDEL_TRY(remove_passed_pins(disk, rules.now));
        disk.keep_spare();
    }
    const StoreLeftovers removed = remove_old_incoming(folder, rules.now - rules.incoming_for_s, rules.dry_run);
    report.removed_incoming = removed.incoming;
    report.removed_incoming_bytes = removed.incoming_bytes;
    return report;
}

Status condemn_by_hand(const StoreFolder& folder, std::span<const BundleId> bundles, UnixTime now) {
    FactsOfStore facts(folder, now);
    FARDEL_TRY(facts.read(true));
    const std::set<BundleId> wanted(bundles.begin(), bundles.end());
    std::set<BundleId> found;
    std::vector<BundleId> dependents;
    for (const RetentionFacts& bundle : facts.bundles) {
        if (wanted.contains(bundle.bundle)) {
            found.insert(bundle.bundle);
            if (bundle.is_pinned)
                return Error(ErrorCode::denied, "bundle " + bundle.bundle.hex() + " is pinned; unpin it first");
        } else if (!bundle.is_removed_by_hand &&
                   std::ranges::any_of(bundle.needs, [&](const BundleId& need) { return wanted.contains(need); })) {
            dependents.push_back(bundle.bundle);
        }
    }
    for (const BundleId& bundle : wanted)
        if (!found.contains(bundle))
            return Error(ErrorCode::missing, folder.path() + ": bundle " + bundle.hex() +
                                                 " is not in this store; 'fardel store ls' lists what is");
    if (!dependents.empty())
        return Error(ErrorCode::conflict, "other bundles need what is to be removed:" + ids_of(dependents));
    RetentionFolder disk(folder);
    // The facts above were read without the lock. That is right for a wish: collections look again before they remove.
    FARDEL_TRY_ASSIGN(const auto lock, disk.lock());
    FARDEL_TRY_ASSIGN(CondemnedList list, disk.read_condemned());
    for (const BundleId& bundle : wanted)
        list.add({.kind = CondemnedKind::bundle,
                  .id = id_from<Hash>(bundle),
                  .reason = RemovalReason::by_hand,
                  .since = now});
    return disk.replace_condemned(list);
}

Status condemn_released(const StoreFolder& folder, std::span<const BundleId> bundles, UnixTime now) {
    RetentionFolder disk(folder);
    FARDEL_TRY_ASSIGN(const auto lock, disk.lock());
    FARDEL_TRY_ASSIGN(CondemnedList list, disk.read_condemned());
    const CondemnedList before = list;
    for (const BundleId& bundle : bundles) {
        FARDEL_TRY_ASSIGN(const auto there, disk.find_packs_of(bundle));
        if (there && list.find(CondemnedKind::bundle, id_from<Hash>(bundle)) == nullptr)
            list.add({.kind = CondemnedKind::bundle,
                      .id = id_from<Hash>(bundle),
                      .reason = RemovalReason::released,
                      .since = now});
    }
    return list == before ? ok() : disk.replace_condemned(list);
}

Result<std::vector<RetainedBundle>> list_retained(const StoreFolder& folder, std::optional<UnixTime> now) {
    FactsOfStore facts(folder, now);
    FARDEL_TRY(facts.read(false));
    std::map<PackId, std::size_t> users;
    for (const RetentionFacts& bundle : facts.bundles)
        for (const PackOnDisk& pack : bundle.packs)
            ++users[pack.id];
    std::vector<RetainedBundle> retained;
    for (RetentionFacts& bundle : facts.bundles) {
        RetainedBundle one{.bundle = bundle.bundle,
                           .file_bytes = bundle.file_bytes,
                           .used = bundle.used,
                           .pins = {},
                           .source = std::move(bundle.source),
                           .condemned = std::nullopt};
        for (const PackOnDisk& pack : bundle.packs)
            one.own_bytes += users.at(pack.id) == 1 ? pack.size_bytes : 0;
        for (const BundlePin& pin : facts.pins)
            if (pin.bundle == bundle.bundle && !has_passed(pin.until, now))
                one.pins.push_back(pin.name);
        if (const auto* const mark = facts.condemned.find(CondemnedKind::bundle, id_from<Hash>(bundle.bundle)))
            one.condemned = mark->since;
        retained.push_back(std::move(one));
    }
    return retained;
}

Result<StoreUsage> find_usage(const StoreFolder& folder, UnixTime now) {
    FactsOfStore facts(folder, now);
    FARDEL_TRY(facts.read(false));
    RetentionFolder disk(folder);
    StoreUsage usage;
    std::set<PackId> named;
    std::map<std::string, StoreUsage::Source> sources;
    for (const RetentionFacts& bundle : facts.bundles) {
        ++usage.bundles;
        usage.file_bytes += bundle.file_bytes;
        for (const PackOnDisk& pack : bundle.packs)
            named.insert(pack.id);
        if (!bundle.source.empty()) {
            StoreUsage::Source& source = sources[bundle.source];
            source.source = bundle.source;
            ++source.bundles;
            source.file_bytes += bundle.file_bytes;
        }
        usage.condemned_bundles +=
            facts.condemned.find(CondemnedKind::bundle, id_from<Hash>(bundle.bundle)) != nullptr ? 1 : 0;
    }
    FARDEL_TRY_ASSIGN(const auto packs, folder.list_packs());
    for (const StorePack& pack : packs) {
        ++usage.packs;
        usage.pack_bytes += pack.size_bytes;
        usage.unnamed_packs += named.contains(pack.id) ? 0 : 1;
        usage.unnamed_bytes += named.contains(pack.id) ? 0 : pack.size_bytes;
    }
    FARDEL_TRY_ASSIGN(const auto referred, list_referred_packs(folder));
    for (const ReferredPack& pack : referred) {
        ++usage.references;
        usage.referred_bytes += pack.pack.size_bytes;
        usage.stale_references += pack.is_stale ? 1 : 0;
    }
    usage.pins = static_cast<std::uint64_t>(
        std::ranges::count_if(facts.pins, [&](const BundlePin& pin) { return !has_passed(pin.until, now); }));
    for (auto& [text, source] : sources)
        usage.sources.push_back(std::move(source));
    return usage;
}

}  // namespace fardel
