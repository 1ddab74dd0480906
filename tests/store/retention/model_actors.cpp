#include "model_actors.h"

#include "retention/collection.h"
#include "retention/retention_plan.h"
#include "retention/store_lease.h"

#include <memory>
#include <vector>

namespace fardel::tests {
namespace {

// StoreLease shares its disk, which outlives it here.
std::shared_ptr<RetentionDisk> shared(ModelDisk& disk) { return {std::shared_ptr<void>(), &disk}; }

std::vector<Hash> pack_ids(std::uint16_t packs) {
    std::vector<Hash> ids;
    for (int pack = 1; pack < kPacks; ++pack)
        if ((packs & bit_of(pack)) != 0)
            ids.push_back(model_pack(pack));
    return ids;
}

// Removes each bundle that was not used lately. After a power failure it may have to wait for leases that are torn.
void run_collector(ModelDisk& disk, Broken broken) {
    const std::uint64_t facts = disk.step([&] {
        std::uint64_t bits = disk.state().now;
        for (int bundle = 1; bundle < kBundles; ++bundle)
            bits = bits << 3 | (disk.state().has_record(bundle) ? 4u : 0u) |
                   disk.state().used[static_cast<std::size_t>(bundle)];
        return bits;
    });
    RetentionRules rules{.now = model_time(facts >> 9), .grace_s = 500, .lease_s = 500, .unused_for_s = 400};
    std::vector<RetentionFacts> bundles;
    for (int bundle = 1; bundle < kBundles; ++bundle) {
        const std::uint64_t bits = facts >> 3 * (kBundles - 1 - bundle) & 7;
        if ((bits & 4) != 0)
            bundles.push_back({.bundle = model_bundle(bundle),
                               .needs = needs_in_model(model_bundle(bundle)),
                               .packs = {},
                               .used = model_time(bits & 3),
                               .source = {}});
    }
    if (broken == Broken::phases)
        rules.grace_s = 0;
    const auto report = collect(
        disk, plan_retention(bundles, rules),
        [](const BundleId& id) { return Result<std::vector<BundleId>>(needs_in_model(id)); }, rules,
        [&] { return model_time(disk.step([&] { return disk.state().now; }, false)); });
    fail_if(!report, "a collection failed");
}

// Adds a bundle as add_bundle() does: it shares a pack if that is there, and needs kBase.
void run_writer(ModelDisk& disk) {
    auto lease = StoreLease::open(shared(disk));
    fail_if(!lease, "no lease");
    fail_if(!lease->hold({.bundles = {model_bundle(kAdded), model_bundle(kBase)}, .packs = {}}),
            "a bundle is not held");
    if (disk.packs_of(kBase) == 0)
        return;  // it would be fetched first
    fail_if(!lease->hold({.bundles = {}, .packs = {model_pack(kSharedPack)}}), "a pack is not held");
    std::uint16_t packs = bit_of(kAddedPack);
    if (*disk.has_pack(model_pack(kSharedPack)))
        packs |= bit_of(kSharedPack);
    fail_if(!lease->hold({.bundles = {}, .packs = {model_pack(kAddedPack)}}), "a new pack is not held");
    disk.add_pack(kAddedPack);
    const Status published = lease->publish(model_bundle(kAdded), pack_ids(packs), [&] {
        disk.step(
            [&] {
                disk.state().used[kAdded] = disk.state().now;
                return 0;
            },
            false);
        return disk.write_record(kAdded, packs);
    });
    fail_if(!published, "what the lease held was removed");
}

// Adds a pack to a bundle that is there, as signatures do.
void run_signer(ModelDisk& disk) {
    auto lease = StoreLease::open(shared(disk));
    fail_if(!lease, "no lease");
    fail_if(!lease->hold({.bundles = {model_bundle(kRead)}, .packs = {}}), "a bundle is not held");
    std::uint16_t packs = disk.packs_of(kRead);
    if (packs == 0)
        return;
    packs |= bit_of(kSignedPack);
    fail_if(!lease->hold({.bundles = {}, .packs = {model_pack(kSignedPack)}}), "a new pack is not held");
    disk.add_pack(kSignedPack);
    const Status published = lease->publish(model_bundle(kRead), pack_ids(packs), [&] {
        Status written = disk.write_record(kRead, packs);
        disk.step(
            [&] {
                disk.state().was_signed = 1;
                return 0;
            },
            false);
        return written;
    });
    fail_if(!published, "what the lease held was removed");
}

// Writes what kRead has in pack 2 to another one, as repack() does.
void run_repacker(ModelDisk& disk, Broken broken) {
    const std::uint16_t before = disk.packs_of(kRead);
    if (before == 0)
        return;
    auto lease = StoreLease::open(shared(disk));
    fail_if(!lease, "no lease");
    fail_if(!lease->hold({.bundles = {}, .packs = {model_pack(kMovedPack)}}), "a new pack is not held");
    disk.add_pack(kMovedPack);
    const BundleId moved = model_bundle(kRead);
    const auto after = static_cast<std::uint16_t>((before & ~unsigned{bit_of(2)}) | bit_of(kMovedPack));
    const auto replaced = lease->replace(
        std::span(&moved, 1), model_pack(kMovedPack),
        [&](const BundleId&) -> Result<bool> { return disk.packs_of(kRead) == before || broken == Broken::comparison; },
        [&](const BundleId&) { return disk.write_record(kRead, after); });
    fail_if(!replaced, "a record was not replaced");
}

// Opens kRead and what it needs, reads, closes both, and opens kRead again.
void run_reader(ModelDisk& disk) {
    std::uint64_t opened = 0;  // when
    {
        std::vector<std::unique_ptr<DiskHold>> uses;
        std::uint16_t packs = 0;
        for (const int bundle : {kRead, kBase}) {
            uses.push_back(use_bundle(disk, model_bundle(bundle)));
            const std::uint16_t named = disk.packs_of(bundle);
            fail_if(named == 0 && bundle == kBase, "an open bundle lost its dependency");
            if (named == 0)
                return;  // it is not in the store
            for (const Hash& pack : pack_ids(named))
                fail_if(!*disk.has_pack(pack), "a bundle lost a pack while it was opened");
            packs |= named;
        }
        opened = disk.step([&] {
            fail_if((packs & ~unsigned{ModelState::kThere} & ~unsigned{disk.state().packs}) != 0,
                    "an open bundle lost a pack");
            return disk.state().now;
        });
    }
    const auto use = use_bundle(disk, model_bundle(kRead));
    const bool is_gone =
        disk.step([&] { return !disk.state().has_record(kRead) && disk.state().now == opened ? 1u : 0u; }) != 0;
    fail_if(is_gone, "a bundle that was just used is gone");
}

}  // namespace

void run_actor(ModelDisk& disk, int number, Broken broken) {
    if (number < kCollectors)
        run_collector(disk, broken);
    else if (number == kWriter)
        run_writer(disk);
    else if (number == kReader)
        run_reader(disk);
    else if (number == kSigner)
        run_signer(disk);
    else
        run_repacker(disk, broken);
}

}  // namespace fardel::tests
