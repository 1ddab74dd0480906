// One store that two computers use over a network: two mounts of one folder, each with its own caches.
#include "cache/cache_samples.h"
#include "two_computers.h"

#include "kit/files.h"
#include "kit/shared_folder.h"

#include <fardel/cache/cache_layers.h>
#include <fardel/cache/derived_cache.h>

#include <climits>

namespace fardel::tests::shared_folder_test {

// Two mounts of a folder, or why there are none.
class MountedTwice {
public:
    explicit MountedTwice(MountKind kind) {
        const std::string missing = FolderMount::missing(kind);
        if (!missing.empty()) {
            MESSAGE("SKIPPED: " << missing);
            return;
        }
        const std::string server = scratch_.path("server");
        std::filesystem::create_directory(server);
        one_.emplace(scratch_, kind, server, "one");
        two_.emplace(scratch_, kind, server, "two");
        computers_ = {.one = one_->root(), .two = two_->root(), .server = server};
    }
    explicit operator bool() const { return two_.has_value(); }
    const TwoComputers& computers() const { return computers_; }
    void unmount() {
        one_.reset();
        two_.reset();
    }

private:
    const ScratchFolder scratch_;
    std::optional<FolderMount> one_;
    std::optional<FolderMount> two_;
    TwoComputers computers_;
};

// A106
TEST_CASE(
    "shared folder: collectors, writers, fetches and readers on two computers that are killed leave a whole store") {
    MountedTwice mounted(MountKind::cached);
    if (!mounted)
        return;
    check_killed_programs(mounted.computers());
    mounted.unmount();
    check_whole(mounted.computers().open_server());
}

// A106
TEST_CASE(
    "shared folder: a collector sees at once what a writer on another computer holds, whatever it listed before") {
    if (const MountedTwice mounted(MountKind::cached); mounted)
        check_collector_sees_writer(mounted.computers());
}

// A106
TEST_CASE(
    "shared folder: where computers do not see the locks of others, adding and reading work and the rest is refused") {
    if (const MountedTwice mounted(MountKind::sshfs); mounted)
        check_refused_without_locks(mounted.computers(), "(fuse.sshfs); do this on the computer");
}

// A106
TEST_CASE("shared folder: a collector with locks takes nothing from writers on computers whose locks it cannot see") {
    const MountedTwice mounted(MountKind::sshfs);
    if (!mounted)
        return;
    const TwoComputers& computers = mounted.computers();
    const SharedBundles bundles = make_shared_bundles(3);
    const BundleStore at_server = computers.open_server();
    const std::uint64_t seed = random_seed();
    CAPTURE(seed);
    {
        using enum StoreRole;
        constexpr std::int64_t kDaySeconds = 24 * 60 * 60;
        // No writer is killed: its lease would keep everything for that day.
        StoreActors actors({{collector, at_server.path(), true, kDaySeconds},
                            {reader, at_server.path()},
                            {writer, computers.one + "/store", false},
                            {writer, computers.two + "/store", false}},
                           bundles, seed);
        actors.disturb(100, INT_MAX, std::chrono::seconds(4));
        actors.end();
    }
    check_whole(at_server);
    check_goes_on(at_server, bundles);
}

// A106
TEST_CASE("shared folder: a store on SMB is refused before anything is written there; derived data is kept") {
    const MountedTwice mounted(MountKind::smb);
    if (!mounted)
        return;
    const TwoComputers& computers = mounted.computers();
    const char* const words = "a store does not work on a share of SMB (fuse.smbnetfs); keep it on a local disk or";
    for (const std::string name : {"/store", "/no/such/folder/", ""})
        check_error(BundleStore::open(computers.one + name, true), ErrorCode::unsupported, words);
    CHECK(std::filesystem::is_empty(computers.server));
    CHECK(code_of(BundleStore::open(computers.one + "/store", false)) == ErrorCode::missing);
    static_cast<void>(computers.open_server());
    for (const bool create : {false, true})
        check_error(BundleStore::open(computers.one + "/store", create), ErrorCode::unsupported, words);

    const auto cache_at = [](const std::string& mount) {
        std::vector<CacheLayerSlot> layers;
        layers.push_back({.layer = value_of(open_folder_layer(mount + "/cache"))});
        return value_of(DerivedCache::open(std::move(layers)));
    };
    const Sample sample = make_sample(1, {noise(1000, 1)});
    REQUIRE(cache_at(computers.one)->put(sample.record, sample.blobs()));
    const auto hit = cache_at(computers.two)->find(sample.record.key);
    REQUIRE(hit);
    CHECK(value_of(read_blob(*hit->outputs[0])) == sample.outputs[0]);
}

}  // namespace fardel::tests::shared_folder_test
