// Programs that read a bundle from a server and are killed, or whose disk is full or broken.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "kit/disks.h"
#include "kit/failing_call.h"

#include <fardel/base/system_error.h>
#include <fardel/delivery/remote_bundle.h>
#include <fardel/http/range_client.h>
#include <fardel/vfs/vfs.h>

#include <unistd.h>

#include <mutex>

namespace fardel::tests::remote_crash_test {

struct RemoteReader {
    RemoteServers servers;
    std::shared_ptr<const RemoteBundle> bundle;

    static Result<RemoteReader> open(const BundleStore& store, const std::string& url, const BundleId& id) {
        FARDEL_TRY_ASSIGN(RemoteServers servers, RemoteServers::open({.servers = {url}, .attempts_max = 1}));
        FARDEL_TRY_ASSIGN(auto bundle, RemoteBundle::open(store, servers, id));
        return RemoteReader{.servers = std::move(servers), .bundle = std::move(bundle)};
    }

    // Whether all content of the game can be read, and is right. `b_bytes`: the size of b.bin.
    bool reads_right(std::size_t b_bytes = 300'000) const {
        Vfs vfs;
        if (!vfs.mount(bundle->source(), {.allow_unsigned = true}))
            return false;
        for (const std::uint32_t seed : {1u, 2u}) {
            const char* const name = seed == 1 ? "a.bin" : "b.bin";
            const auto file = vfs.open(name);
            const auto bytes = file ? file->read_all() : Result<std::vector<std::byte>>(file.error());
            if (!bytes || *bytes != bytes_of(random_text(seed, seed == 1 ? 300'000 : b_bytes)))
                return false;
        }
        return true;
    }
};

void check_fetch_completes(const BundleStore& store, const std::string& url, const Bytes& bytes) {
    value_of(fetch_one(store, bundle_id_of(bytes), fetching_from({url})));
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
    store.remove_leftovers();
    check_tidy(store);
}

std::uint64_t incoming_bytes(const BundleStore& store) { return value_of(store.check(true)).incoming_bytes; }

#if defined(FARDEL_CAN_FAIL_CALLS)

TEST_CASE("remote bundle: killed in the middle of any answer, what was kept is right, and a fetch goes on") {  // A100
    const Bytes bytes = game_version("7");
    const BundleId id = bundle_id_of(bytes);
    std::mutex mutex;  // guards what follows
    pid_t victim = 0;  // a child that was not waited for yet; 0: none
    int countdown = 0;
    const TreeServer server(
        {bytes}, [&](OddServer::Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t size) {
            {
                const std::scoped_lock lock(mutex);
                if (victim == 0 || --countdown > 0)
                    return false;
            }
            const std::string answer = partial_answer(right, request.first, size);
            guest.send(std::string_view(answer).substr(0, answer.size() - right.size() / 3));
            guest.sleep(30);  // so that blocks which came whole are kept
            const std::scoped_lock lock(mutex);
            if (victim != 0)
                ::kill(victim, SIGKILL);
            return true;
        });
    value_of(RangeClient::open({}));  // loads libcurl
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    std::uint64_t kept_most = 0;
    int answer = 1;
    for (bool was_cut = true; was_cut; ++answer) {
        CAPTURE(answer);
        REQUIRE(answer < 200);
        std::filesystem::remove_all(disk.path("store"));
        const BundleStore store = value_of(BundleStore::open(disk.path("store"), true));
        int begin[2];
        REQUIRE(::pipe(begin) == 0);
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            ::close(begin[1]);
            char nothing = 0;
            static_cast<void>(!::read(begin[0], &nothing, 1));  // ends when the server knows its victim
            const auto reader = RemoteReader::open(store, server.url(), id);
            ::_exit(reader && reader->reads_right() ? 0 : 1);
        }
        {
            const std::scoped_lock lock(mutex);
            countdown = answer;
            victim = child;
        }
        ::close(begin[0]);
        ::close(begin[1]);
        siginfo_t ended{};
        REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
        {
            const std::scoped_lock lock(mutex);
            victim = 0;
            was_cut = countdown <= 0;
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK((WIFSIGNALED(status) || WEXITSTATUS(status) == 0));  // what is read ahead may not be needed
        CHECK(value_of(store.check(true)).findings.empty());
        kept_most = std::max(kept_most, incoming_bytes(store));
        if (answer % 2 == 0)
            CHECK(value_of(RemoteReader::open(store, server.url(), id)).reads_right());
        check_fetch_completes(store, server.url(), bytes);
    }
    CHECK(answer > 4);
    CHECK(kept_most > 300'000);
}

TEST_CASE("remote bundle: whichever call on files fails in the reading thread, nothing wrong is read") {  // A102
    const Bytes bytes = game_version("7");
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    value_of(RangeClient::open({}));
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const auto read = [&] {
        const auto store = BundleStore::open(disk.path("store"), true);
        if (!store)
            return exit_code_of(store);
        const auto reader = RemoteReader::open(*store, server.url(), id);
        if (!reader)
            return exit_code_of(reader);
        return reader->reads_right() ? 0 : exit_code_of(ErrorCode::corrupt);
    };
    const int runs = fail_each_call(
        1000, {ENOSPC, EIO, EROFS, EDQUOT}, [&] { std::filesystem::remove_all(disk.path("store")); }, read,
        [&](const FailedCall& outcome) {
            CHECK(outcome.is_end({ErrorCode::unreachable}));
            const BundleStore store = value_of(BundleStore::open(disk.path("store"), true));
            if (outcome.number % 4 == 0)
                CHECK(value_of(RemoteReader::open(store, server.url(), id)).reads_right());
            check_fetch_completes(store, server.url(), bytes);
        });
    CHECK(runs > 20);
}

#endif

TEST_CASE("remote bundle: when the disk is full, reads go on, and a fetch uses what was kept") {  // A102
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "12m");
    if (disk.is_missing())
        return;
    constexpr std::size_t kLongerThanReadAhead = 5'000'000;
    const Bytes bytes = BundleMaker()
                            .add_data("a.bin", random_text(1, 300'000))
                            .add_data("b.bin", random_text(2, kLongerThanReadAhead))
                            .write_quickly();
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    const BundleStore store = value_of(BundleStore::open(disk.path("store"), true));
    {
        const RemoteReader reader = value_of(RemoteReader::open(store, server.url(), id));
        Vfs vfs;
        value_of(vfs.mount(reader.bundle->source(), {.allow_unsigned = true}));
        const auto read = [&](const std::string& name) { return value_of(value_of(vfs.open(name)).read_all()); };
        CHECK(read("a.bin") == bytes_of(random_text(1, 300'000)));
        CHECK_FALSE(reader.bundle->why_not_kept());
        disk.fill();
        CHECK(read("b.bin") == bytes_of(random_text(2, kLongerThanReadAhead)));
        REQUIRE(reader.bundle->why_not_kept());
        CHECK(reader.bundle->why_not_kept()->code() == ErrorCode::no_space);
        CHECK(read("a.bin") == bytes_of(random_text(1, 300'000)));
    }
    const std::uint64_t kept = incoming_bytes(store);
    CHECK(kept > 300'000);
    CHECK(value_of(store.check(true)).findings.empty());
    CHECK(value_of(RemoteReader::open(store, server.url(), id)).reads_right(kLongerThanReadAhead));
    std::filesystem::remove(disk.path("filler"));
    const std::uint64_t before = server.sent_bytes();
    check_fetch_completes(store, server.url(), bytes);
    CHECK(server.sent_bytes() - before < bytes.size() - kept + 150'000);
}

TEST_CASE("remote bundle: on a disk without room for anything, everything can be read") {  // A102
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "256k");
    if (disk.is_missing())
        return;
    const Bytes bytes = game_version("7");
    const TreeServer server({bytes});
    const BundleStore store = value_of(BundleStore::open(disk.path("store"), true));
    const RemoteReader reader = value_of(RemoteReader::open(store, server.url(), bundle_id_of(bytes)));
    CHECK(reader.reads_right());
    CHECK(reader.bundle->why_not_kept());
    CHECK(value_of(store.check(true)).findings.empty());
}

}  // namespace fardel::tests::remote_crash_test
