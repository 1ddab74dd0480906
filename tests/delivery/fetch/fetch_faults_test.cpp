// Fetching from servers that fail, lie or attack: the right error or the right bytes, and nothing unverified visible.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"

#include <fardel/base/fits.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <atomic>
#include <mutex>

namespace fardel::tests::fetch_faults_test {

constexpr std::chrono::seconds kPatient{60};
constexpr std::chrono::seconds kImpatient{2};  // with servers that stall

// What a client gets from one server that always has the fault. Nothing of it may be visible.
ErrorCode refusal_of(const TreeServer::Fault& fault, std::chrono::seconds stall_timeout = kPatient) {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer server({bytes}, fault);
    const BundleStore store = make_store(scratch);
    const auto fetched = fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()}, stall_timeout));
    CHECK(value_of(store.list()).empty());
    REQUIRE_FALSE(fetched);
    CHECK(fetched.error().message().find("127.0.0.1") != std::string::npos);
    return fetched.error().code();
}

// The fault hits each request once; then the server is right. The client must end with the right bytes.
void survives_once(const TreeServer::Fault& fault) {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    std::map<std::uint64_t, int> seen;
    std::mutex mutex;
    const TreeServer server({bytes}, [&](auto& guest, const auto& request, auto right, auto file_bytes) {
        {
            const std::scoped_lock lock(mutex);
            if (seen[request.last]++ > 0)
                return false;
        }
        return fault(guest, request, right, file_bytes);
    });
    const BundleStore store = make_store(scratch);
    require_good(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()})));
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
}

// One server always has the fault; the other is right.
void survives_with_mirror(const TreeServer::Fault& fault, std::chrono::seconds stall_timeout = kPatient) {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer bad({bytes}, fault);
    const TreeServer good({bytes});
    const BundleStore store = make_store(scratch);
    require_good(fetch_one(store, bundle_id_of(bytes), fetching_from({bad.url(), good.url()}, stall_timeout)));
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
}

using Guest = OddServer::Guest;

TreeServer::Fault answering(std::string_view status, std::string_view body, std::string_view headers = "") {
    return [answer = http_answer(status, body, headers)](Guest& guest, const RangeRequest&, std::string_view,
                                                         std::uint64_t) {
        guest.send(answer);
        return true;
    };
}

bool flip(Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
    std::string wrong(right);
    wrong[wrong.size() / 2] = static_cast<char>(wrong[wrong.size() / 2] ^ 1);
    guest.send(partial_answer(wrong, request.first, file_bytes));
    return true;
}

bool cut(Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
    const std::string answer = partial_answer(right, request.first, file_bytes);
    guest.send(std::string_view(answer).substr(0, answer.size() - right.size() / 3 - 1));
    return true;
}

bool reset_connection(Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
    cut(guest, request, right, file_bytes);
    guest.reset();
    return true;
}

bool wrong_range(Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
    guest.send(partial_answer(right, request.first == 0 ? 1 : request.first - 1, file_bytes));
    return true;
}

bool wrong_size(Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
    guest.send(partial_answer(right, request.first, file_bytes + (request.first == 0 ? 0 : 1)));
    return true;
}

bool no_range(Guest& guest, const RangeRequest&, std::string_view right, std::uint64_t) {
    guest.send(http_answer("206 Partial Content", right));
    return true;
}

bool encoded(Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
    guest.send(partial_answer(right, request.first, file_bytes, "Content-Encoding: gzip\r\n"));
    return true;
}

bool no_http(Guest& guest, const RangeRequest&, std::string_view, std::uint64_t) {
    guest.send("SSH-2.0-OpenSSH_9.2\r\n");
    return true;
}

bool stall(Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
    const std::string answer = partial_answer(right, request.first, file_bytes);
    guest.send(std::string_view(answer).substr(0, answer.size() - right.size() + 10));
    guest.hang();
    return true;
}

bool endless_headers(Guest& guest, const RangeRequest&, std::string_view, std::uint64_t) {
    guest.send("HTTP/1.1 206 Partial Content\r\n");
    const std::string line = "X-Filler: " + std::string(1000, 'x') + "\r\n";
    while (guest.send(line)) {
    }
    return true;
}

bool endless_body(Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
    guest.send("HTTP/1.1 206 Partial Content\r\nTransfer-Encoding: chunked\r\nContent-Range: bytes " +
               std::to_string(request.first) + "-" + std::to_string(request.last) + "/" + std::to_string(file_bytes) +
               "\r\n\r\n");
    std::string chunk = "1000\r\n" + std::string(right.substr(0, 0)) + std::string(0x1000, 'x') + "\r\n";
    while (guest.send(chunk)) {
    }
    return true;
}

TEST_CASE("fetch faults: a fault that hits each request once costs only the repetition") {  // A83, A84, A85, A86
    survives_once(flip);
    survives_once(cut);
    survives_once(reset_connection);
    survives_once(wrong_range);
    survives_once(no_range);
    survives_once(encoded);
    survives_once(answering("503 Service Unavailable", "later", "Retry-After: 99999999999\r\n"));  // A87
    survives_once(answering("500 Internal Server Error", "<html>"));
    survives_once(answering("200 OK", "<html>sign in to this network</html>"));  // a captive portal
}

TEST_CASE("fetch faults: another server helps against every fault of the first one") {  // A88
    for (const TreeServer::Fault& fault :
         {TreeServer::Fault(flip), TreeServer::Fault(cut), TreeServer::Fault(wrong_range),
          TreeServer::Fault(wrong_size), TreeServer::Fault(encoded), TreeServer::Fault(no_http),
          TreeServer::Fault(endless_headers), TreeServer::Fault(endless_body), answering("404 Not Found", ""),
          answering("403 Forbidden", ""), answering("302 Found", "", "Location: http://127.0.0.1:1/\r\n"),
          answering("200 OK", "<html>")})
        survives_with_mirror(fault);
    survives_with_mirror(stall, kImpatient);
}

TEST_CASE("fetch faults: a server that always fails gives the error that says so") {  // A80, A81, A87
    CHECK(refusal_of(answering("404 Not Found", "")) == ErrorCode::missing);
    CHECK(refusal_of(answering("403 Forbidden", "")) == ErrorCode::denied);
    CHECK(refusal_of(answering("429 Too Many Requests", "")) == ErrorCode::busy);
    CHECK(refusal_of(answering("503 Service Unavailable", "", "Retry-After: -1\r\n")) == ErrorCode::busy);
    CHECK(refusal_of(answering("500 Internal Server Error", std::string(1 << 20, 'x'))) == ErrorCode::unreachable);
    CHECK(refusal_of(no_http) == ErrorCode::corrupt);
    CHECK(refusal_of(stall, kImpatient) == ErrorCode::unreachable);
    CHECK(refusal_of(flip) == ErrorCode::corrupt);
    CHECK(refusal_of(cut) == ErrorCode::corrupt);
    CHECK(refusal_of(wrong_range) == ErrorCode::corrupt);
    CHECK(refusal_of(endless_body) == ErrorCode::corrupt);
    CHECK(refusal_of(encoded) == ErrorCode::corrupt);
}

TEST_CASE("fetch faults: a server that wants to be asked later is asked later, within a limit") {  // A87
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    for (const char* const seconds : {"1", "99999999999", "999999999999999999999999999"}) {
        CAPTURE(seconds);
        std::atomic<bool> refused = false;
        const TreeServer server({bytes}, [&](Guest& guest, const RangeRequest&, std::string_view, std::uint64_t) {
            if (refused.exchange(true))
                return false;
            guest.send(http_answer("503 Service Unavailable", "", "Retry-After: " + std::string(seconds) + "\r\n"));
            return true;
        });
        const BundleStore store = make_store(scratch, seconds);
        FetchOptions options = fetching_from({server.url()});
        options.times.retry_after_max = std::chrono::seconds(2);
        const auto begin = std::chrono::steady_clock::now();
        CHECK(fetch_one(store, bundle_id_of(bytes), options));
        const auto waited = std::chrono::steady_clock::now() - begin;
        CHECK(waited >= std::chrono::seconds(*seconds == '1' ? 1 : 2));
        CHECK(waited < std::chrono::seconds(60));
    }
}

TEST_CASE("fetch faults: redirects are not followed, wherever they lead") {  // A89
    for (const char* const target : {"file:///etc/passwd", "http://169.254.169.254/latest/meta-data/",
                                     "http://127.0.0.1:1/", "//localhost/", "gopher://127.0.0.1/"})
        CHECK(refusal_of(answering("302 Found", "", "Location: " + std::string(target) + "\r\n")) == ErrorCode::denied);
}

TEST_CASE("fetch faults: servers that others name are reached only at public addresses, by https on its port") {  // A89
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer server({bytes});
    const std::string port = server.url().substr(server.url().rfind(':'));
    const BundleStore store = make_store(scratch);
    const BundleId id = bundle_id_of(bytes);
    const auto refused_by = [&](const ServerRule& rule, const std::string& url) {
        FetchOptions options = fetching_from({url});
        options.work.servers = ServerList({url}, rule);
        return code_of(fetch_one(store, id, options)) == ErrorCode::denied;
    };
    // "localhost" is a name that leads to loopback, as any name can.
    for (const std::string host :
         {"127.0.0.1", "localhost", "127.1", "2130706433", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]"}) {
        CAPTURE(host);
        CHECK(refused_by({.public_addresses_only = true}, "http://" + host + port));
        CHECK(refused_by({.port_443_only = true}, "http://" + host + port));
        CHECK(refused_by(ServerRule::public_https(), "https://" + host + port));
        CHECK(refused_by(ServerRule::public_https(), "https://" + host));
    }
    CHECK(refused_by({.tls_only = true}, server.url()));
    CHECK(server.requests().empty());
    CHECK(fetch_one(store, id, fetching_from({server.url()})));  // what the user has typed
}

TEST_CASE("fetch faults: a server that is allowed by name may be anywhere, and no other one") {  // A89
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer server({bytes});
    const std::string port = server.url().substr(server.url().rfind(':'));
    const BundleStore store = make_store(scratch);
    const auto outcome = [&](const std::string& url, std::vector<std::string> allowed) {
        FetchOptions options = fetching_from({url});
        options.work.servers = ServerList::of_strangers({{ForeignUrl(url)}}, std::move(allowed));
        return fetch_one(store, bundle_id_of(bytes), options);
    };
    const std::string url = "http://LocalHost" + port;
    for (const char* const other : {"localhost:443", "example.org", "127.0.0.1", "host", "localhos"})
        CHECK(code_of(outcome(url, {other})) == ErrorCode::denied);
    for (const std::string& malformed :
         {std::string(), std::string("http://localhost"), "localhost" + port + "/", std::string("localhost:"),
          std::string("localhost:99999"), std::string("a b"), std::string("user@localhost")})
        CHECK(code_of(outcome(url, {malformed})) == ErrorCode::malformed);
    CHECK(server.requests().empty());
    CHECK(outcome(url, {"example.org", "localhost" + port}));
    CHECK(is_whole(store, bundle_id_of(bytes)));
    const std::string number = "http://127.0.0.1" + port;
    CHECK(code_of(fetch_one(make_store(scratch, "other"), bundle_id_of(bytes), [&] {
              FetchOptions options = fetching_from({number});
              options.work.servers = ServerList::of_strangers({{ForeignUrl(number)}}, {"localhost"});
              return options;
          }())) == ErrorCode::denied);
}

TEST_CASE("fetch faults: of a body that is cut, the blocks that came whole are not fetched again") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    std::atomic<int> cuts = 0;
    const TreeServer server(
        {bytes}, [&](Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
            if (right.size() < 200'000 || ++cuts > 4)
                return false;
            const std::string answer = partial_answer(right, request.first, file_bytes);
            guest.send(std::string_view(answer).substr(0, answer.size() - right.size() + 140'000));
            return true;
        });
    const BundleStore store = make_store(scratch);
    value_of(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()})));
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
    std::uint64_t before = 0;
    for (const RangeRequest& request : server.requests())
        if (request.last > 600'000 && request.first >= 8192 && request.first < 600'000) {
            CHECK((before == 0 || request.first >= before + 100'000));  // of 140,000 bytes, more are whole blocks
            before = request.first;
        }
    CHECK(before != 0);
}

struct StoredRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// Where the blocks are in a bundle file, in order.
std::vector<StoredRange> block_ranges_of(const Bytes& bytes) {
    const auto bundle = open_bundle(bytes);
    std::vector<StoredRange> ranges;
    for (std::uint32_t i = 0; i < bundle->table_count(TableKind::blocks); ++i) {
        const BlockRecord block = value_of(bundle->block(i));
        const std::uint64_t begin = bundle->layout_head().blocks_offset + block.stored_offset;
        ranges.push_back({.begin = begin, .end = begin + block.stored_bytes});
    }
    std::ranges::sort(ranges, {}, &StoredRange::begin);
    return ranges;
}

TEST_CASE("fetch faults: wherever a body is cut, wrong or stalls, no block before is asked for again") {  // A85
    const Bytes bytes = game_version("1");
    const std::vector<StoredRange> blocks = block_ranges_of(bytes);
    REQUIRE(blocks.size() > 8);
    const auto check = [&](const std::string& kind, std::uint64_t at) {  // in the file
        CAPTURE(kind);
        CAPTURE(at);
        std::mutex mutex;
        std::vector<RangeRequest> asked;  // for blocks
        const TreeServer server(
            {bytes}, [&](Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
                if (request.first < blocks.front().begin || request.first >= blocks.back().end)
                    return false;
                {
                    const std::scoped_lock lock(mutex);
                    asked.push_back(request);
                    if (asked.size() > 1)
                        return false;
                }
                std::string answer = partial_answer(right, request.first, file_bytes);
                const std::size_t place = answer.size() - right.size() + static_cast<std::size_t>(at - request.first);
                if (kind == "wrong")
                    answer[place] = static_cast<char>(answer[place] ^ 1);
                guest.send(kind == "wrong" ? answer : answer.substr(0, place));
                if (kind == "stalls")
                    guest.hang();
                return true;
            });
        const ScratchFolder scratch;
        const BundleStore store = make_store(scratch);
        FetchOptions options = fetching_from({server.url()});
        options.times.stall_timeout = std::chrono::seconds(kind == "stalls" ? 2 : 30);
        value_of(fetch_one(store, bundle_id_of(bytes), options));
        CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
        const std::scoped_lock lock(mutex);
        REQUIRE(asked.size() >= 2);
        CHECK(asked[0].first == blocks.front().begin);
        // Of a block that came in part, the rest; one that is wrong, again.
        const auto block = std::ranges::find_if(blocks, [&](const auto& one) { return one.end > at; });
        CHECK(asked[1].first == (kind == "wrong" ? block->begin : at));
        CHECK(asked[1].last == asked[0].last);
    };
    for (const std::size_t block : {std::size_t{0}, std::size_t{3}, blocks.size() - 2}) {  // the last has one byte
        REQUIRE(blocks[block].end - blocks[block].begin > 2);
        check("is cut", blocks[block].begin + 1);
        check("is cut", blocks[block].end - 1);
        check("wrong", blocks[block].end - 1);
    }
    check("is cut", blocks[0].begin);
    check("is cut", blocks[3].end);
    check("stalls", blocks[5].end);
}

TEST_CASE("fetch faults: a server that ignores ranges is used, and not read to its end") {  // A83
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer server({bytes}, [&](Guest& guest, const RangeRequest&, std::string_view, std::uint64_t) {
        guest.send(http_answer("200 OK", {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
        return true;
    });
    const BundleStore store = make_store(scratch);
    value_of(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()})));
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
}

TEST_CASE("fetch faults: another bundle under the id, genuine or with tables of another, is corrupt") {  // A88
    const Bytes other = game_version("other");
    CHECK(refusal_of([&](Guest& guest, const RangeRequest& request, std::string_view, std::uint64_t) {
              const std::string_view whole(reinterpret_cast<const char*>(other.data()), other.size());
              guest.send(partial_answer(whole.substr(request.first, request.last + 1 - request.first), request.first,
                                        other.size()));
              return true;
          }) == ErrorCode::corrupt);
}

// A bundle file whose layout lies about a block: the stored hash is right for the bytes that are there, and these are
// not the manifest's. Everything under the bundle id is genuine.
Bytes with_lying_layout() {
    BundlePlan genuine;
    add(genuine, "a.bin", random_text(1, 200'000), "application/octet-stream");
    BundlePlan forged;
    add(forged, "a.bin", random_text(3, 200'000), "application/octet-stream");
    Bytes bytes = written(genuine);
    const Bytes other = written(forged);
    REQUIRE(bytes.size() == other.size());
    const auto bundle = open_bundle(bytes);
    const LayoutHead layout = bundle->layout_head();
    std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(layout.blocks_offset), layout.blocks_bytes,
                bytes.begin() + static_cast<std::ptrdiff_t>(layout.blocks_offset));
    std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(layout.layout_offset), layout.layout_bytes,
                bytes.begin() + static_cast<std::ptrdiff_t>(layout.layout_offset));
    LayoutHead lying = open_bundle(other)->layout_head();
    lying.bundle = bundle->id();
    const HeadBytes head = encode_layout_head(lying);
    std::copy(head.begin(), head.end(), bytes.begin() + 4096);
    return bytes;
}

TEST_CASE("fetch faults: a layout that gives other bytes under a genuine bundle id is never visible") {
    const ScratchFolder scratch;
    const Bytes bytes = with_lying_layout();
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    const BundleStore store = make_store(scratch);
    check_error(fetch_one(store, id, fetching_from({server.url()})), ErrorCode::corrupt, "wrong in itself");
    CHECK(value_of(store.list()).empty());
}

TEST_CASE("fetch faults: sizes that a server only claims cost nothing") {  // A80
    CHECK(refusal_of([](Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t) {
              guest.send(partial_answer(right, request.first, UINT64_MAX / 2));
              return true;
          }) != ErrorCode::no_space);
}

// The id covers no layout: a mirror makes one up, whose table of blocks would fill the disk with zeros.
TEST_CASE_FIXTURE(
    ServedGame,
    "fetch faults: a mirror whose layout has more blocks than the head can need writes nothing") {  // A142
    HeadBytes head_bytes{};
    HeadBytes layout_bytes{};
    std::ranges::copy(std::span(bytes).first<limits::kHeadBytes>(), head_bytes.begin());
    std::ranges::copy(std::span(bytes).subspan<limits::kHeadBytes, limits::kHeadBytes>(), layout_bytes.begin());
    const BundleHead head = value_of(decode_head(head_bytes));
    LayoutHead layout = value_of(decode_layout_head(layout_bytes));
    for (TableEntry& table : layout.tables)
        if (table.kind == TableKind::blocks) {
            table.count = 8u << 20;
            table.length_bytes = table.count * table.record_bytes;
        }
    layout.layout_bytes = place_tables(layout.tables);
    layout.trailer_offset = align_up(layout.layout_offset + layout.layout_bytes, limits::kPageBytes);
    layout_bytes = encode_layout_head(layout);
    const std::string heads = text_of(head_bytes) + text_of(layout_bytes);
    const TreeServer mirror({bytes}, [&](auto& guest, const RangeRequest& request, auto, auto) {
        if (request.first >= heads.size() || !request.path.ends_with(".fardel"))
            return false;
        guest.send(partial_answer(std::string_view(heads).substr(request.first, request.last + 1 - request.first),
                                  request.first, layout.trailer_offset));
        return true;
    });
    CHECK(code_of(fetch_one(store, bundle_id_of(bytes), fetching_from({mirror.url()}))) == ErrorCode::corrupt);
    for (const RangeRequest& request : mirror.requests())
        if (request.path.ends_with(".fardel"))
            CHECK(request.last < heads.size());
    CHECK(bytes_below(scratch.path("store")) < 100'000);
    REQUIRE(head.count(TableKind::assets) + head.count(TableKind::pieces) < 8u << 20);
}

}  // namespace fardel::tests::fetch_faults_test
