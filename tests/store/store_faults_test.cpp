// BundleStore and IncomingBundle: killed, with calls that fail, beside other processes, and on hostile folders.
#include "kit/bundles.h"
#include "kit/bytes.h"
#include "kit/disks.h"
#include "kit/failing_call.h"
#include "kit/files.h"
#include "kit/restricted_program.h"

#include "packs/store_record.h"

#include <fardel/base/system_error.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/incoming_bundle.h>

#include <sys/mman.h>
#include <sys/stat.h>

namespace fardel::tests::store_faults_test {

Bytes noisy_bundle(std::string_view version) {
    return BundleMaker()
        .add_data("a.bin", noise_text(150'000, 1))
        .add_data("b.bin", noise_text(150'000, 2))
        .add("version.txt", version)
        .write_quickly();
}

BundleStore store_at(const std::string& path) { return value_of(BundleStore::open(path, true)); }

bool exports(const BundleStore& store, const Bytes& bytes) {
    const std::string out = store.path() + ".exported";
    std::filesystem::remove(out);
    return store.export_bundle(bundle_id_of(bytes), out) &&
           read_file(out) == std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// The files of a store that are neither its marker, nor a record, nor a pack, nor notes for collections.
std::vector<std::string> leftovers(const std::string& store) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(store)) {
        const std::string name = std::filesystem::relative(entry.path(), store).string();
        const bool is_regular = name == "fardel-store" || name.starts_with("retention/") ||
                                (name.starts_with("bundles/") && name.size() == 8 + 64) ||
                                (name.starts_with("packs/") && name.size() == 6 + 64) ||
                                (name.starts_with("index/") && name.ends_with(".blocks"));
        if (!entry.is_directory() && !is_regular)
            names.push_back(name);
    }
    return names;
}

StoreRecord record_of(const ScratchFolder& scratch, const BundleId& bundle) {
    const std::string text = scratch.read("store/bundles/" + bundle.hex());
    return value_of(decode_store_record(std::as_bytes(std::span(text))));
}

// Receives a whole bundle in pieces. `written`, if any, counts the bytes of the pieces that are complete.
Status receive(const std::string& path, const Bytes& bytes, std::uint64_t* written = nullptr, bool commits = true) {
    FARDEL_TRY_ASSIGN(const BundleStore store, BundleStore::open(path, true));
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(make_memory_source(bytes), {}));
    FARDEL_TRY_ASSIGN(IncomingBundle incoming, IncomingBundle::open(store, bundle->id()));
    if (!incoming.file_bytes())
        FARDEL_TRY(incoming.set_file_bytes(bytes.size()));
    constexpr std::size_t kPiece = 60'000;
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
        const auto piece = std::span(bytes).subspan(at, std::min(kPiece, bytes.size() - at));
        if (incoming.holds(at, piece.size()))
            continue;
        FARDEL_TRY(incoming.write(at, piece));
        if (written != nullptr)
            *written += piece.size();
    }
    return commits ? std::move(incoming).commit(bundle->layout_id()) : ok();
}

#if defined(FARDEL_CAN_FAIL_CALLS)

TEST_CASE("bundle store: an addition that is killed at any step leaves a store that works") {  // A100
    const Bytes bytes = noisy_bundle("1");
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");  // syncing is quick there; any other disk will do
    const std::string path = disk.path("store");
    const auto add_to_new = [&] {
        const auto store = BundleStore::open(path, true);
        return store && store->add(make_memory_source(bytes)) ? 0 : 1;
    };
    const auto verify = [&](int, bool) {
        if (const auto store = BundleStore::open(path, false); store)
            CHECK(value_of(store->check(true)).findings.empty());
        const BundleStore store = store_at(path);
        value_of(store.add(make_memory_source(bytes)));
        CHECK(exports(store, bytes));
        const StoreCheckReport report = value_of(store.check(true));
        CHECK(report.findings.empty());
        CHECK(report.unused_packs == 0);
        CHECK(leftovers(path) == std::vector<std::string>{});
    };
    CHECK(kill_at_each_call(
              500, [&] { std::filesystem::remove_all(path); }, add_to_new, verify) > 15);
}

TEST_CASE("incoming bundle: killed at any step, what was written is kept, also while it is committed") {  // A118
    const Bytes bytes = noisy_bundle("1");
    auto* const written =
        static_cast<std::uint64_t*>(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    REQUIRE(written != MAP_FAILED);
    const int runs = for_each_call(500, [&](int number) {
        bool paused = false;
        const ScratchFolder scratch;
        std::filesystem::create_directory(scratch.path("home"));
        std::filesystem::permissions(scratch.path("home"), std::filesystem::perms::all);
        const Unprivileged user(scratch);  // root may write to read-only files
        const std::string path = scratch.path("home/store");
        *written = 0;
        {
            PausedChild child(number, changes_files, [&] { return exit_code_of(receive(path, bytes, written)); });
            paused = child.is_paused();
            CHECK((paused || child.exit_code() == 0));
        }
        const BundleStore store = store_at(path);
        CHECK(value_of(store.check(true)).findings.empty());
        if (value_of(store.list()).empty()) {
            {
                const IncomingBundle incoming = value_of(IncomingBundle::open(store, bundle_id_of(bytes)));
                CHECK(incoming.held_bytes() >= *written);
            }
            const Status again = receive(path, bytes);
            CHECK_MESSAGE(again, (again ? "" : again.error().text()));
        }
        CHECK(exports(store, bytes));
        CHECK(value_of(store.add(make_memory_source(bytes))).was_there);  // removes what is of no use
        const StoreCheckReport report = value_of(store.check(true));
        CHECK(report.findings.empty());
        CHECK(report.unused_packs == 0);
        CHECK(leftovers(path) == std::vector<std::string>{});
        struct stat status {};
        REQUIRE(::stat(only_file(store.path() + "/packs").c_str(), &status) == 0);
        CHECK((status.st_mode & 0222) == 0);
        return paused;
    });
    CHECK(runs > 25);
    ::munmap(written, 4096);
}

// Lets each call on files fail in turn, with ENOSPC and with one of the other errors; `work` returns exit_code_of().
template <class Work>
void survives_each_failure(const Bytes& bytes, Work work) {
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    constexpr int kOtherErrors[] = {EIO, EROFS, EDQUOT};
    const int runs = for_each_call(2000, [&](int run) {
        const int number = (run + 1) / 2;
        const std::string path = disk.path("store");
        std::filesystem::remove_all(path);
        const FailedCall outcome =
            fail_call(number, run % 2 == 1 ? ENOSPC : kOtherErrors[number % 3], [&] { return work(path); });
        CAPTURE(outcome.error);
        CAPTURE(outcome.call);
        CHECK(outcome.is_end());
        const BundleStore store = store_at(path);
        CHECK(value_of(store.check(true)).findings.empty());
        if (outcome.exit_code == 0)
            CHECK(exports(store, bytes));
        CHECK(work(path) == 0);
        CHECK(exports(store, bytes));
        value_of(store.add(make_memory_source(bytes)));
        CHECK(leftovers(path) == std::vector<std::string>{});
        CHECK(value_of(store.check(true)).findings.empty());
        return outcome.failed;
    });
    CHECK(runs / 2 > 30);
}

TEST_CASE("bundle store: whichever call on files fails, the error is its own and the next addition succeeds") {  // A102
    const Bytes bytes = noisy_bundle("1");
    survives_each_failure(bytes, [&](const std::string& path) {
        const auto store = BundleStore::open(path, true);
        return store ? exit_code_of(store->add(make_memory_source(bytes))) : exit_code_of(store);
    });
}

TEST_CASE("incoming bundle: whichever call on files fails, the error is its own and the next one goes on") {  // A102
    const Bytes bytes = noisy_bundle("1");
    survives_each_failure(bytes, [&](const std::string& path) {
        const auto store = BundleStore::open(path, true);
        const auto listed = store ? store->list() : Result<std::vector<StoredBundle>>(store.error());
        return listed && listed->empty() ? exit_code_of(receive(path, bytes)) : exit_code_of(listed);
    });
}

TEST_CASE("bundle store: a write that the system does only in part is continued") {  // A102
    const Bytes bytes = noisy_bundle("1");
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const std::string path = disk.path("store");
    for (const bool incoming : {false, true}) {
        const int runs = for_each_call(1000, [&](int number) {
            std::filesystem::remove_all(path);
            PausedChild child(
                number, [](unsigned long long call) { return call == SYS_pwrite64; },
                [&] {
                    return incoming ? exit_code_of(receive(path, bytes))
                                    : !store_at(path).add(make_memory_source(bytes));
                });
            const bool paused = child.is_paused();
            if (paused)
                child.shorten_write();
            CHECK(child.finish() == 0);
            CHECK(exports(store_at(path), bytes));
            return paused;
        });
        CHECK(runs > 3);
    }
}

TEST_CASE("incoming bundle: a process that opened the file just before another committed it changes nothing") {  // A117
    const ScratchFolder scratch;
    const std::string path = scratch.path("store");
    const Bytes bytes = noisy_bundle("1");
    const BundleId id = bundle_id_of(bytes);
    const BundleStore store = store_at(path);
    scratch.write("store/incoming/" + id.hex() + ".pack", "");
    PausedChild second(
        1, [](unsigned long long call) { return call == SYS_flock; },
        [&] { return exit_code_of(IncomingBundle::open(store, id)); });
    REQUIRE(second.is_paused());
    CHECK(receive(path, bytes));
    CHECK(second.finish() == 0);
    CHECK(value_of(store.check(true)).findings.empty());
    CHECK(exports(store, bytes));
    CHECK(leftovers(path) == std::vector<std::string>{});
}

TEST_CASE("incoming bundle: a process that opened the file just before another gave up gets it") {  // A117
    const ScratchFolder scratch;
    const std::string path = scratch.path("store");
    const Bytes bytes = noisy_bundle("1");
    const BundleStore store = store_at(path);
    const BundleId id = bundle_id_of(bytes);
    scratch.write("store/incoming/" + id.hex() + ".pack", "");
    PausedChild second(
        1, [](unsigned long long call) { return call == SYS_flock; },
        [&] { return exit_code_of(receive(path, bytes)); });
    REQUIRE(second.is_paused());
    CHECK(IncomingBundle::open(store, id));  // removes the files as it goes out of scope
    CHECK_FALSE(std::filesystem::exists(scratch.path("store/incoming/" + id.hex() + ".pack")));
    CHECK(second.finish() == 0);
    CHECK(exports(store, bytes));
}

TEST_CASE("bundle store: a pack under construction is not removed while its writer lives") {  // A117
    const ScratchFolder scratch;
    const std::string path = scratch.path("store");
    const Bytes bytes = noisy_bundle("1");
    const Bytes other = noisy_bundle("2");
    for_each_call(1000, [&](int number) {
        std::filesystem::remove_all(path);
        const BundleStore store = store_at(path);
        PausedChild writer(number, changes_files, [&] { return store.add(make_memory_source(bytes)) ? 0 : 1; });
        const bool paused = writer.is_paused();
        // The writer may have the lock of the store, for which the other one waits.
        std::jthread other_writer([&] { CHECK(store.add(make_memory_source(other))); });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK(writer.finish() == 0);
        other_writer.join();
        CHECK(exports(store, bytes));
        CHECK(exports(store, other));
        CHECK(value_of(store.check(true)).findings.empty());
        return paused;
    });
}

#endif

TEST_CASE("bundle store: a pack whose head was damaged is replaced when the file is added or fetched again") {  // A104
    const Bytes bytes = noisy_bundle("1");
    for (const bool fetched : {false, true}) {
        CAPTURE(fetched);
        const ScratchFolder scratch;
        const std::string path = scratch.path("store");
        const BundleStore store = store_at(path);
        value_of(store.add(make_memory_source(bytes)));
        flip_bit(only_file(store.path() + "/packs"), 100);
        if (fetched) {
            std::filesystem::remove(scratch.path("store/bundles/" + bundle_id_of(bytes).hex()));
            CHECK(receive(path, bytes));
        } else {
            CHECK_FALSE(value_of(store.add(make_memory_source(bytes))).was_there);
        }
        CHECK(exports(store, bytes));
        CHECK(value_of(store.check(true)).findings.empty());
    }
}

TEST_CASE("bundle store: a block that was damaged is stored again when the file is added") {  // A104
    const ScratchFolder scratch;
    const BundleStore store = store_at(scratch.path("store"));
    const Bytes bytes = noisy_bundle("1");
    value_of(store.add(make_memory_source(bytes)));
    flip_bit(only_file(store.path() + "/packs"), 100'000);
    const StoreAddition mended = value_of(store.add(make_memory_source(bytes)));
    CHECK_FALSE(mended.was_there);
    CHECK(mended.written_bytes < 200'000);
    CHECK(exports(store, bytes));
}

TEST_CASE("bundle store: a record with a right checksum that locates other bytes is found by the check") {  // A103
    const ScratchFolder scratch;
    const BundleStore store = store_at(scratch.path("store"));
    const Bytes bytes = noisy_bundle("1");
    const BundleId id = value_of(store.add(make_memory_source(bytes))).bundle;
    const StoreRecord genuine = record_of(scratch, id);
    const std::uint64_t blocks = open_bundle(bytes)->layout_head().blocks_offset;
    for (const std::uint64_t offset : {std::uint64_t{9000}, blocks + 1000, bytes.size() - 10'000}) {
        CAPTURE(offset);
        StoreRecordBuilder builder;
        builder.add(0, offset, genuine.packs[0], 0);
        builder.add(offset, 100, genuine.packs[0], offset + 100);
        builder.add(offset + 100, bytes.size() - offset - 100, genuine.packs[0], offset + 100);
        scratch.write("store/bundles/" + id.hex(),
                      encode_store_record(std::move(builder).finish(id, genuine.layout, bytes.size())));
        CHECK(value_of(store.check(true)).damaged == std::vector<BundleId>{id});
        CHECK_FALSE(value_of(store.add(make_memory_source(bytes))).was_there);  // mends it
        CHECK(exports(store, bytes));
        CHECK(value_of(store.check(true)).findings.empty());
    }
}

TEST_CASE("bundle store: links, FIFOs and folders in the place of packs and records are refused, and replaced") {
    const Bytes bytes = noisy_bundle("1");
    const BundleId id = bundle_id_of(bytes);
    for (const char* const kind : {"link", "fifo"})
        for (const bool pack : {false, true}) {
            CAPTURE(kind);
            CAPTURE(pack);
            const ScratchFolder scratch;
            const BundleStore store = store_at(scratch.path("store"));
            value_of(store.add(make_memory_source(bytes)));
            const std::filesystem::path path = pack ? only_file(store.path() + "/packs")
                                                    : std::filesystem::path(scratch.path("store/bundles/" + id.hex()));
            const std::string moved = scratch.path("moved");
            std::filesystem::rename(path, moved);
            if (kind == std::string("link"))
                std::filesystem::create_symlink(moved, path);
            else
                REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
            CHECK(code_of(store.open_bundle(id)) == ErrorCode::malformed);
            CHECK(value_of(store.check(true)).damaged == std::vector<BundleId>{id});
            value_of(store.add(make_memory_source(bytes)));
            CHECK(exports(store, bytes));
            CHECK(value_of(store.check(true)).findings.empty());
        }
}

TEST_CASE("bundle store: a record of more than 64 MiB is not read") {
    const ScratchFolder scratch;
    const BundleStore store = store_at(scratch.path("store"));
    const BundleId id = filled_id<BundleId>(7);
    const std::string record = scratch.write("store/bundles/" + id.hex(), "x");
    std::filesystem::resize_file(record, kStoreRecordBytesMax + 1);
    CHECK(code_of(store.open_bundle(id)) == ErrorCode::limit);
    std::filesystem::resize_file(record, kStoreRecordBytesMax);
    CHECK(code_of(store.open_bundle(id)) == ErrorCode::malformed);
    CHECK(value_of(store.check(true)).damaged == std::vector<BundleId>{id});
}

TEST_CASE("bundle store: a pack that shrinks while its bundle is open gives corrupt") {  // A105
    const ScratchFolder scratch;
    const BundleStore store = store_at(scratch.path("store"));
    const Bytes bytes = noisy_bundle("1");
    const BundleId id = value_of(store.add(make_memory_source(bytes))).bundle;
    const auto source = value_of(store.open_bundle(id));
    std::filesystem::permissions(only_file(store.path() + "/packs"), std::filesystem::perms::owner_write,
                                 std::filesystem::perm_options::add);
    std::filesystem::resize_file(only_file(store.path() + "/packs"), 100'000);
    Bytes read(bytes.size());
    CHECK(code_of(source->read_at(0, read)) == ErrorCode::corrupt);
    CHECK(source->read_at(0, std::span(read).first(100'000)));
    CHECK(std::equal(read.begin(), read.begin() + 100'000, bytes.begin()));
    CHECK(code_of(store.open_bundle(id)) == ErrorCode::corrupt);
}

TEST_CASE("bundle store: a bundle that is added while the store is checked is no damage") {  // A117
    const ScratchFolder scratch;
    const BundleStore store = store_at(scratch.path("store"));
    value_of(store.add(make_memory_source(noisy_bundle("1"))));
    bool added = false;
    const StoreCheckReport report =
        value_of(store.check(true, {.progress = [&](const StoreProgress&) {
                                 if (!added)
                                     value_of(store.add(make_memory_source(noisy_bundle("2"))));
                                 added = true;
                             }}));
    CHECK(added);
    CHECK(report.findings.empty());
    CHECK(report.unused_packs == 0);
}

TEST_CASE("bundle store: what killed writers left is counted, and removed by the next addition") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("store");
    const BundleStore store = store_at(path);
    const Bytes bytes = noisy_bundle("1");
    scratch.write("store/packs/unnamed-0123456789abcdef0123456789abcdef", "abandoned");
    scratch.write("store/bundles/.fardel-1-1.tmp", "abandoned");
    const Bytes other = noisy_bundle("other");
    CHECK(receive(path, other, nullptr, false));
    const StoreCheckReport before = value_of(store.check(false));
    CHECK(before.findings.empty());
    CHECK(before.abandoned_files == 2);
    CHECK(before.abandoned_bytes == 18);
    CHECK(before.incoming == 1);
    CHECK(before.incoming_bytes >= other.size());
    value_of(store.add(make_memory_source(bytes)));
    const StoreCheckReport after = value_of(store.check(false));
    CHECK(after.abandoned_files == 0);
    CHECK(after.incoming == 1);
    // A bundle that came in another way needs no incoming bytes any more.
    value_of(store.add(make_memory_source(other)));
    CHECK(value_of(store.check(false)).incoming == 0);
    CHECK(leftovers(path) == std::vector<std::string>{});
}

}  // namespace fardel::tests::store_faults_test
