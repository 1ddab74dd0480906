// A store that other users may write to, too: what they put in place of its folders and files.
#include "kit/bundles.h"
#include "kit/disks.h"
#include "kit/files.h"
#include "kit/foreign_link.h"
#include "kit/ids.h"

#include <fardel/store/bundle_store.h>
#include <fardel/store/incoming_bundle.h>
#include <fardel/store/retention.h>

#include <sys/stat.h>

namespace fardel::tests::store_links_test {
namespace {

namespace fs = std::filesystem;

Bytes bundle_of(std::string_view text) { return BundleMaker().add("text.txt", text).write_quickly(); }

// Each path below the folder with what is there: its mode, and the bytes of a file.
std::vector<std::string> state_of(const std::string& folder) {
    std::vector<std::string> state;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        struct stat status {};
        REQUIRE(::lstat(entry.path().c_str(), &status) == 0);
        state.push_back(entry.path().string() + " " + std::to_string(status.st_mode) + " " +
                        (entry.is_regular_file() ? read_file(entry.path()) : ""));
    }
    std::ranges::sort(state);
    return state;
}

// Whatever of it fails. A collection here forgives nothing: all is old, and nothing is used.
void use_store(const std::string& path, const BundleId& stored) {
    const auto store = BundleStore::open(path, true);
    if (!store)
        return;
    const RetentionRules rules{
        .now = UnixTime{.seconds = 4'000'000'000}, .grace_s = 0, .incoming_for_s = 1, .unused_for_s = 1};
    static_cast<void>(store->list());
    static_cast<void>(store->open_bundle(stored));
    static_cast<void>(store->check(true));
    static_cast<void>(store->pin({.bundle = stored, .name = "pin", .until = std::nullopt}));
    static_cast<void>(store->add(make_memory_source(bundle_of("new"))));
    if (auto incoming = IncomingBundle::open(*store, bundle_id_of(bundle_of("incoming")), StoredPart::used, {}))
        static_cast<void>(incoming->set_file_bytes(1'000'000));
    static_cast<void>(store->unpin(stored, "pin"));
    static_cast<void>(store->remove_bundles(std::vector{stored}, {}));
    store->remove_leftovers();
    for (int i = 0; i < 3; ++i)
        static_cast<void>(store->collect(rules));
}

struct TwoStores {
    TwoStores() {
        for (const std::string& path : {mine, shared}) {
            const BundleStore store = value_of(BundleStore::open(path, true));
            stored = value_of(store.add(make_memory_source(bundle_of("stored")))).bundle;
            REQUIRE(store.pin({.bundle = stored, .name = "kept", .until = std::nullopt}));
            value_of(IncomingBundle::open(store, bundle_id_of(bundle_of("incoming")), StoredPart::used, {}));
        }
        // Leftovers of a program that was killed: what a collection removes first.
        scratch.write("mine/packs/unnamed-0123", "left");
        scratch.write("mine/incoming/" + stored.hex() + ".pack", "left");
        scratch.write("mine/index/.fardel-1.tmp", "left");
    }
    ScratchFolder scratch;
    std::string mine = scratch.path("mine");
    std::string shared = scratch.path("shared");
    BundleId stored;
};

}  // namespace

TEST_CASE(
    "store links: a folder that another user has replaced by a link leads no work to where the link leads") {  // A141
    if (!can_make_foreign_links())
        return;
    for (const char* const part :
         {"bundles", "packs", "incoming", "index", "refs", "retention", "retention/leases", "retention/used",
          "retention/pins", "retention/sources", "retention/licenses", "channels"}) {
        CAPTURE(part);
        const TwoStores stores;
        fs::create_directories(stores.mine + "/" + part);
        fs::create_directories(stores.shared + "/" + part);
        fs::remove_all(stores.shared + "/" + part);
        make_foreign_link(stores.mine + "/" + part, stores.shared + "/" + part);
        const std::vector<std::string> before = state_of(stores.mine);
        use_store(stores.shared, stores.stored);
        CHECK(state_of(stores.mine) == before);
        CHECK(fs::is_symlink(stores.shared + "/" + part));
    }
}

TEST_CASE("store links: a file that another user has replaced by a link or a FIFO changes nothing elsewhere") {  // A141
    if (!can_make_foreign_links())
        return;
    const std::string incoming = bundle_id_of(bundle_of("incoming")).hex();
    for (const bool is_fifo : {false, true}) {
        for (const std::string& file :
             {"incoming/" + incoming + ".pack", "incoming/" + incoming + ".log", "incoming/" + incoming + ".extras",
              std::string("retention/lock"), std::string("retention/condemned"), std::string("fardel-store")}) {
            CAPTURE(file);
            const TwoStores stores;
            const std::string outside = stores.scratch.write("outside/file", "mine");
            REQUIRE(::chmod(outside.c_str(), 0600) == 0);
            const std::string path = stores.shared + "/" + file;
            fs::remove(path);
            if (is_fifo)
                REQUIRE(::mkfifo(path.c_str(), 0666) == 0);
            else
                make_foreign_link(outside, path);
            const std::vector<std::string> before = state_of(stores.scratch.path("outside"));
            use_store(stores.shared, stores.stored);
            CHECK(state_of(stores.scratch.path("outside")) == before);
        }
    }
}

TEST_CASE("store links: a folder that the user has moved to another disk with a link works as before") {
    const ScratchFolder scratch;
    const BundleStore store = value_of(BundleStore::open(scratch.path("store"), true));
    for (const char* const part : {"packs", "incoming", "bundles"}) {
        fs::rename(scratch.path(std::string("store/") + part), scratch.path(std::string("moved-") + part));
        fs::create_directory_symlink(std::string("../moved-") + part, scratch.path(std::string("store/") + part));
    }
    const Bytes bytes = bundle_of("text");
    const BundleId bundle = value_of(store.add(make_memory_source(bytes))).bundle;
    CHECK(all_bytes(*value_of(store.open_bundle(bundle))) == bytes);
    CHECK(value_of(store.check(true)).findings.empty());
    CHECK(value_of(store.list()).size() == 1);
    REQUIRE(store.remove_bundles(std::vector{bundle}, {}));
    REQUIRE(store.collect({.now = UnixTime{.seconds = 4'000'000'000}, .grace_s = 0}));
    CHECK(value_of(store.list()).empty());
}

TEST_CASE(
    "store links: a second name of a file of the user is neither written to nor read as a part of a bundle") {  // A141
    const TwoStores stores;
    const BundleStore store = value_of(BundleStore::open(stores.shared, false));
    const BundleId incoming = bundle_id_of(bundle_of("incoming"));
    const std::string outside = stores.scratch.write("outside/file", "mine");
    REQUIRE(::chmod(outside.c_str(), 0600) == 0);
    for (const char* const ending : {".pack", ".log", ".extras"}) {
        fs::remove(stores.shared + "/incoming/" + incoming.hex() + ending);
        fs::create_hard_link(outside, stores.shared + "/incoming/" + incoming.hex() + ending);
    }
    {
        IncomingBundle bundle = value_of(IncomingBundle::open(store, incoming, StoredPart::used, {}));
        REQUIRE(bundle.set_file_bytes(1'000'000));
        REQUIRE(bundle.write(0, Bytes(4096)));
        REQUIRE(bundle.keep_extra("name", Bytes(10)));
    }
    CHECK(read_file(outside) == "mine");
    // The same size, so that only the names tell.
    for (const fs::directory_entry& pack : fs::directory_iterator(stores.shared + "/packs"))
        if (!pack.path().filename().string().starts_with("unnamed-")) {
            const std::string bytes(pack.file_size(), 'x');
            const std::string path = pack.path().string();
            const std::string secret = stores.scratch.write("outside/secret", bytes);
            REQUIRE(::chmod(secret.c_str(), 0600) == 0);
            fs::remove(path);
            fs::create_hard_link(secret, path);
        }
    check_error(store.open_whole_bundle(stores.stored), ErrorCode::corrupt, "a second name");
    check_error(store.export_bundle(stores.stored, stores.scratch.path("out")), ErrorCode::corrupt, "a second name");
}

TEST_CASE("store: no file whose lock counts can be opened by who may only read the store") {  // A148
    const ScratchFolder scratch;
    const BundleStore store = value_of(BundleStore::open(scratch.path("store"), true));
    const BundleId bundle = value_of(store.add(make_memory_source(bundle_of("text")))).bundle;
    // As earlier versions left it.
    REQUIRE(::chmod(scratch.path("store/retention/lock").c_str(), 0644) == 0);
    const auto opened = value_of(store.open_bundle(bundle));
    const auto hold = value_of(StoreHold::open(store));
    const auto incoming =
        value_of(IncomingBundle::open(store, bundle_id_of(bundle_of("incoming")), StoredPart::used, {}));
    std::size_t files = 0;
    for (const char* const folder : {"retention", "incoming"})
        for (const fs::directory_entry& entry :
             fs::recursive_directory_iterator(scratch.path("store") + "/" + folder)) {
            const std::string path = entry.path().string();
            const bool counts = path.ends_with("/lock") || path.find("/leases/") != std::string::npos ||
                                path.find("/used/") != std::string::npos || path.ends_with(".pack");
            if (!entry.is_regular_file() || !counts)
                continue;
            CAPTURE(path);
            ++files;
            CHECK((entry.status().permissions() & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
        }
    CHECK(files == 5);
}

TEST_CASE("store: a bundle that the disk has no room for is refused before anything of it is written") {  // A143
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "4m");
    if (disk.is_missing())
        return;
    const BundleStore store = value_of(BundleStore::open(disk.path("store"), true));
    std::string noise(3u << 20, '\0');
    std::mt19937 random(1);
    for (char& byte : noise)
        byte = static_cast<char>(random());
    const Bytes bytes = BundleMaker().add_data("noise.bin", noise).write_quickly();
    // One byte less than the file has is too little; the store itself needs some pages.
    const auto free_bytes = [&] { return fs::space(disk.root()).available; };
    std::string filler(free_bytes() - bytes.size() + 4096, 'x');
    write_file(disk.path("filler"), filler);
    REQUIRE(free_bytes() < bytes.size());
    const std::uintmax_t before = free_bytes();
    std::uint64_t done_bytes = 0;
    const StoreWork work{.progress = [&](const StoreProgress& progress) { done_bytes = progress.done_bytes; }};
    check_error(store.add(make_memory_source(bytes), work), ErrorCode::no_space, "bytes free");
    CHECK(done_bytes == 0);
    CHECK(free_bytes() + (64u << 10) >= before);
    CHECK(value_of(store.list()).empty());
    fs::remove(disk.path("filler"));
    const BundleId bundle = value_of(store.add(make_memory_source(bytes))).bundle;
    write_file(disk.path("filler"), std::string(free_bytes() - 4096, 'x'));
    check_error(store.export_bundle(bundle, disk.path("out.fardel")), ErrorCode::no_space, "exporting to ");
    CHECK_FALSE(fs::exists(disk.path("out.fardel")));
}

}  // namespace fardel::tests::store_links_test
