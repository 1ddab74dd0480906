// Retention of a real store: pins, rules, collections, and what happens beside them.
#include "kit/bundles.h"
#include "kit/disks.h"
#include "kit/failing_call.h"
#include "kit/files.h"

#include "retention/retention_plan.h"

#include <fardel/base/clock.h>
#include <fardel/base/system_error.h>
#include <fardel/format/head.h>
#include <fardel/format/statement.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/incoming_bundle.h>
#include <fardel/store/retention.h>

namespace fardel::tests::retention_test {

constexpr std::int64_t kDay = 24 * 3600;

UnixTime today() { return system_now(); }

// A bundle with 100 kB that all of them share and 20 kB of its own.
Bytes numbered_bundle(int number, std::vector<BundleId> needs = {}) {
    return BundleMaker()
        .add_data("shared.bin", noise_text(100'000, 1))
        .add_data("own.bin", noise_text(20'000, static_cast<std::uint32_t>(100 + number)))
        .needs(needs)
        .write_quickly();
}

BundleStore new_store(const std::string& path) { return value_of(BundleStore::open(path, true)); }

BundleId add_to(const BundleStore& store, const Bytes& bytes) {
    return value_of(store.add(make_memory_source(bytes))).bundle;
}

bool has(const BundleStore& store, const BundleId& bundle) {
    const auto bundles = value_of(store.list());
    return std::ranges::find(bundles, bundle, &StoredBundle::bundle) != bundles.end();
}

std::size_t packs_of_store(const BundleStore& store) { return value_of(store.check(true)).packs; }

// Collects so many days from now.
CollectionReport collect_in(const BundleStore& store, std::int64_t days, RetentionRules rules = {}) {
    rules.now = today() + days * kDay;
    return value_of(store.collect(rules));
}

struct NewStore {
    const ScratchFolder scratch;
    const BundleStore store = new_store(scratch.path("store"));
};

TEST_CASE_FIXTURE(
    NewStore, "retention: a removed bundle is condemned, goes a day later with its own packs, and shared ones stay") {
    const BundleId first = add_to(store, numbered_bundle(1));
    const Bytes second_bytes = numbered_bundle(2);
    const BundleId second = add_to(store, second_bytes);
    CHECK(store.remove_bundles(std::vector{second}, today()));
    CollectionReport report = collect_in(store, 0);
    REQUIRE(report.bundles.size() == 1);
    CHECK_FALSE(report.bundles[0].removed);
    CHECK(has(store, second));
    report = collect_in(store, 2);
    REQUIRE(report.bundles.size() == 1);
    CHECK(report.bundles[0].removed);
    CHECK(report.removed_packs == 1);
    CHECK_FALSE(has(store, second));
    CHECK(packs_of_store(store) == 1);
    CHECK(has(store, first));
    CHECK(value_of(store.check(true)).findings.empty());
    CHECK(add_to(store, second_bytes) == second);
    CHECK(value_of(store.check(true)).findings.empty());
}

TEST_CASE_FIXTURE(NewStore, "retention: opening or adding a condemned bundle takes it back") {
    const Bytes bytes = numbered_bundle(1);
    const BundleId bundle = add_to(store, bytes);
    for (const bool opens : {true, false}) {
        CHECK(store.remove_bundles(std::vector{bundle}, today()));
        collect_in(store, 0);
        if (opens)
            value_of(store.open_bundle(bundle));
        else
            add_to(store, bytes);
        collect_in(store, 2);
        CHECK(has(store, bundle));
        CHECK_FALSE(value_of(store.retained(today()))[0].condemned);
    }
}

TEST_CASE_FIXTURE(NewStore, "retention: pinned bundles stay, and so does what a kept bundle needs") {
    const BundleId base = add_to(store, numbered_bundle(1));
    const BundleId game = add_to(store, numbered_bundle(2, {base}));
    const BundleId other = add_to(store, numbered_bundle(3));
    CHECK(store.pin({.bundle = game, .name = "mine", .until = today() + 100 * kDay}));
    CHECK(code_of(store.pin({.bundle = game, .name = "not/a name", .until = std::nullopt})) == ErrorCode::malformed);
    CHECK(code_of(store.remove_bundles(std::vector{game}, today())) == ErrorCode::denied);
    CHECK(code_of(store.remove_bundles(std::vector{base}, today())) == ErrorCode::conflict);
    const RetentionRules unused{.unused_for_s = kDay};
    collect_in(store, 10, unused);
    collect_in(store, 12, unused);
    CHECK(has(store, base));
    CHECK(has(store, game));
    CHECK_FALSE(has(store, other));
    // The pin ends: bundles go, dependents first.
    collect_in(store, 101, unused);
    const CollectionReport report = collect_in(store, 103, unused);
    REQUIRE(report.bundles.size() == 2);
    CHECK(report.bundles[0].reason == RemovalReason::unused);
    CHECK(value_of(store.list()).empty());
    CHECK(packs_of_store(store) == 0);
    CHECK(value_of(store.pins()).empty());
}

TEST_CASE_FIXTURE(NewStore, "retention: what is open, leased or being added is not removed") {
    const BundleId open = add_to(store, numbered_bundle(1));
    const BundleId held = add_to(store, numbered_bundle(2));
    const RetentionRules unused{.grace_s = 0, .unused_for_s = 0};
    {
        const auto source = value_of(store.open_bundle(open));
        StoreHold hold = value_of(StoreHold::open(store));
        CHECK(hold.hold(held));
        const CollectionReport report = collect_in(store, 10, unused);
        CHECK(report.notes.size() == 1);
        CHECK(report.removed_packs == 0);
        CHECK(has(store, open));
        CHECK(has(store, held));
    }
    collect_in(store, 10, unused);
    CHECK(value_of(store.list()).empty());
}

TEST_CASE_FIXTURE(
    NewStore,
    "retention: what requires a licence goes when its last token has ended, and stays while it is open") {  // A76
    BundlePlan plan;
    add(plan, "own.bin", noise_text(20'000, 7), "application/octet-stream");
    plan.metadata.push_back({.key = "license-token", .value = true});
    const Bytes bytes = written(plan);
    const BundleId licensed = add_to(store, bytes);
    const BundleId free = add_to(store, numbered_bundle(1));
    const auto license_until = [&](UnixTime end) {
        LicenseToken token;
        token.bundle = licensed;
        token.created = {1};
        token.expires = end;
        const auto signer = make_key_signer(SecretKey::generate());
        CHECK(store.add_license(value_of(sign_license_token(token, *signer))));
    };
    CHECK(store.pin({.bundle = licensed, .name = "mine", .until = std::nullopt}));
    license_until(today() + 10 * kDay);
    license_until(today() + 20 * kDay);
    collect_in(store, 15);
    collect_in(store, 17);
    CHECK(has(store, licensed));
    {
        const auto open = value_of(store.open_bundle(licensed));
        collect_in(store, 21);
        collect_in(store, 23);
        CHECK(has(store, licensed));
    }
    value_of(store.open_bundle(licensed));  // does not take it back
    const CollectionReport report = collect_in(store, 23);
    REQUIRE(report.bundles.size() == 1);
    CHECK(report.bundles[0].reason == RemovalReason::unlicensed);
    CHECK(report.bundles[0].removed);
    CHECK_FALSE(has(store, licensed));
    CHECK(has(store, free));
    collect_in(store, 23);
    CHECK(value_of(store.licenses()).empty());

    // Renewed while it is condemned: it stays.
    CHECK(add_to(store, bytes) == licensed);
    license_until(today() + 30 * kDay);
    collect_in(store, 31);
    license_until(today() + 60 * kDay);
    CHECK(collect_in(store, 33).bundles.empty());
    CHECK(has(store, licensed));
}

TEST_CASE_FIXTURE(
    NewStore,
    "retention: a token that has ended stays while a bundle cannot be opened, which it may be about") {  // A76
    BundlePlan plan;
    add(plan, "own.bin", noise_text(20'000, 7), "application/octet-stream");
    plan.metadata.push_back({.key = "license-token", .value = true});
    const BundleId licensed = add_to(store, written(plan));
    LicenseToken token;
    token.bundle = licensed;
    token.created = {1};
    token.expires = today() + 10 * kDay;
    const auto signer = make_key_signer(SecretKey::generate());
    CHECK(store.add_license(value_of(sign_license_token(token, *signer))));
    const std::filesystem::path pack = std::filesystem::directory_iterator(scratch.path("store/packs"))->path();
    const std::string right = read_file(pack);
    std::filesystem::permissions(pack, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
    write_file(pack, std::string(right.size(), 'x'));
    collect_in(store, 12);
    collect_in(store, 14);
    CHECK(has(store, licensed));
    CHECK(value_of(store.licenses()).size() == 1);
    // Mended, it goes.
    write_file(pack, right);
    collect_in(store, 16);
    collect_in(store, 18);
    CHECK_FALSE(has(store, licensed));
    collect_in(store, 18);
    CHECK(value_of(store.licenses()).empty());
}

TEST_CASE_FIXTURE(NewStore, "retention: a bundle whose date has passed goes, unless it is pinned or open") {
    const auto bundle_until = [&](std::uint64_t seed, UnixTime end) {
        BundlePlan plan;
        add(plan, "own.bin", noise_text(20'000, seed), "application/octet-stream");
        plan.metadata.push_back({.key = "expires", .value = static_cast<std::int64_t>(end.seconds)});
        return add_to(store, written(plan));
    };
    const BundleId passed = bundle_until(1, today() - kDay);
    const BundleId soon = bundle_until(2, today() + 10 * kDay);
    const BundleId pinned = bundle_until(3, today() - kDay);
    const BundleId endless = add_to(store, numbered_bundle(1));
    CHECK(store.pin({.bundle = pinned, .name = "mine", .until = today() + 30 * kDay}));
    {
        const auto open = value_of(store.open_bundle(passed));
        collect_in(store, 1);
        collect_in(store, 3);
        CHECK(has(store, passed));
    }
    value_of(store.open_bundle(passed));  // takes it back, so the day begins again
    collect_in(store, 3);
    CHECK(has(store, passed));
    CollectionReport report = collect_in(store, 5);
    REQUIRE(report.bundles.size() == 1);
    CHECK(report.bundles[0].bundle == passed);
    CHECK(report.bundles[0].reason == RemovalReason::expired);
    CHECK(report.bundles[0].removed);
    CHECK_FALSE(has(store, passed));

    collect_in(store, 9);
    CHECK(has(store, soon));
    report = collect_in(store, 11);
    REQUIRE(report.bundles.size() == 1);
    CHECK(report.bundles[0].bundle == soon);
    CHECK_FALSE(report.bundles[0].removed);
    collect_in(store, 13);
    CHECK_FALSE(has(store, soon));

    // The pin ends later than the date.
    CHECK(has(store, pinned));
    collect_in(store, 31);
    report = collect_in(store, 33);
    REQUIRE(report.bundles.size() == 1);
    CHECK(report.bundles[0].reason == RemovalReason::expired);
    CHECK_FALSE(has(store, pinned));
    CHECK(has(store, endless));
    CHECK(value_of(store.check(true)).findings.empty());
}

TEST_CASE_FIXTURE(NewStore, "retention: packs that no record names go a day after they were found") {
    const Bytes bytes = numbered_bundle(1);
    const BundleId bundle = add_to(store, bytes);
    std::filesystem::remove(scratch.path("store/bundles/" + bundle.hex()));
    CHECK(collect_in(store, 0).condemned_packs == 1);
    CHECK(collect_in(store, 0).removed_packs == 0);
    CHECK(collect_in(store, 2).removed_packs == 1);
    CHECK(packs_of_store(store) == 0);
}

TEST_CASE_FIXTURE(NewStore, "retention: a dry run reports the same and changes nothing") {
    const BundleId bundle = add_to(store, numbered_bundle(1));
    RetentionRules rules{.grace_s = 0, .unused_for_s = kDay, .dry_run = true};
    const CollectionReport dry = collect_in(store, 10, rules);
    CHECK(has(store, bundle));
    CHECK_FALSE(value_of(store.retained(today()))[0].condemned);
    rules.dry_run = false;
    const CollectionReport real = collect_in(store, 10, rules);
    CHECK(dry.removed_bytes == real.removed_bytes);
    CHECK(dry.removed_packs == real.removed_packs);
    CHECK(dry.bundles.size() == real.bundles.size());
}

TEST_CASE_FIXTURE(NewStore,
                  "retention: damaged notes lose nothing: a damaged list condemns nothing, a damaged pin has no end") {
    const BundleId pinned = add_to(store, numbered_bundle(1));
    const BundleId removed = add_to(store, numbered_bundle(2));
    CHECK(store.pin({.bundle = pinned, .name = "mine", .until = today() + kDay}));
    CHECK(store.remove_bundles(std::vector{removed}, today()));
    scratch.write("store/retention/condemned", "damaged");
    scratch.write("store/retention/pins/" + pinned.hex() + "-mine", std::string(1000, 'x'));
    const RetentionRules unused{.unused_for_s = kDay};
    collect_in(store, 10, unused);
    CHECK(has(store, removed));
    collect_in(store, 12, unused);
    CHECK(has(store, pinned));
    CHECK_FALSE(has(store, removed));
}

TEST_CASE_FIXTURE(NewStore, "retention: while a record cannot be read, no pack is removed") {
    const BundleId bundle = add_to(store, numbered_bundle(1));
    scratch.write("store/bundles/" + bundle.hex(), "damaged");
    CHECK(collect_in(store, 0).notes.size() == 1);
    CHECK(collect_in(store, 2).removed_packs == 0);
    CHECK(store.remove_bundles(std::vector{bundle}, today()));
    collect_in(store, 0);
    collect_in(store, 2);
    CHECK(collect_in(store, 4).condemned_packs == 1);
    collect_in(store, 6);
    CHECK(packs_of_store(store) == 0);
}

TEST_CASE_FIXTURE(NewStore, "retention: what a fetch received goes when nobody resumed it for a week") {
    scratch.write("store/incoming/" + std::string(64, 'a') + ".pack", "received");
    CHECK(collect_in(store, 6).removed_incoming == 0);
    const CollectionReport report = collect_in(store, 8);
    CHECK(report.removed_incoming == 1);
    CHECK(report.removed_incoming_bytes == 8);
    CHECK(value_of(store.check(false)).incoming == 0);
}

TEST_CASE("retention plan: the size of the store removes the least recently used, dependents first") {
    const auto id = [](int number) {
        BundleId bundle;
        bundle.bytes[0] = static_cast<std::uint8_t>(number);
        return bundle;
    };
    const auto facts = [&](int number, UnixTime used, std::vector<BundleId> needs = {}) {
        return RetentionFacts{.bundle = id(number),
                              .needs = std::move(needs),
                              .packs = {{.id = id_from<Hash>(id(number)), .size_bytes = 100}},
                              .file_bytes = 100,
                              .used = used,
                              .source = number < 3 ? "server" : ""};
    };
    // 1 was used long ago, but 4 needs it and was used lately.
    std::vector<RetentionFacts> bundles{facts(1, {10}), facts(2, {20}), facts(3, {30}), facts(4, {40}, {id(1)})};
    RetentionRules rules{.now = {100}, .bytes_max = 250};
    auto plan = plan_retention(bundles, rules);
    REQUIRE(plan.size() == 2);
    CHECK(plan[0].bundle == id(2));
    CHECK(plan[1].bundle == id(3));
    rules = {.now = {100}, .bytes_max = 0};
    plan = plan_retention(bundles, rules);
    REQUIRE(plan.size() == 4);
    CHECK(plan[2].bundle == id(4));
    CHECK(plan[3].bundle == id(1));
    rules = {.now = {100}, .source_bytes_max = 100};
    plan = plan_retention(bundles, rules);
    REQUIRE(plan.size() == 1);
    CHECK(plan[0].bundle == id(2));
    CHECK(plan[0].reason == RemovalReason::source_quota);
    rules.source = "another server";
    CHECK(plan_retention(bundles, rules).empty());
    // Of one server, what nobody used since; 4 is not of that server, and 1 is needed by it.
    rules = {.now = {100}, .unused_for_s = 0, .source = "server"};
    plan = plan_retention(bundles, rules);
    REQUIRE(plan.size() == 1);
    CHECK(plan[0].bundle == id(2));
    CHECK(plan[0].reason == RemovalReason::unused);
    rules = {.now = {100}, .source_bytes_max = 100};
    bundles[1].is_pinned = true;
    CHECK(plan_retention(bundles, rules).empty());
}

#if defined(FARDEL_CAN_FAIL_CALLS)

// A store with a bundle that goes, one that stays, a needless pack, and what a killed writer left.
BundleStore store_to_collect(const std::string& path, const Bytes& stays, const Bytes& goes) {
    std::filesystem::remove_all(path);
    BundleStore store = new_store(path);
    value_of(store.add(make_memory_source(stays)));
    const BundleId gone = value_of(store.add(make_memory_source(goes))).bundle;
    REQUIRE(store.remove_bundles(std::vector{gone}, today() - 2 * kDay));
    value_of(store.collect({.now = today() - 2 * kDay}));
    return store;
}

int collect_status(const std::string& path) {
    const auto store = BundleStore::open(path, false);
    return store ? exit_code_of(store->collect({.now = today()})) : exit_code_of(store);
}

void verify_collected(const BundleStore& store, const Bytes& stays) {
    CHECK(value_of(store.check(true)).findings.empty());
    collect_in(store, 3);
    collect_in(store, 6);
    const StoreCheckReport report = value_of(store.check(true));
    CHECK(report.findings.empty());
    CHECK(report.bundles == 1);
    CHECK(report.packs == 1);
    CHECK(has(store, bundle_id_of(stays)));
    CHECK(std::filesystem::is_empty(store.path() + "/retention/leases"));
}

TEST_CASE("retention: a collection that is killed at any step leaves a store that works") {  // A100
    const Bytes stays = numbered_bundle(1);
    const Bytes goes = numbered_bundle(2);
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const std::string path = disk.path("store");
    std::optional<BundleStore> store;
    const int runs = kill_at_each_call(
        500, [&] { store = store_to_collect(path, stays, goes); }, [&] { return collect_status(path); },
        [&](int, bool) { verify_collected(*store, stays); });
    CHECK(runs > 10);
}

TEST_CASE("retention: whichever call on files of a collection fails, nothing is lost and the next one succeeds") {
    const Bytes stays = numbered_bundle(1);
    const Bytes goes = numbered_bundle(2);
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const std::string path = disk.path("store");
    std::optional<BundleStore> store;
    const auto verify = [&](const FailedCall& outcome) {
        // A file that is not closed stays locked.
        CHECK((outcome.is_end() || (outcome.call == SYS_close && outcome.is_end({ErrorCode::busy}))));
        verify_collected(*store, stays);
    };
    const int runs = fail_each_call(
        500, {ENOSPC, EIO, EROFS}, [&] { store = store_to_collect(path, stays, goes); },
        [&] { return collect_status(path); }, verify);
    CHECK(runs > 30);
}

#endif

}  // namespace fardel::tests::retention_test
