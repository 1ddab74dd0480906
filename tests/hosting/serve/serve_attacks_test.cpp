// What hostile clients get out of fardel serve, and what other clients notice of it.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "kit/ids.h"
#include "kit/raw_connection.h"
#include "kit/serve_program.h"

#include <fardel/cache/cache_layers.h>
#include <fardel/cache/cache_question.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/hosting/publish.h>

#include <sys/resource.h>

namespace fardel::tests::serve_attacks_test {

using Clock = std::chrono::steady_clock;

struct Site {
    ScratchFolder scratch;
    Bytes bytes = game_version("1");
    std::string target = "/" + tree_path_of(bundle_id_of(bytes));

    ServeProgram serve(Arguments options) const {
        value_of(publish_bundle(make_memory_source(bytes), scratch.path("tree")));
        options.insert(options.begin(), scratch.path("tree"));
        return ServeProgram(options);
    }
};

// The median time of requests on connections of their own, in milliseconds.
double median_ms(const ServeProgram& server, const std::string& target) {
    std::vector<double> times;
    for (int i = 0; i < 21; ++i) {
        const auto start = Clock::now();
        RawConnection client(server.port());
        CHECK(client.ask(get_request(target, "Range: bytes=0-65535\r\n")).status == 206);
        times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
}

// Whether a request is as quick as it should be. On a busy machine, a single measurement says little.
bool comes_below(double most_ms, const ServeProgram& server, const std::string& target) {
    double median = median_ms(server, target);
    for (int more = 0; more < 9 && median >= most_ms; ++more)
        median = median_ms(server, target);
    MESSAGE("a request takes " << median << " ms, and may take " << most_ms);
    return median < most_ms;
}

void allow_descriptors(rlim_t wanted) {
    rlimit limit{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    REQUIRE_MESSAGE(limit.rlim_max >= wanted, "the system allows too few descriptors for this test");
    limit.rlim_cur = std::max(limit.rlim_cur, wanted);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

TEST_CASE("serve attacks: 10,000 idle connections do not stop or slow others, and end") {  // A82
    constexpr int kIdle = 10'000;
    allow_descriptors(kIdle + 500);
    const Site site;
    const ServeProgram server = site.serve({"--connections", "4096", "--request-timeout", "10"});
    const double before_ms = median_ms(server, site.target);
    std::vector<RawConnection> idle;
    for (int i = 0; i < kIdle; ++i)
        idle.emplace_back(server.port());
    CHECK(comes_below(5 * before_ms + 50, server, site.target));
    CHECK(server.metric("fardel_connections") <= 4096);
    // Where connecting takes longer than ten seconds, the first ones were silent for too long before.
    CHECK(server.metric("fardel_connections_displaced_total") + server.metric("fardel_connections_silent_total") >=
          kIdle - 4096);
    CHECK(idle.back().is_closed_within(std::chrono::seconds(60)));
    CHECK(server.metric("fardel_connections_silent_total") >= 1);
}

TEST_CASE("serve attacks: heads that come byte by byte end in time, and do not stop others") {  // A82
    const Site site;
    const ServeProgram server = site.serve({"--connections", "512", "--request-timeout", "2"});
    const double before_ms = median_ms(server, site.target);
    std::vector<RawConnection> slow;
    for (int i = 0; i < 400; ++i)
        slow.emplace_back(server.port());
    const auto start = Clock::now();
    const std::string head = get_request(site.target, "X-Long: " + std::string(1000, 'x') + "\r\n");
    std::size_t open = slow.size();
    for (std::size_t at = 0; open > 0 && Clock::now() - start < std::chrono::seconds(60); ++at) {
        open = 0;
        for (const RawConnection& one : slow)
            open += one.send(std::string_view(head).substr(at, 1)) ? 1 : 0;
        if (at == 2)
            CHECK(comes_below(5 * before_ms + 50, server, site.target));
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    CHECK(open == 0);
    CHECK(server.metric("fardel_connections_silent_total") >= 400);
}

std::string lacking_request(std::string_view body) {
    return "POST /lacking HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           std::string(body);
}

std::string make_cache(const ScratchFolder& scratch) {
    value_of(open_folder_layer(scratch.path("cache")));
    return scratch.path("cache");
}

TEST_CASE("serve attacks: questions whose bodies do not come do not stop those of other addresses") {  // A82
    const Site site;
    const ServeProgram server = site.serve({"--per-address", "64", "--cache", make_cache(site.scratch)});
    const std::string request =
        lacking_request(text_of(encode_cache_question({.records = {filled_id<BuildKey>(1)}, .objects = {}})));
    std::vector<RawConnection> slow;
    for (int i = 0; i < 40; ++i) {
        slow.emplace_back(server.port(), 0, std::uint8_t{2});
        REQUIRE(slow.back().send(std::string_view(request).substr(0, request.size() - 10)));
    }
    server.wait_until_none_waits();
    CHECK(RawConnection(server.port(), 0, 2).ask(request).status == 503);
    CHECK(RawConnection(server.port(), 0, 3).ask(request).status == 200);
}

TEST_CASE("serve attacks: questions that are too large, wrong, compressed or without a size are refused") {  // A91
    const Site site;
    const ServeProgram server = site.serve({"--cache", make_cache(site.scratch)});
    const auto status_of = [&](const std::string& request) { return RawConnection(server.port()).ask(request).status; };
    const auto ask = [&](const CacheQuestion& question) {
        return status_of(lacking_request(text_of(encode_cache_question(question))));
    };
    const BuildKey one = filled_id<BuildKey>(1);
    const BuildKey two = filled_id<BuildKey>(2);
    CHECK(ask({.records = {one, two}, .objects = {}}) == 200);
    CHECK(ask({.records = {two, one}, .objects = {}}) == 400);
    CHECK(ask({.records = {one, one}, .objects = {}}) == 400);
    CHECK(status_of(lacking_request("")) == 400);
    CHECK(status_of(lacking_request(random_text(1, 5000))) == 400);
    const std::string head = "POST /lacking HTTP/1.1\r\nHost: h\r\n";
    CHECK(status_of(head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08!") == 400);
    CHECK(status_of(head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n") == 411);
    constexpr std::size_t kIds = 1'000'000;
    CHECK(status_of(head + "Expect: 100-continue\r\nContent-Length: " + std::to_string(20 + 32 * kIds) + "\r\n\r\n") ==
          413);
    // Many ids are answered soon.
    CacheQuestion many{.records = std::vector<BuildKey>(4096), .objects = {}};
    for (std::size_t i = 0; i < many.records.size(); ++i)
        for (std::size_t byte = 0; byte < 4; ++byte)
            many.records[i].bytes[byte] = static_cast<std::uint8_t>(i >> (24 - 8 * byte));
    const auto start = Clock::now();
    CHECK(ask(many) == 200);
    CHECK(Clock::now() - start < std::chrono::seconds(30));
}

TEST_CASE("serve attacks: readers that do not read end, and do not stop others") {  // A82
    const ScratchFolder scratch;
    const Bytes bytes = BundleMaker().add_data("large.bin", random_text(5, 24u << 20)).write_quickly();
    value_of(publish_bundle(make_memory_source(bytes), scratch.path("tree")));
    const ServeProgram server({scratch.path("tree"), "--rate-window", "2"});
    const std::string target = "/" + tree_path_of(bundle_id_of(bytes));
    std::vector<RawConnection> readers;
    for (int i = 0; i < 64; ++i) {
        readers.emplace_back(server.port(), 4096);
        CHECK(readers.back().send(get_request(target)));
    }
    CHECK(comes_below(500, server, target));
    // A connection counts as slow when its end is decided, and its answer as broken when it has ended.
    CHECK(wait_until([&] { return server.metric("fardel_broken_answers_total") >= 64; }));
    CHECK(server.metric("fardel_connections_slow_total") >= 64);
}

TEST_CASE("serve attacks: heads that are too large are refused, whatever part of them is") {  // A82
    const Site site;
    const ServeProgram server = site.serve({});
    const std::string large(64u << 10, 'x');
    for (const std::string& request :
         {get_request("/" + large), get_request(site.target, "X: " + large + "\r\n"), large + " / HTTP/1.1\r\n\r\n",
          large, std::string(64u << 10, '\n'), "GET " + site.target + " HTTP/1.1\r\n" + large}) {
        RawConnection client(server.port());
        static_cast<void>(client.send(request));
        const auto answer = client.read_answer();
        CHECK((answer.status == 0 || (answer.status >= 400 && answer.status < 600)));
        CHECK(answer.body.size() < 4096);
    }
    std::string many;
    for (int i = 0; i < 20'000; ++i)
        many += "A:b\r\n";
    RawConnection client(server.port());
    static_cast<void>(client.send(get_request(site.target, many)));
    const int status = client.read_answer().status;
    CHECK((status == 0 || status >= 400));
    CHECK(comes_below(1000, server, site.target));
}

TEST_CASE("serve attacks: bytes that are no HTTP, and bodies that nobody asked for, change nothing") {  // A82
    const Site site;
    ServeProgram server = site.serve({"--request-timeout", "2"});
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
        RawConnection client(server.port());
        std::string bytes = random_text(seed, 1 + seed * 37 % 3000);
        if (seed % 2 == 0)
            bytes = "GET " + bytes;
        if (seed % 3 == 0)
            bytes = get_request(site.target).substr(0, seed % 60) + bytes + "\r\n\r\n";
        static_cast<void>(client.send(bytes));
    }
    for (const char* const framing :
         {"Content-Length: 99999999999999999999\r\n", "Content-Length: -1\r\n",
          "Content-Length: 5\r\nContent-Length: 6\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
          "Transfer-Encoding: x\r\n", "Transfer-Encoding: chunked\r\n"}) {
        CAPTURE(framing);
        RawConnection client(server.port());
        static_cast<void>(client.send("GET " + site.target + " HTTP/1.1\r\nHost: h\r\n" + framing + "\r\n" +
                                      "ffffffffffffffff\r\n" + random_text(1, 1000)));
        const int status = client.read_answer().status;
        CHECK((status == 0 || status == 200 || (status >= 400 && status < 600)));
    }
    // An endless body is read only so far.
    RawConnection endless(server.port());
    REQUIRE(endless.send("GET " + site.target + " HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n"));
    const std::string piece(1u << 16, 'x');
    std::size_t sent = 0;
    while (sent < 100u << 20 && endless.send(piece))
        sent += piece.size();
    CHECK(sent < 50u << 20);
    CHECK(comes_below(1000, server, site.target));
    CHECK(server.stop().exit_code == 0);
}

// Behind such a head, a proxy and the server could see different requests.
TEST_CASE("serve attacks: a request that says twice how long its body is gets 400, and the connection ends") {  // A153
    const Site site;
    ServeProgram server = site.serve({});
    for (const char* const framing :
         {"Content-Length: 0\r\nContent-Length: 43\r\n", "content-length: 0\r\nContent-Length: 0\r\n",
          "Content-Length: 0, 43\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
          "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: chunked, identity\r\n",
          "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"}) {
        CAPTURE(framing);
        RawConnection client(server.port());
        const auto answer =
            client.ask("GET " + site.target + " HTTP/1.1\r\nHost: h\r\n" + framing + "\r\n" + get_request("/metrics"));
        CHECK(answer.status == 400);
        CHECK(client.is_closed_within(std::chrono::seconds(10)));
    }
    CHECK(server.stop().exit_code == 0);
}

// A proxy, a log and this server could read such a head differently.
TEST_CASE(
    "serve attacks: a head with control characters, or a target that is no path, gets 400, and the log says what "
    "was asked") {  // A153
    const Site site;
    const std::string log = site.scratch.path("log");
    ServeProgram server = site.serve({"--access-log", log});
    using namespace std::string_literals;
    const std::string host = " HTTP/1.1\r\nHost: h\r\n";
    for (const std::string& head : {"GET " + site.target + "\0.html"s + host,
                                    "GET " + site.target + "\0"s + host,
                                    "GET " + site.target + "\x7f"s + host,
                                    "GET " + site.target + "\t"s + host,
                                    "GET " + site.target + "\xc3\xa4"s + host,
                                    "GE\x01T " + site.target + host,
                                    "GET " + site.target + host + "X: a\0b\r\n"s,
                                    "GET " + site.target + host + "X: a\0\r\n"s,
                                    "GET " + site.target + host + "X: a\0b\r\nY: c\r\n"s,
                                    "GET " + site.target + host + "X: a\x1b[31m\r\n",
                                    "GET " + site.target + host + "X: a\r\n b\r\n",
                                    "GET " + site.target + host + "X\x01: a\r\n",
                                    "GET " + site.target + host + "Content-Lengt: 43\r\n h\r\n",
                                    "GET http://h" + site.target + host,
                                    "GET h" + site.target + host,
                                    "OPTIONS *" + host,
                                    "GET " + site.target + "#a" + host,
                                    "GET " + site.target + "%" + host,
                                    "GET " + site.target + "%0" + host,
                                    "GET " + site.target + "%zz" + host}) {
        CAPTURE(head);
        RawConnection client(server.port());
        const auto answer = client.ask(head + "\r\n" + get_request("/metrics"));
        CHECK(answer.status == 400);
        CHECK(client.is_closed_within(std::chrono::seconds(10)));
    }
    // Other spellings of a path are other paths, and of these there are none.
    RawConnection client(server.port());
    const std::string name = site.target.substr(std::string("/bundles/").size());
    for (const std::string& target :
         {"//bundles/" + name, "/bundles//" + name, "/./bundles/" + name, "/bundles/../bundles/" + name,
          "/%62undles/" + name, "/bundles%2f" + name, "/bundles/%2e/" + name, site.target + "/", site.target + "%00"})
        CHECK(client.ask(get_request(target)).status == 404);
    // Nothing of that concerns a head that comes in pieces, has many lines, or lines that end with LF alone.
    std::string many = "Range: bytes=0-0\r\n";
    for (int i = 0; i < 60; ++i)
        many += "X-" + std::to_string(i) + ":\t value; of \xc3\xa4 header \t\r\n";
    const std::string slow = get_request(site.target, many);
    RawConnection pieces(server.port());
    for (std::size_t at = 0; at < slow.size(); at += 97) {
        REQUIRE(pieces.send(std::string_view(slow).substr(at, 97)));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    CHECK(pieces.read_answer().status == 206);
    CHECK(pieces.ask("GET " + site.target + " HTTP/1.1\nHost:h\nRange: bytes=0-0\nX:\n\n").status == 206);
    CHECK(pieces.ask(get_request(site.target + "?a=%41&b")).status == 404);
    CHECK(server.stop().exit_code == 0);
    const std::string lines = site.scratch.read("log");
    CHECK(has(lines, "\"GET " + site.target + "\\x00.html HTTP/1.1\" 400 "));
    CHECK(has(lines, "\"GET " + site.target + "\\x7f HTTP/1.1\" 400 "));
    CHECK(has(lines, "\"GET http://h" + site.target + " HTTP/1.1\" 400 "));
    CHECK(has(lines, "\"GET " + site.target + "?a=%41&b HTTP/1.1\" 404 "));
}

TEST_CASE("serve attacks: answers forbid browsers to guess a type, and other sites to show them in frames") {
    const Site site;
    ServeProgram server = site.serve({});
    RawConnection client(server.port());
    for (const std::string& target : {site.target, std::string("/none")}) {
        const auto answer = client.ask(get_request(target));
        CHECK(answer.field("x-content-type-options") == "nosniff");
        CHECK(answer.field("content-security-policy") == "frame-ancestors 'none'");
    }
    CHECK(server.stop().exit_code == 0);
}

TEST_CASE("serve attacks: with a limit per address, one address has no more connections") {  // A82
    const Site site;
    const ServeProgram server = site.serve({"--per-address", "8"});
    std::vector<RawConnection> clients;
    int served = 0;
    for (int i = 0; i < 20; ++i) {
        clients.emplace_back(server.port());
        served += clients.back().ask(get_request(site.target, "Range: bytes=0-0\r\n")).status == 206 ? 1 : 0;
    }
    CHECK(served == 8);
    clients.clear();
    CHECK(wait_until([&] { return RawConnection(server.port()).ask(get_request(site.target)).status == 200; }));
}

}  // namespace fardel::tests::serve_attacks_test
