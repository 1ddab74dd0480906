// What changes a store beside additions and collections, each killed, failing and without power at every step; and
// whatever changes one, while its folder vanishes or cannot be written.
#include "kit/bundles.h"
#include "kit/disks.h"
#include "kit/failing_call.h"
#include "kit/files.h"
#include "kit/power_loss.h"

#include <fardel/base/clock.h>
#include <fardel/base/system_error.h>
#include <fardel/format/envelope.h>
#include <fardel/format/head.h>
#include <fardel/format/signer.h>
#include <fardel/format/trust_policy.h>
#include <fardel/store/bundle_reference.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/incoming_bundle.h>
#include <fardel/store/retention.h>

#include <functional>

namespace fardel::tests::store_changes_test {

constexpr std::int64_t kDayOfChanges = 24 * 3600;

UnixTime now_of_changes() { return system_now(); }

Bytes small_bundle(std::uint32_t number) {
    return BundleMaker()
        .add_data("shared.bin", noise_text(30'000, 1))
        .add_data("own.bin", noise_text(10'000, 100 + number))
        .write_quickly();
}

BundleStore opened_store(const std::string& folder) { return value_of(BundleStore::open(folder + "/store", false)); }

Result<bool> find_in_list(const BundleStore& store, const Bytes& bytes) {
    FARDEL_TRY_ASSIGN(const auto bundles, store.list());
    return std::ranges::find(bundles, bundle_id_of(bytes), &StoredBundle::bundle) != bundles.end();
}
bool is_in_list(const BundleStore& store, const Bytes& bytes) { return value_of(find_in_list(store, bytes)); }

bool has_bytes(const BundleStore& store, const Bytes& bytes) {
    const auto source = store.peek_bundle(bundle_id_of(bytes));
    Bytes read(bytes.size());
    return source && (*source)->size_bytes() == bytes.size() && (*source)->read_at(0, read) && read == bytes;
}

// A collection that removes what was condemned, whatever the clock says.
Status collect_now(const BundleStore& store) {
    const auto report = store.collect({.now = now_of_changes(), .grace_s = 0});
    return report ? ok() : Status(report.error());
}

// Receives a bundle as a fetch does.
Status receive_whole(const BundleStore& store, const Bytes& bytes) {
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(make_memory_source(bytes), {}));
    FARDEL_TRY_ASSIGN(const bool is_there, find_in_list(store, bytes));
    if (is_there)
        return ok();
    FARDEL_TRY_ASSIGN(IncomingBundle incoming, IncomingBundle::open(store, bundle->id()));
    incoming.set_source("https://example.org/tree");
    if (!incoming.file_bytes())
        FARDEL_TRY(incoming.set_file_bytes(bytes.size()));
    if (!incoming.holds(0, bytes.size()))
        FARDEL_TRY(incoming.write(0, bytes));
    return std::move(incoming).commit(bundle->layout_id());
}

enum class Made : std::uint8_t { no, yes, half };

Made made_if(bool is_made) { return is_made ? Made::yes : Made::no; }

struct StoreChange {
    std::string name;
    std::function<Status(const BundleStore&)> make;
    std::function<Made(const BundleStore&)> find;
};

// A folder with a store that has two bundles, one of which is pinned; and a bundle file elsewhere.
class ChangedStore {
public:
    ChangedStore() {
        write_file(referred_path_, referred);
        fs::create_directory(start_);
        const BundleStore store = value_of(BundleStore::open(start_ + "/store", true));
        value_of(store.add(make_memory_source(kept)));
        value_of(store.add(make_memory_source(goes)));
        CHECK(store.pin({.bundle = bundle_id_of(kept), .name = "first", .until = std::nullopt}));
    }

    // Replaces the folder by one with the store as it was.
    void restore(const std::string& folder) const {
        fs::remove_all(folder);
        fs::copy(start_, folder, fs::copy_options::recursive);
    }
    std::string path(const std::string& name) const { return disk_.path(name); }

    // Those that no other file of tests covers.
    std::vector<StoreChange> changes() const {
        const BundleId pinned = bundle_id_of(goes);
        const UnixTime until = now_of_changes() + 100 * kDayOfChanges;
        const auto pins_of = [](const BundleStore& store, std::string_view name) {
            std::vector<BundlePin> pins = value_of(store.pins());
            std::erase_if(pins, [&](const BundlePin& pin) { return pin.name != name; });
            return pins;
        };
        const Envelope token = license();
        return {
            {"pin",
             [=](const BundleStore& store) {
                 return store.pin({pinned, "second", until});
             },
             [=](const BundleStore& store) {
                 const auto pins = pins_of(store, "second");
                 return pins.empty()
                            ? Made::no
                            : (pins == std::vector{BundlePin{pinned, "second", until}} ? Made::yes : Made::half);
             }},
            {"unpin",
             [id = bundle_id_of(kept)](const BundleStore& store) {
                 const auto removed = store.unpin(id, "first");
                 return removed ? ok() : Status(removed.error());
             },
             [=](const BundleStore& store) { return made_if(pins_of(store, "first").empty()); }},
            {"license", [=](const BundleStore& store) { return store.add_license(token); },
             [=](const BundleStore& store) {
                 const auto tokens = value_of(store.licenses());
                 return tokens.empty() ? Made::no : (tokens == std::vector<Envelope>{token} ? Made::yes : Made::half);
             }},
            {"remove",
             [=](const BundleStore& store) { return store.remove_bundles(std::vector{pinned}, now_of_changes()); },
             [=](const BundleStore& store) {
                 const auto bundles = value_of(store.retained(now_of_changes()));
                 return made_if(std::ranges::find(bundles, pinned, &RetainedBundle::bundle)->condemned.has_value());
             }},
            {"refer",
             [this](const BundleStore& store) {
                 const auto added = add_reference(store, referred_path_);
                 return added ? ok() : Status(added.error());
             },
             [this](const BundleStore& store) {
                 return !is_in_list(store, referred) ? Made::no : has_bytes(store, referred) ? Made::yes : Made::half;
             }},
            {"export",
             [this](const BundleStore& store) {
                 return store.export_bundle(bundle_id_of(kept), store.path() + "-exported");
             },
             [this](const BundleStore& store) {
                 const std::string path = store.path() + "-exported";
                 return !fs::exists(path) ? Made::no : read_file(path) == text_of(kept) ? Made::yes : Made::half;
             }},
        };
    }

    std::vector<StoreChange> all_changes() const {
        std::vector<StoreChange> all = changes();
        const auto find_referred = [this](const BundleStore& store) {
            return !is_in_list(store, referred) ? Made::no : has_bytes(store, referred) ? Made::yes : Made::half;
        };
        all.push_back({"add",
                       [this](const BundleStore& store) {
                           const auto added = store.add(make_memory_source(referred));
                           return added ? ok() : Status(added.error());
                       },
                       find_referred});
        all.push_back(
            {"receive", [this](const BundleStore& store) { return receive_whole(store, referred); }, find_referred});
        // One that has something to condemn, to remove and to pack again.
        all.push_back({"collect",
                       [this](const BundleStore& store) -> Status {
                           FARDEL_TRY_ASSIGN(const bool is_there, find_in_list(store, goes));
                           if (is_there)
                               FARDEL_TRY(store.remove_bundles(std::vector{bundle_id_of(goes)}, now_of_changes()));
                           return collect_now(store);
                       },
                       [this](const BundleStore& store) {
                           return made_if(!is_in_list(store, goes) && value_of(store.check(false)).unused_packs == 0);
                       }});
        return all;
    }

    const Bytes kept = small_bundle(1);
    const Bytes goes = small_bundle(2);
    const Bytes referred = small_bundle(3);

private:
    Envelope license() const {
        LicenseToken token;
        token.bundle = bundle_id_of(kept);
        token.created = {1};
        token.expires = now_of_changes() + kDayOfChanges;
        return value_of(sign_license_token(token, *make_key_signer(SecretKey::generate())));
    }

    ScratchFolder scratch_;
    SmallDisk disk_{scratch_, "64m"};
    const std::string start_ = disk_.path("start");
    const std::string referred_path_ = disk_.path("referred.fardel");
};

TEST_CASE("store changes: a store whose folder is gone is missing, not empty") {
    const ScratchFolder scratch;
    const BundleStore store = value_of(BundleStore::open(scratch.path("store"), true));
    const BundleId bundle = value_of(store.add(make_memory_source(small_bundle(1)))).bundle;
    REQUIRE(store.pin({.bundle = bundle, .name = "first", .until = std::nullopt}));
    std::filesystem::rename(scratch.path("store"), scratch.path("away"));
    check_error(store.list(), ErrorCode::missing, "/store");
    check_error(store.has(bundle), ErrorCode::missing, "/store");
    check_error(store.find(bundle.hex()), ErrorCode::missing, "/store: No such file");
    check_error(store.open_bundle(bundle), ErrorCode::missing, "/store: No such file");
    check_error(store.open_whole_bundle(bundle), ErrorCode::missing, "/store: No such file");
    check_error(store.check(true), ErrorCode::missing, "/store");
    check_error(store.pins(), ErrorCode::missing, "/store");
    check_error(store.unpin(bundle, "first"), ErrorCode::missing, "/store");
    check_error(store.licenses(), ErrorCode::missing, "/store");
    check_error(store.remove_bundles(std::vector{bundle}, {}), ErrorCode::missing, "/store: No such file");
    check_error(store.retained({}), ErrorCode::missing, "/store");
    check_error(store.usage({}), ErrorCode::missing, "/store");
    std::filesystem::rename(scratch.path("away"), scratch.path("store"));
    CHECK(value_of(store.list()).size() == 1);
    CHECK(value_of(store.unpin(bundle, "first")));
}

#if defined(FARDEL_CAN_FAIL_CALLS)

constexpr int kRandomLosses = 2;

int make_in(const StoreChange& change, const std::string& folder) {
    const auto store = BundleStore::open(folder + "/store", false);
    return store ? exit_code_of(change.make(*store)) : exit_code_of(store);
}

// The change is made or not; what was there is whole; made again, it succeeds and leaves nothing behind.
void verify_change(const ChangedStore& site, const StoreChange& change, const std::string& folder, bool is_reported) {
    {
        const BundleStore store = opened_store(folder);
        CHECK(value_of(store.check(true)).findings == std::vector<std::string>{});
        CHECK(has_bytes(store, site.kept));
        const Made made = change.find(store);
        CHECK(made != Made::half);
        CHECK((made == Made::yes || !is_reported));
    }
    CHECK(make_in(change, folder) == 0);
    const BundleStore store = opened_store(folder);
    CHECK(change.find(store) == Made::yes);
    CHECK(has_bytes(store, site.kept));
    CHECK(value_of(store.check(true)).findings == std::vector<std::string>{});
}

TEST_CASE("store changes: killed at any step, each is made or not, and can be made again") {  // A100
    const ChangedStore site;
    const std::string folder = site.path("folder");
    for (const StoreChange& change : site.changes()) {
        CAPTURE(change.name);
        const int runs = kill_at_each_call(
            500, [&] { site.restore(folder); }, [&] { return make_in(change, folder); },
            [&](int, bool has_ended) { verify_change(site, change, folder, has_ended); });
        CHECK(runs > 4);
    }
}

TEST_CASE(
    "store changes: whichever call on files fails, the error is its own, and the next attempt succeeds") {  // A102
    const ChangedStore site;
    const std::string folder = site.path("folder");
    for (const StoreChange& change : site.changes()) {
        CAPTURE(change.name);
        const auto verify = [&](const FailedCall& outcome) {
            // A lock that is not closed stays. A file elsewhere without a status counts as changed.
            CHECK((outcome.is_end() || (outcome.call == SYS_close && outcome.is_end({ErrorCode::busy})) ||
                   (outcome.call == SYS_newfstatat && outcome.is_end({ErrorCode::conflict}))));
            verify_change(site, change, folder, outcome.exit_code == 0);
        };
        const int runs = fail_each_call(
            1000, {ENOSPC, EIO, EROFS}, [&] { site.restore(folder); }, [&] { return make_in(change, folder); }, verify);
        CHECK(runs > 5);
    }
}

TEST_CASE(
    "store changes: after a power failure at any moment, each is made or not, and stays once it was made") {  // A101
    const ChangedStore site;
    const std::string folder = site.path("folder");
    const std::string left = site.path("left");
    for (const StoreChange& change : site.changes()) {
        CAPTURE(change.name);
        site.restore(folder);
        const RecordedFolder recorded(folder, [&] { return make_in(change, folder); });
        REQUIRE(recorded.exit_code() == 0);
        CHECK(recorded.steps() > 2);
        for_each_power_loss(recorded, left, kRandomLosses,
                            [&](std::size_t step) { verify_change(site, change, left, step + 1 == recorded.steps()); });
    }
}

TEST_CASE("store changes: a pin and a token that a new store was given survive a power failure") {  // A101
    const ChangedStore site;
    const std::string folder = site.path("folder");
    const std::string left = site.path("left");
    for (const StoreChange& change : site.changes()) {
        if (change.name != "pin" && change.name != "license")
            continue;
        CAPTURE(change.name);
        fs::remove_all(folder);
        fs::create_directory(folder);
        const RecordedFolder recorded(folder, [&] {
            const auto store = BundleStore::open(folder + "/store", true);
            return store ? exit_code_of(change.make(*store)) : exit_code_of(store);
        });
        REQUIRE(recorded.exit_code() == 0);
        for_each_power_loss(recorded, left, kRandomLosses, [&](std::size_t step) {
            if (step + 1 == recorded.steps())
                CHECK(change.find(opened_store(left)) == Made::yes);
        });
    }
}

// "malformed": there is no store. "conflict": a pack is gone that was there.
bool is_end_without_folder(int exit_code) {
    return is_end(exit_code, {ErrorCode::missing, ErrorCode::malformed, ErrorCode::conflict});
}

// A102
TEST_CASE("store changes: while the folder vanishes at any step, nothing is lost and no store is begun in its place") {
    const ChangedStore site;
    for (const StoreChange& change : site.all_changes()) {
        CAPTURE(change.name);
        const int failures = for_each_vanished(
            site.path("folder"), [&](const std::string& folder) { site.restore(folder); },
            [&](const std::string& folder) { return make_in(change, folder); },
            [&](const std::string& folder, int exit_code) {
                CHECK(is_end_without_folder(exit_code));
                verify_change(site, change, folder, exit_code == 0);
            });
        CHECK(failures > 0);
    }
}

// A102
TEST_CASE("store changes: while the folder is gone for a few steps, nothing is lost or half there, and it goes on") {
    const ChangedStore site;
    int returns = 0;
    for (const StoreChange& change : site.all_changes()) {
        CAPTURE(change.name);
        returns += for_each_absence(
            site.path("folder"), [&](const std::string& folder) { site.restore(folder); },
            [&](const std::string& folder) { return make_in(change, folder); },
            [&](const std::string& folder, int exit_code) {
                CHECK(is_end_without_folder(exit_code));
                verify_change(site, change, folder, exit_code == 0);
            });
    }
    CHECK(returns > 100);
}

TEST_CASE("store changes: a pin that is renewed while a collection runs stays") {  // A106
    const ChangedStore site;
    const std::string folder = site.path("folder");
    const BundleId pinned = bundle_id_of(site.goes);
    const int runs = for_each_call(500, [&](int number) {
        site.restore(folder);
        const BundleStore store = opened_store(folder);
        REQUIRE(store.pin({.bundle = pinned, .name = "renewed", .until = now_of_changes() - 1}));
        PausedChild child(number, changes_files, [&] { return exit_code_of(collect_now(opened_store(folder))); });
        const bool paused = child.is_paused();
        // The collection may have the lock, for which the pin waits.
        std::jthread renewal([&] { CHECK(store.pin({.bundle = pinned, .name = "renewed", .until = std::nullopt})); });
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        CHECK(child.finish() == 0);
        renewal.join();
        const auto pins = value_of(store.pins());
        CHECK(std::ranges::find(pins, BundlePin{pinned, "renewed", std::nullopt}) != pins.end());
        return paused;
    });
    CHECK(runs > 10);
}

#else

TEST_CASE("store changes: system calls do not fail on purpose under a sanitizer") { skip_failing_calls(); }

#endif

TEST_CASE(
    "store changes: on a disk that can only be read, bundles are read and exported, and changes are refused") {  // A102
    const ChangedStore site;
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const std::string folder = disk.path("folder");
    site.restore(folder);
    if (!disk.make_read_only())
        return;
    const BundleStore store = opened_store(folder);
    CHECK(value_of(store.list()).size() == 2);
    CHECK(value_of(store.closure(bundle_id_of(site.kept))) == std::vector{bundle_id_of(site.kept)});
    const auto source = value_of(store.open_bundle(bundle_id_of(site.kept)));
    Bytes read(site.kept.size());
    REQUIRE(source->read_at(0, read));
    CHECK(read == site.kept);
    CHECK(store.export_bundle(bundle_id_of(site.kept), scratch.path("out.fardel")));
    CHECK(read_file(scratch.path("out.fardel")) == text_of(site.kept));
    CHECK(value_of(store.check(true)).findings == std::vector<std::string>{});
    CHECK(value_of(store.usage(now_of_changes())).bundles == 2);
    for (const StoreChange& change : site.all_changes()) {
        CAPTURE(change.name);
        const Status made = change.make(store);
        CHECK(code_of(made) == error_code_of(EROFS));
        CHECK(change.find(store) == Made::no);
    }
}

}  // namespace fardel::tests::store_changes_test
