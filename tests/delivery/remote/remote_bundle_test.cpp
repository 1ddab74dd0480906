// Bundles that are read from servers while they are used.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "kit/nginx.h"
#include "vfs/test_bundle.h"

#include <fardel/delivery/remote_bundle.h>
#include <fardel/vfs/vfs.h>

#include <atomic>
#include <mutex>
#include <set>

namespace fardel::tests::remote_bundle_test {

// A small asset, one of 300,000 bytes, and one that is longer than what is read ahead.
constexpr std::size_t kLongBytes = 6'000'000;
Bytes long_game() {
    return BundleMaker()
        .add_data("a.bin", random_text(1, 300'000))
        .add("small.txt", "small")
        .add_data("z.bin", random_text(2, kLongBytes))
        .write_quickly();
}

std::shared_ptr<const RemoteBundle> open_remote(const BundleStore& store, const RemoteServers& servers,
                                                const BundleId& id) {
    return value_of(RemoteBundle::open(store, servers, id));
}

struct RemoteGame {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("7");
    const TreeServer server{std::vector<Bytes>{bytes}};
    const BundleStore store = make_store(scratch);
    const RemoteServers servers = connect_to({server.url()});
};

TEST_CASE_FIXTURE(RemoteGame, "remote bundle: names and content come by range, only what is touched") {
    const auto bundle = open_remote(store, servers, bundle_id_of(bytes));
    CHECK(content_at(bundle->source(), "version.txt") == "7");
    CHECK(server.sent_bytes() < 100'000);
    CHECK(content_at(bundle->source(), "b.bin") == random_text(2, 300'000));
    CHECK(server.sent_bytes() < 420'000);
    CHECK_FALSE(bundle->why_not_kept());
    CHECK(value_of(store.list()).empty());
}

TEST_CASE("remote bundle: what was read is read again without a server; the rest is unreachable") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("7");
    const BundleStore store = make_store(scratch);
    {
        const TreeServer server({bytes});
        const RemoteServers servers = connect_to({server.url()});
        const auto bundle = open_remote(store, servers, bundle_id_of(bytes));
        CHECK(content_at(bundle->source(), "version.txt") == "7");
    }
    const RemoteServers servers = connect_to({"http://127.0.0.1:" + std::to_string(find_free_port())});
    const auto bundle = open_remote(store, servers, bundle_id_of(bytes));
    CHECK(content_at(bundle->source(), "version.txt") == "7");
    CHECK(servers.counts().requests == 0);
    const std::string text = content_at(bundle->source(), "a.bin");
    CHECK(text.starts_with("unreachable: "));
    CHECK(text.find(bundle_id_of(bytes).hex()) != std::string::npos);
    // The next ones fail at once.
    const std::uint64_t requests = servers.counts().requests;
    CHECK(content_at(bundle->source(), "b.bin").starts_with("unreachable: "));
    CHECK(servers.counts().requests == requests);
}

TEST_CASE("remote bundle: a fetch goes on from what was read, and receives no verified byte twice") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("7");
    const TreeServer server({bytes});
    const BundleStore store = make_store(scratch);
    {
        const RemoteServers servers = connect_to({server.url()});
        const auto bundle = open_remote(store, servers, bundle_id_of(bytes));
        CHECK(content_at(bundle->source(), "a.bin") == random_text(1, 300'000));
    }
    const std::uint64_t before = server.sent_bytes();
    const auto fetched = value_of(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()})));
    CHECK(server.sent_bytes() - before < 420'000);
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
    // And the other way round: from the store alone.
    const auto mounts = value_of(open_remote_bundles(store, connect_to({server.url()}), bundle_id_of(bytes)));
    REQUIRE(mounts.size() == 1);
    CHECK_FALSE(mounts[0].remote);
}

TEST_CASE("remote bundle: many threads that read the same bytes wait for one request") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("7");
    std::mutex mutex;
    std::map<std::uint64_t, int> firsts;
    const TreeServer server({bytes}, [&](auto& guest, const RangeRequest& request, auto, auto) {
        {
            const std::scoped_lock lock(mutex);
            ++firsts[request.first];
        }
        guest.sleep(20);
        return false;
    });
    const BundleStore store = make_store(scratch);
    const RemoteServers servers = connect_to({server.url()});
    const auto bundle = open_remote(store, servers, bundle_id_of(bytes));
    Vfs vfs({.cache_bytes = 0});
    value_of(vfs.mount(bundle->source(), {.allow_unsigned = true}));
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 12; ++i)
            threads.emplace_back([&, i] {
                const bool is_a = i % 2 == 0;
                right += content_at(vfs, is_a ? "a.bin" : "b.bin") == random_text(is_a ? 1 : 2, 300'000) ? 1 : 0;
            });
    }
    CHECK(right == 12);
    for (const auto& one : firsts)
        CHECK_MESSAGE(one.second == 1, one.first);
    CHECK(server.sent_bytes() < bytes.size() + 8192);
}

TEST_CASE("remote bundle: a reader of what is here does not wait for a server that stalls") {
    const ScratchFolder scratch;
    const Bytes bytes = long_game();
    std::atomic<bool> stalls = false;
    std::atomic<bool> has_stalled = false;
    const TreeServer server({bytes}, [&](auto& guest, const RangeRequest&, auto, auto) {
        if (!stalls)
            return false;
        has_stalled = true;
        guest.hang();
        return true;
    });
    const BundleStore store = make_store(scratch);
    RemoteServers servers = connect_to({server.url()});
    const auto bundle = open_remote(store, servers, bundle_id_of(bytes));
    Vfs vfs({.cache_bytes = 0});
    value_of(vfs.mount(bundle->source(), {.allow_unsigned = true}));
    CHECK(content_at(vfs, "a.bin") == random_text(1, 300'000));
    CHECK(value_of(vfs.find_stat("z.bin")));
    stalls = true;
    std::string waited;
    std::jthread waiting([&] { waited = content_at(vfs, "z.bin"); });
    wait_until([&] { return has_stalled.load(); });
    CHECK(has_stalled);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i)
        CHECK(content_at(vfs, "a.bin") == random_text(1, 300'000));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));  // the client waits for 60
    servers.close();
    waiting.join();
    CHECK(waited.starts_with("cancelled: "));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(40));
    CHECK(content_at(vfs, "a.bin") == random_text(1, 300'000));
}

TEST_CASE_FIXTURE(RemoteGame, "remote bundle: two programs read one bundle; the second keeps nothing and says so") {
    const auto first = open_remote(store, servers, bundle_id_of(bytes));
    const auto second = open_remote(store, servers, bundle_id_of(bytes));
    CHECK_FALSE(first->why_not_kept());
    REQUIRE(second->why_not_kept());
    CHECK(second->why_not_kept()->code() == ErrorCode::busy);
    CHECK(content_at(second->source(), "a.bin") == random_text(1, 300'000));
    CHECK(content_at(first->source(), "b.bin") == random_text(2, 300'000));
}

TEST_CASE("remote bundle: static dependencies come along, each before those that need it") {
    const ScratchFolder scratch;
    const Bytes base = game_version("base");
    const Bytes mod = game_version("mod", {bundle_id_of(base)});
    const TreeServer server({base, mod});
    const BundleStore store = make_store(scratch);
    const RemoteServers servers = connect_to({server.url()});
    const auto mounts = value_of(open_remote_bundles(store, servers, bundle_id_of(mod)));
    REQUIRE(mounts.size() == 2);
    CHECK(mounts[0].bundle == bundle_id_of(base));
    CHECK(mounts[1].bundle == bundle_id_of(mod));
    CHECK(value_of(RemoteBundle::open(store, servers, bundle_id_of(mod)))->why_not_kept());
}

TEST_CASE_FIXTURE(RemoteGame,
                  "remote bundle: one that the policy does not trust is refused, and nothing of it is kept") {
    const TrustPolicy policy = value_of(TrustPolicy::parse("fardel-trust 1\n"));
    CHECK(code_of(RemoteBundle::open(store, servers, bundle_id_of(bytes), &policy)) == ErrorCode::untrusted);
    CHECK(value_of(store.check(true)).incoming_bytes < 1000);
    CHECK(content_at(open_remote(store, servers, bundle_id_of(bytes))->source(), "version.txt") == "7");
}

TEST_CASE("remote bundle: reading goes on after a pause, also of what was under way") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("7");
    const TreeServer server({bytes}, [](auto& guest, const RangeRequest& request, auto, auto) {
        if (request.number > 0)
            guest.sleep(100);
        return false;
    });
    const BundleStore store = make_store(scratch);
    RemoteServers servers = connect_to({server.url()});
    const auto bundle = open_remote(store, servers, bundle_id_of(bytes));
    const AssetId a = asset_id_of(bytes_of(random_text(1, 300'000)));
    servers.pause();
    CHECK(content_at(bundle->source(), "version.txt") == "7");
    REQUIRE(bundle->want({&a, 1}, 1));
    servers.pause();
    CHECK(content_at(bundle->source(), "a.bin") == random_text(1, 300'000));
}

TEST_CASE_FIXTURE(RemoteGame, "remote bundle: wanted assets come while nobody reads them") {
    const auto bundle = open_remote(store, servers, bundle_id_of(bytes));
    const AssetId a = asset_id_of(bytes_of(random_text(1, 300'000)));
    CHECK_FALSE(value_of(bundle->is_here(a)));
    REQUIRE(bundle->want({&a, 1}, 5));
    wait_until([&] { return value_of(bundle->is_here(a)); });
    CHECK(value_of(bundle->is_here(a)));
    const AssetId none{};
    CHECK(bundle->want({&none, 1}, 5).error().code() == ErrorCode::missing);
}

TEST_CASE("remote bundle: what is wanted more, or read, overtakes what was wanted before") {
    constexpr std::uint32_t kParts = 7;
    BundlePlan plan;
    std::vector<std::string> contents;
    std::vector<AssetId> ids;
    for (std::uint32_t i = 0; i < kParts; ++i) {
        contents.push_back(random_text(i, kPartBytes));
        ids.push_back(asset_id_of(bytes_of(contents.back())));
        add(plan, std::to_string(i), contents.back(), "application/octet-stream");
    }
    const Bytes bytes = written(plan);
    std::atomic<bool> is_held = true;
    std::atomic<bool> is_first_answered = false;
    std::mutex mutex;
    std::vector<std::size_t> order;
    const auto requested = [&] {
        const std::scoped_lock lock(mutex);
        return order;
    };
    // The first request for content waits for its answer. Each connection is closed after one answer, so that the next
    // request needs a new one, about which nothing is known while the first request waits.
    const auto serve = [&](OddServer::Guest& guest, const RangeRequest& request, std::string_view right_bytes,
                           std::uint64_t file_bytes) {
        const auto found = std::ranges::find_if(
            contents, [&](const std::string& one) { return right_bytes.find(one.substr(0, 100)) != right_bytes.npos; });
        bool is_first = false;
        if (found != contents.end()) {
            const std::scoped_lock lock(mutex);
            is_first = order.empty();
            order.push_back(static_cast<std::size_t>(found - contents.begin()));
        }
        for (int i = 0; i < 4000 && is_first && is_held; ++i)
            guest.sleep(10);
        if (is_first)
            is_first_answered = true;
        guest.send(partial_answer(right_bytes, request.first, file_bytes, "Connection: close\r\n"));
        return true;
    };
    const TreeServer server({bytes}, serve);
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    // Of two connections, one is for what nobody waits for.
    const RemoteServers servers = value_of(
        RemoteServers::open({.servers = {server.url()}, .connections = 2, .stall_timeout = std::chrono::seconds(60)}));
    const auto bundle = open_remote(store, servers, bundle_id_of(bytes));
    for (const AssetId& id : ids)
        CHECK_FALSE(value_of(bundle->is_here(id)));
    const auto want = [&](std::size_t part, std::int32_t priority) {
        REQUIRE(bundle->want({&ids[part], 1}, priority));
    };
    want(0, 1);
    wait_until([&] { return !requested().empty(); });
    for (const std::size_t low : {1, 2, 3})
        want(low, 1);
    want(4, 5);
    want(5, 9);
    want(6, 1);
    CHECK(content_at(bundle->source(), "3") == contents[3]);
    CHECK_FALSE(is_first_answered);
    CHECK(requested() == std::vector<std::size_t>{0, 3});
    is_held = false;
    wait_until([&] { return value_of(bundle->is_here(ids[6])); });
    CHECK(requested() == std::vector<std::size_t>{0, 3, 5, 4, 1, 2, 6});
}

TEST_CASE("remote bundle: the rule for servers is kept, also for names that lead to this machine") {  // A89
    const ScratchFolder scratch;
    const Bytes bytes = game_version("7");
    const TreeServer server({bytes});
    const std::string port = server.url().substr(server.url().rfind(':'));
    const BundleStore store = make_store(scratch);
    RemoteOptions options;
    for (const std::string host : {"127.0.0.1", "localhost", "10.0.0.1", "192.168.1.1", "169.254.169.254", "[::1]"})
        for (const std::string& url : {"http://" + host + port, "https://" + host + port, "https://" + host}) {
            CAPTURE(url);
            options.servers = ServerList::of_strangers({{ForeignUrl(url)}});
            const RemoteServers servers = value_of(RemoteServers::open(options));
            CHECK(code_of(RemoteBundle::open(store, servers, bundle_id_of(bytes))) == ErrorCode::denied);
        }
    CHECK(server.requests().empty());
    for (const char* const url : {"file:///etc", "http://user:word@localhost/", "ftp://localhost/"}) {
        options.servers = {url};
        CHECK(code_of(RemoteServers::open(options)) == ErrorCode::malformed);
    }
    options.servers = ServerList::of_strangers({{ForeignUrl("http://localhost" + port)}}, {"localhost" + port});
    const RemoteServers servers = value_of(RemoteServers::open(options));
    CHECK(content_at(open_remote(store, servers, bundle_id_of(bytes))->source(), "version.txt") == "7");
}

TEST_CASE("remote bundle: a redirect is denied, wherever it leads") {  // A89
    const ScratchFolder scratch;
    const Bytes bytes = game_version("7");
    const TreeServer server({bytes}, [](auto& guest, const RangeRequest&, auto, auto) {
        guest.send(http_answer("302 Found", "", "Location: http://127.0.0.1:1/\r\n"));
        return true;
    });
    const BundleStore store = make_store(scratch);
    const RemoteServers servers = connect_to({server.url()});
    CHECK(code_of(RemoteBundle::open(store, servers, bundle_id_of(bytes))) == ErrorCode::denied);
}

}  // namespace fardel::tests::remote_bundle_test
