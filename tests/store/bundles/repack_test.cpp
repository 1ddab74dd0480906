// Repacking: what bundles need of a pack is written to a new one, and the rest goes.
#include "kit/bundles.h"
#include "kit/disks.h"
#include "kit/failing_call.h"
#include "kit/files.h"
#include "kit/ids.h"
#include "kit/power_loss.h"

#include "packs/store_record.h"
#include "retention/repack_plan.h"

#include <fardel/base/clock.h>
#include <fardel/base/system_error.h>
#include <fardel/format/hash.h>
#include <fardel/store/bundle_reference.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/retention.h>

namespace fardel::tests::repack_test {

constexpr std::int64_t kDayOfRepack = 24 * 3600;

// ---- The plan -------------------------------------------------------------------------------------------------------

Hash pack_number(int number) { return filled_id<Hash>(static_cast<std::uint8_t>(number)); }
BundleId bundle_number(int number) { return filled_id<BundleId>(static_cast<std::uint8_t>(number)); }

TEST_CASE("repack plan: packs of which less than the limit is needed go, joined with those that bundles share") {
    const std::vector<RepackPack> packs{{pack_number(1), 1000, 499},
                                        {pack_number(2), 1000, 500},
                                        {pack_number(3), 1000, 100},
                                        {pack_number(4), 1000, 1},
                                        {pack_number(5), 1000, 0}};
    std::vector<RepackBundle> bundles{{bundle_number(1), {pack_number(1), pack_number(2)}, UnixTime{7}},
                                      {bundle_number(2), {pack_number(2)}, UnixTime{9}},
                                      {bundle_number(3), {pack_number(1), pack_number(3)}, UnixTime{8}},
                                      {bundle_number(4), {pack_number(4)}, UnixTime{1}}};
    const auto groups = plan_repack(packs, bundles, 50);
    REQUIRE(groups.size() == 2);
    CHECK(groups[0].packs == std::vector{pack_number(1), pack_number(3)});
    CHECK(groups[0].bundles == std::vector{bundle_number(3), bundle_number(1)});
    CHECK(groups[0].pack_bytes == 2000);
    CHECK(groups[0].named_bytes == 599);
    CHECK(groups[1].packs == std::vector{pack_number(4)});
    CHECK(groups[1].bundles == std::vector{bundle_number(4)});
    CHECK(plan_repack(packs, bundles, 0).empty());
    CHECK(plan_repack(packs, bundles, 10).size() == 1);
    bundles[3].is_leaving = true;
    CHECK(plan_repack(packs, bundles, 50).size() == 1);
    std::ranges::reverse(bundles);
    CHECK(plan_repack(packs, bundles, 50)[0].packs == groups[0].packs);
}

TEST_CASE("repack plan: the smallest packs of a bundle with many are joined, until it has few") {
    for (const std::size_t count : {kManyPacks, kManyPacks + 1, kStorePacksMax}) {
        std::vector<RepackPack> packs;
        RepackBundle bundle{bundle_number(1), {}, UnixTime{0}};
        for (std::size_t i = 0; i < count; ++i) {
            packs.push_back({pack_number(static_cast<int>(i)), 1000 + i, 1000 + i});
            bundle.packs.push_back(packs.back().id);
        }
        const auto groups = plan_repack(packs, std::vector{bundle}, 50);
        CHECK(groups.size() == (count > kManyPacks ? 1 : 0));
        if (!groups.empty()) {
            CHECK(count - groups[0].packs.size() + 1 == kFewPacks);
            CHECK(groups[0].packs.front() == pack_number(0));
        }
    }
}

// ---- A store --------------------------------------------------------------------------------------------------------

// Assets of one block each, which bundles share if they have the same numbers.
Bytes bundle_of(const std::vector<std::uint32_t>& assets, std::string_view version = {}) {
    BundlePlan plan;
    for (std::size_t i = 0; i < assets.size(); ++i)  // two of them do not fit into a block
        add(plan, std::to_string(100 + i) + ".bin", noise_text(40'000, assets[i]), "application/octet-stream");
    add(plan, "version.txt", version);
    return written(plan);
}

struct RepackSite {
    Bytes gone = bundle_of({1, 2, 3, 4, 5, 6, 7, 8});
    Bytes kept = bundle_of({7, 2, 9}, "kept");  // in another order than in the pack that they share
    BundleStore store;

    explicit RepackSite(const std::string& path) : store(value_of(BundleStore::open(path, true))) {
        add(gone);
        add(kept);
    }
    BundleId add(const Bytes& bytes) const { return value_of(store.add(make_memory_source(bytes))).bundle; }
    void remove(const Bytes& bytes) const {
        CHECK(store.remove_bundles(std::vector{bundle_id_of(bytes)}, system_now()));
    }
    CollectionReport collect(std::int64_t days, RetentionRules rules = {.grace_s = 0}) const {
        rules.now = system_now() + days * kDayOfRepack;
        return value_of(store.collect(rules));
    }
    bool gives(const Bytes& bytes) const {
        const auto source = store.peek_bundle(bundle_id_of(bytes));
        Bytes read(bytes.size());
        return source && (*source)->size_bytes() == bytes.size() && (*source)->read_at(0, read) && read == bytes;
    }
    StoreRecord record_of(const Bytes& bytes) const {
        const std::string text = read_file(store.path() + "/bundles/" + bundle_id_of(bytes).hex());
        return value_of(decode_store_record(std::as_bytes(std::span(text))));
    }
    StoreCheckReport check() const { return value_of(store.check(true)); }
};

TEST_CASE("repack: what a bundle needs of a pack is written again in its order, and the rest goes") {
    const ScratchFolder scratch;
    const RepackSite site(scratch.path("store"));
    REQUIRE(site.record_of(site.kept).packs.size() == 2);
    const UnixTime used = value_of(site.store.retained(std::nullopt))[0].used;
    const std::uint64_t before = site.check().pack_bytes;
    site.remove(site.gone);
    RetentionRules rules{.grace_s = 0, .dry_run = true};
    const CollectionReport planned = site.collect(0, rules);
    CHECK(planned.repacked_packs == 1);
    CHECK(site.check().pack_bytes == before);
    rules = {.grace_s = 0, .repack_percent = 10};
    CHECK(site.collect(0, rules).repacked_packs == 0);
    CHECK(site.gives(site.kept));

    const CollectionReport report = site.collect(0);
    CHECK(report.repacked_packs == 1);
    CHECK(report.repack_written_bytes < report.repacked_bytes / 3);
    CHECK(report.removed_packs == 1);
    CHECK(report.pack_bytes == site.check().pack_bytes);
    CHECK(report.pack_bytes < before / 2);
    CHECK(report.notes == std::vector<std::string>{});
    CHECK(site.check().findings == std::vector<std::string>{});
    CHECK(site.gives(site.kept));
    const StoreRecord record = site.record_of(site.kept);
    CHECK(record.packs.size() == 2);
    std::uint64_t end = 0;  // of the latest extent in each pack
    for (std::size_t pack = 0; pack < record.packs.size(); ++pack, end = 0)
        for (const StoreExtent& extent : record.extents)
            if (extent.pack == pack) {
                CHECK(extent.pack_offset == end);
                end = extent.pack_offset + extent.length_bytes;
            }
    CHECK(value_of(site.store.retained(std::nullopt))[0].used == used);
    CHECK(site.collect(0).repacked_packs == 0);
    site.add(site.gone);
    CHECK(site.gives(site.gone));
    CHECK(site.check().findings == std::vector<std::string>{});
}

TEST_CASE("repack: the old pack stays as long as its grace, and its bytes count until then") {
    const ScratchFolder scratch;
    const RepackSite site(scratch.path("store"));
    site.remove(site.gone);
    site.collect(0, {});
    const CollectionReport report = site.collect(2, {});
    CHECK(report.bundles.size() == 1);
    CHECK(report.repacked_packs == 1);
    CHECK(report.condemned_packs == 1);
    CHECK(site.check().packs == 3);
    CHECK(site.collect(4, {}).removed_packs == 1);
    CHECK(site.check().packs == 2);
    CHECK(site.gives(site.kept));
}

TEST_CASE("repack: what is open or held is left as it is, and goes the next time") {
    const ScratchFolder scratch;
    const RepackSite site(scratch.path("store"));
    site.remove(site.gone);
    site.collect(0, {.grace_s = 0, .repack_percent = 0});
    for (const bool opens : {true, false}) {
        CAPTURE(opens);
        const auto before = site.record_of(site.kept);
        std::shared_ptr<const ByteSource> open;
        StoreHold hold = value_of(StoreHold::open(site.store));
        if (opens)
            open = value_of(site.store.open_bundle(bundle_id_of(site.kept)));
        else
            CHECK(hold.hold(bundle_id_of(site.kept)));
        const CollectionReport report = site.collect(0);
        CHECK(report.repacked_packs == 0);
        REQUIRE(report.notes.size() == 1);
        CHECK(report.notes[0].find("open") != std::string::npos);
        CHECK(site.record_of(site.kept) == before);
    }
    CHECK(site.collect(0).repacked_packs == 1);
    CHECK(site.gives(site.kept));
}

TEST_CASE("repack: several bundles keep sharing what they shared") {
    const ScratchFolder scratch;
    const RepackSite site(scratch.path("store"));
    const Bytes third = bundle_of({2, 3, 9}, "third");
    site.add(third);
    site.remove(site.gone);
    const CollectionReport report = site.collect(0);
    CHECK(report.repacked_packs == 1);
    CHECK(site.gives(site.kept));
    CHECK(site.gives(third));
    CHECK(site.check().findings == std::vector<std::string>{});
    // The three shared assets once, and a pack of its own for each bundle.
    CHECK(site.check().packs == 3);
    CHECK(report.repack_written_bytes < report.repacked_bytes / 2);
}

TEST_CASE("repack: a bundle that lies in many packs is brought together") {
    const ScratchFolder scratch;
    const BundleStore store = value_of(BundleStore::open(scratch.path("store"), true));
    std::vector<std::uint32_t> all;
    std::vector<Bytes> bundles;
    for (std::uint32_t i = 0; i < kManyPacks + 2; ++i) {
        all.push_back(i);
        bundles.push_back(bundle_of({i}));
    }
    bundles.push_back(bundle_of(all));
    for (const Bytes& bytes : bundles)
        value_of(store.add(make_memory_source(bytes)));
    const auto packs_of = [&](const Bytes& bytes) {
        const auto listed = value_of(store.list());
        return std::ranges::find(listed, bundle_id_of(bytes), &StoredBundle::bundle)->packs;
    };
    CHECK(packs_of(bundles.back()) == kManyPacks + 3);
    RetentionRules rules{.now = system_now(), .grace_s = 0};
    value_of(store.collect(rules));
    CHECK(packs_of(bundles.back()) == kFewPacks);
    const auto report = value_of(store.check(true));
    CHECK(report.findings == std::vector<std::string>{});
    CHECK(report.packs == bundles.size() - (kManyPacks + 3 - kFewPacks));
    for (const Bytes& bytes : bundles) {
        Bytes read(bytes.size());
        CHECK(value_of(store.peek_bundle(bundle_id_of(bytes)))->read_at(0, read));
        CHECK(read == bytes);
    }
}

TEST_CASE("repack: a damaged pack, a full disk and files elsewhere are left as they are") {
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "1m");
    {
        const RepackSite site(disk.path("store"));
        site.remove(site.gone);
        site.collect(0, {.grace_s = 0, .repack_percent = 0});
        const std::string filling = disk.path("filling");
        if (disk.mounted()) {
            const auto free = std::filesystem::space(disk.root()).available;
            write_file(filling, std::string(free - 30'000, 'x'));
            const CollectionReport report = site.collect(0);
            CHECK(report.repacked_packs == 0);
            REQUIRE(report.notes.size() == 1);
            CHECK(report.notes[0].find("free") != std::string::npos);
            std::filesystem::remove(filling);
        }
        for (const StorePack& pack : site.record_of(site.kept).packs) {
            const std::string path = site.store.path() + "/packs/" + pack.id.hex();
            std::filesystem::permissions(path, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
            std::string bytes = read_file(path);
            bytes[bytes.size() - 5000] = static_cast<char>(bytes[bytes.size() - 5000] ^ 1);
            write_file(path, bytes);
        }
        const CollectionReport report = site.collect(0);
        CHECK(report.repacked_packs == 0);
        REQUIRE(report.notes.size() == 1);
        CHECK(report.notes[0].find("is damaged") != std::string::npos);
    }
    const std::string file = scratch.path("gone.fardel");
    const Bytes gone = bundle_of({1, 2, 3, 4, 5, 6, 7, 8});
    write_file(file, std::string(reinterpret_cast<const char*>(gone.data()), gone.size()));
    const BundleStore store = value_of(BundleStore::open(scratch.path("referring"), true));
    const BundleId referred = value_of(add_reference(store, file)).bundle;
    value_of(store.add(make_memory_source(bundle_of({1, 9}))));
    CHECK(store.remove_bundles(std::vector{referred}, {}));
    const auto report = value_of(store.collect({.now = system_now(), .grace_s = 0}));
    CHECK(report.bundles.size() == 1);
    CHECK(report.repacked_packs == 0);
    CHECK(value_of(store.check(true)).findings == std::vector<std::string>{});
}

// ---- Failures -------------------------------------------------------------------------------------------------------

#if defined(FARDEL_CAN_FAIL_CALLS)

// A store whose next collection has something to repack, and nothing else to do.
void create_sparse_store(const std::string& path) {
    const RepackSite site(path);
    site.remove(site.gone);
    site.collect(0, {.grace_s = 0, .repack_percent = 0});
}

int repack_status(const std::string& path) {
    const auto store = BundleStore::open(path, false);
    return store ? exit_code_of(store->collect({.now = system_now(), .grace_s = 0})) : exit_code_of(store);
}

// Whole now, and packed again after another collection, which removes what an earlier one left.
void verify_repacked(const std::string& path, const Bytes& kept) {
    const auto store = value_of(BundleStore::open(path, false));
    const auto gives = [&] {
        Bytes read(kept.size());
        const auto source = store.peek_bundle(bundle_id_of(kept));
        return source && (*source)->read_at(0, read) && read == kept;
    };
    CHECK(gives());
    RetentionRules rules{.now = system_now() + 2 * kDayOfRepack, .grace_s = 0};
    const auto report = value_of(store.collect(rules));
    CHECK(report.notes == std::vector<std::string>{});
    CHECK(report.packs == 2);
    CHECK(report.pack_bytes < 200'000);
    CHECK(gives());
    CHECK(value_of(store.check(true)).findings == std::vector<std::string>{});
    CHECK(std::filesystem::is_empty(path + "/retention/leases"));
}

struct FailingRepack {
    ScratchFolder scratch;
    SmallDisk disk{scratch, "64m"};
    Bytes kept = bundle_of({7, 2, 9}, "kept");
    std::string sparse = disk.path("sparse");
    std::string path = disk.path("store");

    FailingRepack() { create_sparse_store(sparse); }
    void reset() const {
        std::filesystem::remove_all(path);
        std::filesystem::copy(sparse, path, std::filesystem::copy_options::recursive);
    }
};

TEST_CASE("repack: killed at any step, it leaves a store that works, and the next collection goes on") {  // A100
    const FailingRepack site;
    const int runs = kill_at_each_call(
        500, [&] { site.reset(); }, [&] { return repack_status(site.path); },
        [&](int, bool) { verify_repacked(site.path, site.kept); });
    CHECK(runs > 20);
}

TEST_CASE("repack: whichever call on files fails, nothing is lost and the next collection succeeds") {  // A102
    const FailingRepack site;
    const int runs = fail_each_call(
        1000, {ENOSPC, EIO, EROFS}, [&] { site.reset(); }, [&] { return repack_status(site.path); },
        [&](const FailedCall& outcome) {
            CHECK((outcome.is_end() || (outcome.call == SYS_close && outcome.is_end({ErrorCode::busy}))));
            verify_repacked(site.path, site.kept);
        });
    CHECK(runs > 50);
}

TEST_CASE("repack: a power failure at any moment takes nothing from the bundle") {  // A101
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const std::string root = disk.path("root");
    std::filesystem::create_directory(root);
    create_sparse_store(root + "/store");
    const Bytes kept = bundle_of({7, 2, 9}, "kept");
    const RecordedFolder recorded(root, [&] { return repack_status(root + "/store"); });
    REQUIRE(recorded.exit_code() == 0);
    CHECK(recorded.steps() > 15);
    const std::string left = disk.path("left");
    for_each_power_loss(recorded, left, 1, [&](std::size_t) { verify_repacked(left + "/store", kept); });
}

#endif

}  // namespace fardel::tests::repack_test
