// Traces beside published bundles: what is fetched first, and what hostile ones cost.
#include "delivery/served_bundle.h"

#include "fetch/trace_fetch.h"
#include "kit/bundles.h"
#include "kit/raw_connection.h"
#include "kit/serve_program.h"

#include <fardel/delivery/remote_bundle.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/publish_trace.h>

#include <map>

namespace fardel::tests::trace_fetch_test {

// Eight files of 400,000 bytes that do not compress.
Bytes wide_game() {
    BundlePlan plan;
    for (std::uint32_t i = 0; i < 8; ++i)
        add(plan, "f" + std::to_string(i), random_text(10 + i, 400'000), "application/octet-stream");
    return written(plan);
}
AssetId wide_asset(std::uint32_t i) { return id_of(random_text(10 + i, 400'000)); }

TracedAsset opened(const BundleId& bundle, const AssetId& asset, std::string name = {}) {
    return {.opened_ms = 1, .size_bytes = 400'000, .bundle = bundle, .asset = asset, .name = std::move(name)};
}

std::map<std::string, std::string> beside(const BundleId& bundle, std::string text) {
    return {{trace_path_of(bundle), std::move(text)}};
}

// Where the first block of a file lies.
std::uint64_t offset_of(const Bytes& bytes, const AssetId& asset) {
    const auto bundle = open_bundle(bytes);
    const auto index = value_of(bundle->find_asset(asset));
    return value_of(bundle->stored_range(*index, 0, 1)).offset;
}

std::vector<RangeRequest> content_requests(const TreeServer& server, const Bytes& bytes) {
    const std::uint64_t from = offset_of(bytes, wide_asset(0));
    std::vector<RangeRequest> requests = server.requests();
    std::erase_if(requests, [&](const RangeRequest& one) {
        return !one.path.ends_with(".fardel") || one.last - one.first < 100'000 || one.first < from;
    });
    return requests;
}

// The hostile traces of a bundle: each costs time only.
std::vector<std::string> hostile_traces(const BundleId& id) {
    const AssetId third = wide_asset(3);
    std::vector<std::string> texts{"", "<html>", std::string(kPublishedTraceBytesMax + 1, '\n')};
    const std::string head = "fardel-trace 1\nbundle " + id.hex() + "\n";
    Trace absent;  // of the most assets, none of which the bundle has
    for (std::uint32_t i = 0; i < 12'000; ++i) {
        absent.push_back(opened(id, {}));
        absent.back().asset.bytes[0] = static_cast<std::uint8_t>(i);
        absent.back().asset.bytes[1] = static_cast<std::uint8_t>(i >> 8);
    }
    texts.push_back(format_trace(absent));
    std::string repeated = head;
    for (int i = 0; i < 10'000; ++i)
        repeated += "1 1 " + third.hex() + "\n";
    texts.push_back(repeated);
    texts.push_back(head + "99999999999999999999 1 " + third.hex() + "\n");
    texts.push_back(head + "1 18446744073709551615 " + third.hex() + "\n");
    std::string lines;
    while (lines.size() + 2 < kPublishedTraceBytesMax)
        lines += "0\n";
    texts.push_back(lines);
    texts.push_back(format_trace({opened(filled_id<BundleId>(9), third)}));  // of another bundle
    return texts;
}

TEST_CASE("trace fetch: what the trace lists comes first, and all else afterwards") {
    const ScratchFolder scratch;
    const Bytes bytes = wide_game();
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server(
        {bytes}, nullptr,
        beside(id, format_trace({opened(id, wide_asset(6)), opened(id, wide_asset(2)), opened(id, wide_asset(7))})));
    const BundleStore store = make_store(scratch);
    FetchOptions options = fetching_from({server.url()});
    options.work.connections = 1;
    std::uint64_t planned = 0;
    options.consent = [&](const FetchPlan& plan) {
        planned = plan.fetch_bytes;
        return ok();
    };
    const FetchSummary summary = value_of(fetch_one(store, id, options));
    CHECK(stored_bytes(store, id) == bytes);
    CHECK(summary.plan.fetch_bytes == planned);
    const auto requests = content_requests(server, bytes);
    REQUIRE(requests.size() >= 4);
    // 6, 2 and most of 7 make the first MiB, in which neighbours are joined.
    CHECK(requests[0].first == offset_of(bytes, wide_asset(2)));
    CHECK(requests[1].first == offset_of(bytes, wide_asset(6)));
    CHECK(requests[1].last > offset_of(bytes, wide_asset(7)));
    CHECK(requests[2].first == requests[1].last + 1);
    CHECK(requests[3].first == offset_of(bytes, wide_asset(0)));
}

TEST_CASE("trace fetch: of a part, what the trace lists comes first, and nothing else comes") {
    const ScratchFolder scratch;
    const Bytes bytes = wide_game();
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes}, nullptr,
                            beside(id, format_trace({opened(id, wide_asset(6)), opened(id, wide_asset(1))})));
    const BundleStore store = make_store(scratch);
    FetchOptions options = fetching_from({server.url()});
    options.work.connections = 1;
    options.work.selection.names = {"f3", "f4", "f6"};
    REQUIRE(fetch_one(store, id, options));
    const auto requests = content_requests(server, bytes);
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].first == offset_of(bytes, wide_asset(6)));
    CHECK(requests[1].first == offset_of(bytes, wide_asset(3)));
}

// A156
TEST_CASE("trace fetch: a hostile trace costs bounded bytes, and the same bundle arrives") {
    const Bytes bytes = wide_game();
    const BundleId id = bundle_id_of(bytes);
    std::uint64_t plain = 0;
    {
        const ScratchFolder scratch;
        const TreeServer server({bytes});
        plain = value_of(fetch_one(make_store(scratch), id, fetching_from({server.url()}))).received_bytes;
    }
    for (const std::string& text : hostile_traces(id)) {
        CAPTURE(text.substr(0, 100));
        const ScratchFolder scratch;
        const TreeServer server({bytes}, nullptr, beside(id, text));
        const BundleStore store = make_store(scratch);
        const FetchSummary summary = value_of(fetch_one(store, id, fetching_from({server.url()})));
        CHECK(stored_bytes(store, id) == bytes);
        CHECK(summary.received_bytes <= plain + kPublishedTraceBytesMax + 4096 * 16);
    }
}

TEST_CASE("trace read ahead: what the trace lists comes while nobody reads, in its order, and nothing else") {
    const ScratchFolder scratch;
    const Bytes bytes = wide_game();
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes}, nullptr,
                            beside(id, format_trace({opened(id, wide_asset(5)), opened(id, wide_asset(1)),
                                                     opened(id, wide_asset(3)), opened(id, wide_asset(0))})));
    const BundleStore store = make_store(scratch);
    RemoteOptions options{.servers = {server.url()}};
    options.connections = 2;  // one of them for what nobody waits for
    const RemoteServers servers = value_of(RemoteServers::open(options));
    const auto bundle = value_of(RemoteBundle::open(store, servers, id));
    TraceReadAhead ahead = value_of(TraceReadAhead::start(servers, {bundle}));
    ahead.wait();
    const auto has = [&](std::uint32_t i) { return value_of(bundle->is_here(wide_asset(i))); };
    wait_until([&] { return has(5) && has(1) && has(3) && has(0); });
    for (const std::uint32_t i : {5u, 1u, 3u, 0u})
        CHECK(has(i));
    for (const std::uint32_t i : {2u, 4u, 6u, 7u})
        CHECK_FALSE(has(i));
    // The first MiB has 1, 3 and 5; 0 comes last.
    const auto requests = content_requests(server, bytes);
    REQUIRE_FALSE(requests.empty());
    CHECK(requests.back().first < offset_of(bytes, wide_asset(1)));
    CHECK(requests.front().first >= offset_of(bytes, wide_asset(1)));
}

// A156
TEST_CASE("trace read ahead: a hostile trace ends it soon, and reads give the same bytes") {
    const Bytes bytes = wide_game();
    const BundleId id = bundle_id_of(bytes);
    for (const std::string& text : hostile_traces(id)) {
        CAPTURE(text.substr(0, 100));
        const ScratchFolder scratch;
        const TreeServer server({bytes}, nullptr, beside(id, text));
        const BundleStore store = make_store(scratch);
        const RemoteServers servers = value_of(RemoteServers::open({.servers = {server.url()}}));
        const auto bundle = value_of(RemoteBundle::open(store, servers, id));
        TraceReadAhead ahead = value_of(TraceReadAhead::start(servers, {bundle}));
        ahead.wait();
        std::vector<std::byte> read(bytes.size());
        REQUIRE(bundle->source()->read_at(0, read));
        CHECK(std::ranges::equal(read, bytes));
    }
}

TEST_CASE("trace publish: the bundle's assets alone, by id or by name, and a later one replaces it") {
    const ScratchFolder scratch;
    const Bytes bytes = wide_game();
    const auto bundle = open_bundle(bytes);
    const auto tree = make_folder_target(scratch.path("tree"));
    value_of(publish_bundle(make_memory_source(bytes), *tree));
    const BundleId other = filled_id<BundleId>(7);
    const Trace wanted{opened(other, wide_asset(4), "x"), opened(other, filled_id<AssetId>(1), "f2"),
                       opened(other, filled_id<AssetId>(2), "none"), opened(bundle->id(), wide_asset(4), "f4"),
                       opened(other, wide_asset(2), "f2")};
    const TracePublication published = value_of(publish_trace(*bundle, wanted, *tree));
    CHECK(published.assets == 2);
    CHECK(published.path == trace_path_of(bundle->id()));
    const std::string file = scratch.path("tree") + "/" + published.path;
    CHECK(value_of(read_trace(file)) ==
          Trace{opened(bundle->id(), wide_asset(4)), opened(bundle->id(), wide_asset(2))});
    value_of(publish_trace(*bundle, {opened(other, wide_asset(1))}, *tree));
    CHECK(value_of(read_trace(file)) == Trace{opened(bundle->id(), wide_asset(1))});
    CHECK(value_of(publish_trace(*bundle, {opened(other, filled_id<AssetId>(1))}, *tree)).path.empty());
    CHECK(value_of(read_trace(file)).size() == 1);

    // The server has it, too, and lets nobody keep it for ever.
    const ServeProgram server({scratch.path("tree")});
    RawConnection client(server.port());
    const auto answer = client.ask(get_request("/" + published.path));
    CHECK(answer.status == 200);
    CHECK(answer.field("cache-control") == "no-cache");
    CHECK(value_of(parse_trace(answer.body)).size() == 1);
    const std::string tag = answer.field("etag");
    CHECK(client.ask(get_request("/" + published.path, "If-None-Match: " + tag + "\r\n")).status == 304);
}

TEST_CASE("trace publish: of a trace that is too long for clients, the first assets are published") {
    BundlePlan plan;
    Trace wanted;
    for (int i = 0; i < 12'000; ++i) {
        const std::string name = "n" + std::to_string(i);
        add(plan, name, name);
        wanted.push_back(opened({}, id_of(name)));
    }
    const auto bundle = open_bundle(written(plan));
    const Trace traced = value_of(trace_for(*bundle, wanted));
    CHECK(traced.size() > 8000);
    CHECK(traced.size() < 12'000);
    CHECK(traced.front().asset == wanted.front().asset);
    CHECK(format_trace(traced).size() <= kPublishedTraceBytesMax);
}

}  // namespace fardel::tests::trace_fetch_test
