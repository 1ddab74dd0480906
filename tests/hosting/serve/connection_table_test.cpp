// The limits on connections, without sockets: the test decides what time it is.
#include "serve/connection_table.h"

#include "kit/test.h"

#include <map>

namespace fardel::tests::connection_table_test {

using std::chrono::seconds;

struct Sockets {
    std::vector<int> ended;
    std::map<int, std::uint64_t> acknowledged;

    SocketCalls calls() {
        return {.shut_down = [this](int socket) { ended.push_back(socket); },
                .acknowledged_bytes = [this](int socket) { return std::optional(acknowledged[socket]); }};
    }
};

constexpr ConnectionLimits kFew{.connections_max = 3, .group_max = 2, .requests_max = 2};
const SteadyTime kStart{};

TEST_CASE("connection table: at the limit, the connection that waits longest ends for a new one") {  // A82
    Sockets sockets;
    ConnectionTable table(kFew, sockets.calls());
    CHECK(table.accept(1, "a", false, kStart));
    CHECK(table.accept(2, "b", false, kStart));
    CHECK(table.accept(3, "c", false, kStart));
    table.begin_request(1, kStart);  // works, so it is not ended
    CHECK(table.accept(4, "d", false, kStart));
    CHECK(sockets.ended == std::vector<int>{2});
    CHECK(table.accept(5, "e", false, kStart));
    CHECK(sockets.ended == std::vector<int>{2, 3});
    table.remove(2);
    table.remove(3);
    CHECK(table.counts().displaced == 2);
    CHECK(table.counts().open == 3);
}

TEST_CASE("connection table: it is crowded while many connections are ending") {  // A82
    Sockets sockets;
    ConnectionTable table(kFew, sockets.calls());
    int accepted = 0;
    for (; !table.is_crowded() && accepted < 1000; ++accepted)
        CHECK(table.accept(accepted, std::to_string(accepted), false, kStart));
    CHECK(accepted == 67);
    CHECK(sockets.ended.size() == 64);
    table.remove(sockets.ended.back());
    CHECK_FALSE(table.is_crowded());
}

TEST_CASE("connection table: if no connection waits, a new one is refused") {
    Sockets sockets;
    ConnectionTable table(kFew, sockets.calls());
    for (int socket = 1; socket <= 3; ++socket) {
        CHECK(table.accept(socket, std::to_string(socket), false, kStart));
        table.begin_request(socket, kStart);
    }
    CHECK_FALSE(table.accept(4, "d", false, kStart));
    table.end_request(2, kStart);
    CHECK(table.accept(4, "d", false, kStart));
    CHECK(sockets.ended == std::vector<int>{2});
}

TEST_CASE("connection table: if no connection waits, the one that moves slowest ends for a new one") {  // A145
    Sockets sockets;
    ConnectionLimits limits = kFew;
    limits.connections_max = 4;
    limits.window_bytes_min = 1;
    ConnectionTable table(limits, sockets.calls());
    for (int socket = 1; socket <= 4; ++socket) {
        CHECK(table.accept(socket, std::to_string(socket), false, kStart));
        table.begin_request(socket, kStart);
    }
    table.begin_answer(2, kStart);
    table.begin_answer(3, kStart);
    table.begin_work(4);
    table.count_received(1, 300'000);
    sockets.acknowledged = {{2, 200'000}, {3, 100'000}};
    CHECK_FALSE(table.accept(5, "e", false, kStart + limits.grace - seconds(1)));
    CHECK(sockets.ended.empty());
    CHECK(table.accept(5, "e", false, kStart + limits.grace));
    CHECK(sockets.ended == std::vector<int>{3});
    table.remove(3);
    table.begin_request(5, kStart + limits.grace);
    // It has its time, too, and while it is slow nobody else ends; nor ever the one that waits for the server.
    CHECK_FALSE(table.accept(6, "f", false, kStart + limits.grace + seconds(9)));
    table.count_received(5, 10'000'000);
    CHECK(table.accept(6, "f", false, kStart + limits.grace + seconds(10)));
    CHECK(table.accept(7, "g", false, kStart + limits.grace + seconds(10)));
    CHECK(sockets.ended == std::vector<int>{3, 2, 6});
    CHECK(table.counts().displaced == 3);
}

TEST_CASE("connection table: one address has so many connections; a proxy on this machine has more") {  // A82
    Sockets sockets;
    ConnectionLimits limits = kFew;
    limits.connections_max = 100;
    ConnectionTable table(limits, sockets.calls());
    CHECK(table.accept(1, "a", false, kStart));
    CHECK(table.accept(2, "a", false, kStart));
    CHECK_FALSE(table.accept(3, "a", false, kStart));
    CHECK(table.accept(4, "b", false, kStart));
    for (int socket = 10; socket < 20; ++socket)
        CHECK(table.accept(socket, "127.0.0.1", true, kStart));
    table.remove(1);
    CHECK(table.accept(3, "a", false, kStart));
    CHECK(table.counts().refused == 1);
    limits.limits_loopback = true;
    ConnectionTable strict(limits, sockets.calls());
    CHECK(strict.accept(1, "127.0.0.1", true, kStart));
    CHECK(strict.accept(2, "127.0.0.1", true, kStart));
    CHECK_FALSE(strict.accept(3, "127.0.0.1", true, kStart));
}

TEST_CASE("connection table: who sends no whole request in time is ended, whatever bytes come") {  // A82
    Sockets sockets;
    ConnectionTable table({}, sockets.calls());
    table.accept(1, "a", false, kStart);
    table.sweep(kStart + seconds(19));
    CHECK(sockets.ended.empty());
    table.begin_request(1, kStart + seconds(19));
    table.end_request(1, kStart + seconds(25));
    table.sweep(kStart + seconds(44));
    CHECK(sockets.ended.empty());
    table.sweep(kStart + seconds(45));
    CHECK(sockets.ended == std::vector<int>{1});
    table.sweep(kStart + seconds(90));
    CHECK(sockets.ended.size() == 1);
    CHECK(table.counts().silent == 1);
}

TEST_CASE("connection table: a slow reader and a slow sender end, fast ones and those that wait for us do not") {
    Sockets sockets;  // A82
    ConnectionTable table({}, sockets.calls());
    for (int socket = 1; socket <= 4; ++socket) {
        table.accept(socket, std::to_string(socket), false, kStart);
        table.begin_request(socket, kStart);
    }
    table.begin_answer(1, kStart);
    table.begin_answer(2, kStart);
    table.begin_work(4);
    for (int round = 1; round <= 3; ++round) {
        sockets.acknowledged[1] += 1u << 20;
        sockets.acknowledged[2] += 1000;
        table.count_received(3, 1000);
        table.sweep(kStart + seconds(30 * round));
    }
    CHECK(sockets.ended.size() == 2);
    CHECK(std::ranges::find(sockets.ended, 2) != sockets.ended.end());
    CHECK(std::ranges::find(sockets.ended, 3) != sockets.ended.end());
    CHECK(table.counts().slow == 2);
}

TEST_CASE("connection table: a connection has so many requests, and none further while the server stops") {
    Sockets sockets;
    ConnectionTable table(kFew, sockets.calls());
    table.accept(1, "a", false, kStart);
    CHECK(table.begin_request(1, kStart));
    table.end_request(1, kStart);
    CHECK_FALSE(table.begin_request(1, kStart));
    table.accept(2, "b", false, kStart);
    table.drain();
    CHECK(sockets.ended == std::vector<int>{2});  // waits; the other one works
    CHECK_FALSE(table.accept(3, "c", false, kStart));
    table.remove(1);
    table.remove(2);
    CHECK(table.counts().open == 0);
}

TEST_CASE("connection table: a descriptor that is used again is another connection") {
    Sockets sockets;
    ConnectionTable table(kFew, sockets.calls());
    table.accept(1, "a", false, kStart);
    CHECK(table.accept(1, "b", false, kStart + seconds(15)));
    CHECK(table.counts().open == 1);
    table.sweep(kStart + seconds(20));
    CHECK(sockets.ended.empty());
    CHECK(table.accept(2, "a", false, kStart));
    CHECK(table.accept(3, "a", false, kStart));
    table.remove(7);  // is none
}

}  // namespace fardel::tests::connection_table_test
