// What a power failure at any moment leaves of a store, as far as file systems may lose what was not synced.
#include "kit/power_loss.h"
#include "kit/bundles.h"
#include "kit/disks.h"
#include "kit/files.h"

#include <fardel/base/clock.h>
#include <fardel/format/head.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/incoming_bundle.h>
#include <fardel/store/retention.h>

namespace fardel::tests::power_loss_test {

#if defined(FARDEL_CAN_FAIL_CALLS)

constexpr int kRandomStates = 4;

// 30 kB that all of them share, and 10 kB of its own.
Bytes lossy_bundle(std::uint32_t number) {
    return BundleMaker()
        .add_data("shared.bin", noise_text(30'000, 1))
        .add_data("own.bin", noise_text(10'000, 100 + number))
        .write_quickly();
}

struct LossySite {
    ScratchFolder scratch;
    SmallDisk disk{scratch, "64m"};
    std::string root = disk.path("root");
    std::string left = disk.path("left");

    LossySite() { std::filesystem::create_directory(root); }
    static BundleStore store_in(const std::string& folder) {
        return value_of(BundleStore::open(folder + "/store", true));
    }
    void add(const Bytes& bytes) const { value_of(store_in(root).add(make_memory_source(bytes))); }
};

Status add_bundle_to(const std::string& folder, const Bytes& bytes) {
    FARDEL_TRY_ASSIGN(const BundleStore store, BundleStore::open(folder + "/store", true));
    auto added = store.add(make_memory_source(bytes));
    return added ? ok() : std::move(added).error();
}

bool is_listed(const BundleStore& store, const Bytes& bytes) {
    const auto bundles = value_of(store.list());
    return std::ranges::find(bundles, bundle_id_of(bytes), &StoredBundle::bundle) != bundles.end();
}

bool gives(const BundleStore& store, const Bytes& bytes) {
    const auto source = store.open_whole_bundle(bundle_id_of(bytes));
    Bytes read(bytes.size());
    return source && (*source)->size_bytes() == bytes.size() && (*source)->read_at(0, read) && read == bytes;
}

// Receives a bundle as a fetch does.
Status receive_bundle(const std::string& folder, const Bytes& bytes) {
    FARDEL_TRY_ASSIGN(const BundleStore store, BundleStore::open(folder + "/store", true));
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(make_memory_source(bytes), {}));
    FARDEL_TRY_ASSIGN(IncomingBundle incoming, IncomingBundle::open(store, bundle->id()));
    if (!incoming.file_bytes())
        FARDEL_TRY(incoming.set_file_bytes(bytes.size()));
    constexpr std::size_t kPiece = 16'384;
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
        const auto piece = std::span(bytes).subspan(at, std::min(kPiece, bytes.size() - at));
        if (!incoming.holds(at, piece.size()))
            FARDEL_TRY(incoming.write(at, piece));
    }
    return std::move(incoming).commit(bundle->layout_id());
}

// A bundle that is visible is whole, also after a power failure; the one that was there before stays; what was
// interrupted can be repeated.
void check_arrivals(const LossySite& site, const RecordedFolder& recorded, const Bytes* before, const Bytes& arriving,
                    Status (*arrive)(const std::string&, const Bytes&)) {
    REQUIRE(recorded.exit_code() == 0);
    CHECK(recorded.steps() > 10);
    for_each_power_loss(recorded, site.left, kRandomStates, [&](std::size_t step) {
        {
            const BundleStore store = LossySite::store_in(site.left);
            CHECK((before == nullptr || gives(store, *before)));
            CHECK((!is_listed(store, arriving) || gives(store, arriving)));
            CHECK((step + 1 < recorded.steps() || gives(store, arriving)));
        }
        CHECK(exit_code_of(arrive(site.left, arriving)) == 0);
        const BundleStore store = LossySite::store_in(site.left);
        CHECK(gives(store, arriving));
        CHECK((before == nullptr || gives(store, *before)));
        CHECK(value_of(store.check(true)).findings == std::vector<std::string>{});
    });
}

TEST_CASE("bundle store: after a power failure at any moment of an addition, what is visible is whole") {  // A101
    const Bytes bytes = lossy_bundle(1);
    const LossySite site;
    const RecordedFolder recorded(site.root, [&] { return exit_code_of(add_bundle_to(site.root, bytes)); });
    check_arrivals(site, recorded, nullptr, bytes, add_bundle_to);
}

TEST_CASE("bundle store: a power failure while a bundle is added leaves the one that shares blocks with it") {
    const Bytes first = lossy_bundle(1);
    const Bytes second = lossy_bundle(2);
    const LossySite site;
    site.add(first);
    const RecordedFolder recorded(site.root, [&] { return exit_code_of(add_bundle_to(site.root, second)); });
    check_arrivals(site, recorded, &first, second, add_bundle_to);
}

TEST_CASE("incoming bundle: after a power failure at any moment, what is visible is whole, and the rest can come") {
    const Bytes first = lossy_bundle(1);
    const Bytes second = lossy_bundle(2);
    const LossySite site;
    site.add(first);
    const RecordedFolder recorded(site.root, [&] { return exit_code_of(receive_bundle(site.root, second)); });
    check_arrivals(site, recorded, &first, second, receive_bundle);
}

TEST_CASE("retention: a power failure at any moment of a collection takes nothing that is kept") {
    const Bytes kept = lossy_bundle(1);
    const Bytes removed = lossy_bundle(2);
    const LossySite site;
    site.add(kept);
    site.add(removed);
    const auto collect = [&](const std::string& folder) -> Status {
        const UnixTime now = system_now();
        FARDEL_TRY_ASSIGN(const BundleStore store, BundleStore::open(folder + "/store", true));
        const BundleId id = bundle_id_of(removed);
        if (is_listed(store, removed))
            FARDEL_TRY(store.remove_bundles(std::span(&id, 1), now));
        RetentionRules rules{.now = now};
        rules.grace_s = 0;
        auto report = store.collect(rules);
        return report ? ok() : std::move(report).error();
    };
    const RecordedFolder recorded(site.root, [&] { return exit_code_of(collect(site.root)); });
    REQUIRE(recorded.exit_code() == 0);
    CHECK(recorded.steps() > 5);
    for_each_power_loss(recorded, site.left, kRandomStates, [&](std::size_t) {
        {
            const BundleStore store = LossySite::store_in(site.left);
            CHECK(gives(store, kept));
            CHECK((!is_listed(store, removed) || gives(store, removed)));
        }
        CHECK(exit_code_of(collect(site.left)) == 0);
        const BundleStore store = LossySite::store_in(site.left);
        CHECK(gives(store, kept));
        CHECK_FALSE(is_listed(store, removed));
        CHECK(value_of(store.check(true)).findings == std::vector<std::string>{});
    });
}

#else

TEST_CASE("bundle store: power failures are recorded without sanitizers") { skip_failing_calls(); }

#endif

}  // namespace fardel::tests::power_loss_test
