// Fetch: driven from a program's own loop, on one thread.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"

#include <fardel/delivery/fetch.h>

#include <atomic>

namespace fardel::tests::fetch_loop_test {

using namespace std::chrono_literals;

FetchWork work_of(const std::string& url, const BundleId& bundle) {
    FetchWork work;
    work.servers = {url};
    work.bundles = {bundle};
    return work;
}

// Polls as a game does, once per frame, for at most a minute.
bool poll_to_end(Fetch& fetch) {
    for (int frame = 0; frame < 12'000; ++frame)
        if (fetch.poll(5ms))
            return true;
    return false;
}

Bytes licensed_version() {
    BundlePlan plan;
    add(plan, "a.bin", random_text(1, 300'000), "application/octet-stream");
    plan.metadata.push_back({.key = "name", .value = "game"});
    plan.metadata.push_back({.key = "licence", .value = "CC-BY-4.0\x1b[31m"});
    return written(plan);
}

TEST_CASE("fetch loop: callbacks come in order, on the thread that polls, and the bundle is in the store") {
    const ScratchFolder scratch;
    const Bytes bytes = licensed_version();
    const TreeServer server({bytes});
    const BundleStore store = make_store(scratch);
    const auto here = std::this_thread::get_id();
    Fetch* running = nullptr;
    int frames_asked = 0;
    bool ended = false;
    std::uint64_t received = 0;
    FetchCallbacks callbacks;
    callbacks.planned = [&](const FetchPlan& plan) {
        CHECK(std::this_thread::get_id() == here);
        REQUIRE(plan.bundles.size() == 1);
        CHECK(plan.bundles[0].name == "game");
        CHECK(plan.bundles[0].licence.starts_with("CC-BY-4.0"));
        CHECK(plan.bundles[0].licence.find('\x1b') == std::string::npos);
        CHECK(plan.fetch_bytes >= 300'000);
        frames_asked = 1;
    };
    callbacks.progress = [&](const FetchProgress& progress) {
        CHECK(std::this_thread::get_id() == here);
        CHECK(frames_asked > 10);  // nothing of the content came before consent
        CHECK(progress.received_bytes >= received);
        received = progress.received_bytes;
    };
    callbacks.ended = [&](const Result<FetchSummary>& outcome) {
        CHECK(std::this_thread::get_id() == here);
        CHECK(static_cast<bool>(outcome));
        ended = true;
    };
    Fetch fetch = value_of(Fetch::start(store, work_of(server.url(), bundle_id_of(bytes)), std::move(callbacks)));
    running = &fetch;
    for (int frame = 0; frame < 20'000 && !fetch.poll(); ++frame) {
        CHECK(fetch.outcome() == nullptr);
        if (frames_asked > 0 && ++frames_asked == 20)  // somebody reads the licence for some frames
            running->accept();
        std::this_thread::sleep_for(2ms);
    }
    CHECK(ended);
    REQUIRE(fetch.outcome() != nullptr);
    CHECK(fetch.poll());
    CHECK(received >= 300'000);
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
}

TEST_CASE_FIXTURE(ServedGame, "fetch loop: a plan that is refused ends with the reason, and without one with denied") {
    for (const bool has_reason : {true, false}) {
        Fetch* running = nullptr;
        FetchCallbacks callbacks;
        callbacks.planned = [&](const FetchPlan&) {
            if (has_reason)
                running->refuse(Error(ErrorCode::limit, "too much for this connection"));
            else
                running->refuse();
        };
        Fetch fetch = value_of(Fetch::start(store, work_of(server.url(), bundle_id_of(bytes)), std::move(callbacks)));
        running = &fetch;
        const auto& outcome = fetch.wait();
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().code() == (has_reason ? ErrorCode::limit : ErrorCode::denied));
    }
    CHECK(server.sent_bytes() < 50'000);
    CHECK_FALSE(is_whole(store, bundle_id_of(bytes)));
}

TEST_CASE("fetch loop: poll never waits longer than told, whatever the server does") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer server({bytes}, [](OddServer::Guest& guest, const RangeRequest&, std::string_view, std::uint64_t) {
        guest.hang();
        return true;
    });
    const BundleStore store = make_store(scratch);
    const auto begin = std::chrono::steady_clock::now();
    {
        Fetch fetch = value_of(Fetch::start(store, work_of(server.url(), bundle_id_of(bytes))));
        for (int frame = 0; frame < 10; ++frame)
            CHECK_FALSE(fetch.poll());
        CHECK(std::chrono::steady_clock::now() - begin < 10s);  // a server may stall for 30
        CHECK_FALSE(fetch.poll(50ms));
    }  // ends although the server hangs
    CHECK(std::chrono::steady_clock::now() - begin < 20s);
    CHECK(value_of(store.list()).empty());
}

TEST_CASE_FIXTURE(
    ServedGame,
    "fetch loop: cancelled at any moment, also while it waits for consent, it ends, and the next one goes on") {
    Fetch* running = nullptr;
    FetchCallbacks callbacks;
    callbacks.planned = [&](const FetchPlan&) { running->cancel(); };
    Fetch asked = value_of(Fetch::start(store, work_of(server.url(), bundle_id_of(bytes)), callbacks));
    running = &asked;
    REQUIRE(poll_to_end(asked));
    CHECK(asked.outcome()->error().code() == ErrorCode::cancelled);

    FetchWork slow = work_of(server.url(), bundle_id_of(bytes));
    slow.bytes_per_second_max = 100'000;
    callbacks.planned = nullptr;
    callbacks.progress = [&](const FetchProgress&) { running->cancel(); };
    Fetch begun = value_of(Fetch::start(store, slow, callbacks));
    running = &begun;
    REQUIRE(poll_to_end(begun));
    CHECK(begun.outcome()->error().code() == ErrorCode::cancelled);

    Fetch last = value_of(Fetch::start(store, work_of(server.url(), bundle_id_of(bytes))));
    CHECK(static_cast<bool>(last.wait()));
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
}

TEST_CASE("fetch loop: several at once, of different bundles and of one") {
    const ScratchFolder scratch;
    std::vector<Bytes> versions;
    for (const char* const number : {"1", "2", "3"})
        versions.push_back(game_version(number));
    const TreeServer server(versions);
    const BundleStore store = make_store(scratch);
    std::vector<Fetch> fetches;
    for (const Bytes& bytes : versions)
        fetches.push_back(value_of(Fetch::start(store, work_of(server.url(), bundle_id_of(bytes)))));
    Fetch again = value_of(Fetch::start(store, work_of(server.url(), bundle_id_of(versions[0]))));
    for (Fetch& fetch : fetches)
        REQUIRE(poll_to_end(fetch));
    REQUIRE(poll_to_end(again));
    // Of the two that fetch one bundle, one may find the other at work.
    for (const Fetch* const one : {&fetches[0], &again})
        CHECK((*one->outcome() || one->outcome()->error().code() == ErrorCode::busy));
    CHECK((*fetches[0].outcome() || *again.outcome()));
    for (const Bytes& bytes : versions)
        CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
}

TEST_CASE("fetch loop: what cannot begin is an error at once") {
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    for (const char* const url : {"", "file:///etc", "http://user:word@127.0.0.1/"})
        CHECK(code_of(Fetch::start(store, work_of(url, filled_id<BundleId>(1)))) == ErrorCode::malformed);
    CHECK(code_of(Fetch::start(store, FetchWork{})) == ErrorCode::malformed);
}

TEST_CASE_FIXTURE(ServedGame,
                  "fetch loop: the rule for servers is kept, and one that is malformed is an error at once") {  // A89
    FetchWork work = work_of(server.url(), bundle_id_of(bytes));
    const std::vector<std::string> url{server.url()};
    ServerRule rule = ServerRule::public_https();
    work.servers = ServerList(url, rule);
    Fetch refused = value_of(Fetch::start(store, work));
    REQUIRE_FALSE(refused.wait());
    CHECK(refused.wait().error().code() == ErrorCode::denied);
    CHECK(server.requests().empty());
    rule.allowed_hosts = {"127.0.0.1"};
    work.servers = ServerList(url, rule);
    Fetch allowed = value_of(Fetch::start(store, work));
    CHECK(static_cast<bool>(allowed.wait()));
    rule.allowed_hosts = {"http://127.0.0.1"};
    work.servers = ServerList(url, rule);
    CHECK(code_of(Fetch::start(store, work)) == ErrorCode::malformed);
}

TEST_CASE_FIXTURE(ServedGame, "fetch loop: URLs of strangers are no texts, and lead to public servers alone") {  // A152
    static_assert(!std::is_convertible_v<ForeignUrl, std::string> &&
                  !std::is_constructible_v<ServerList, std::vector<ForeignUrl>>);
    const std::vector<ForeignUrl> named{ForeignUrl(server.url())};
    FetchWork work = work_of("http://unused", bundle_id_of(bytes));
    work.servers = ServerList::of_strangers(named, {"example.org"});
    work.servers.add("http://localhost" + server.url().substr(server.url().rfind(':')));  // in any company
    Fetch refused = value_of(Fetch::start(store, work));
    CHECK(code_of(refused.wait()) == ErrorCode::denied);
    CHECK(server.requests().empty());
    work.servers = ServerList::of_strangers(named, {"127.0.0.1"});
    Fetch allowed = value_of(Fetch::start(store, work));
    CHECK(static_cast<bool>(allowed.wait()));
}

TEST_CASE_FIXTURE(ServedGame, "fetch: the limit of bytes per second is that of all transfers together") {
    FetchWork work = work_of(server.url(), bundle_id_of(bytes));
    work.bytes_per_second_max = 400'000;
    work.connections = 6;
    FetchCallbacks callbacks;
    FetchProgress latest;
    callbacks.progress = [&](const FetchProgress& progress) { latest = progress; };
    const auto begin = std::chrono::steady_clock::now();
    Fetch fetch = value_of(Fetch::start(store, work, callbacks));
    CHECK(static_cast<bool>(fetch.wait()));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    CHECK(seconds > 1.0);  // 600,000 bytes
    CHECK(seconds < 60);
    CHECK(latest.received_bytes >= 600'000);
    CHECK(latest.bytes_per_second > 0);
    CHECK(latest.bytes_per_second < 900'000);
    CHECK(latest.seconds_left == 0);
}

TEST_CASE(
    "fetch loop: what a server does wrong is reported on the thread that polls, though another one has the bundle") {
    const ScratchFolder scratch;
    const Bytes bytes = licensed_version();
    const TreeServer empty(std::vector<Bytes>{});
    const TreeServer server({bytes});
    const BundleStore store = make_store(scratch);
    const auto here = std::this_thread::get_id();
    std::vector<std::string> faults;
    FetchCallbacks callbacks;
    callbacks.fault = [&](const Error& fault) {
        CHECK(std::this_thread::get_id() == here);
        faults.push_back(fault.message());
    };
    FetchWork work = work_of(empty.url(), bundle_id_of(bytes));
    work.servers = {empty.url(), server.url()};
    Fetch fetch = value_of(Fetch::start(store, work, std::move(callbacks)));
    REQUIRE(poll_to_end(fetch));
    CHECK(static_cast<bool>(*fetch.outcome()));
    REQUIRE_FALSE(faults.empty());
    check_has(faults.front(), empty.url());
}

}  // namespace fardel::tests::fetch_loop_test
