// Servers that hang, lie, ignore ranges or send too much: what is remembered of them, what they cost, and what is said.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"

#include <fardel/delivery/tree_paths.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

namespace fardel::tests::unreliable_servers_test {

using Guest = OddServer::Guest;

constexpr std::chrono::seconds kImpatient{1};

bool hang(Guest& guest, const RangeRequest&, std::string_view, std::uint64_t) {
    guest.hang();
    return true;
}

// Sends the whole file, whatever range is requested.
bool send_whole(Guest& guest, const Bytes& file) {
    guest.send(http_answer("200 OK", text_of(file)));
    return true;
}

TEST_CASE("unreliable servers: one that hangs is waited for once in a run, and then asked last") {  // A149
    const ScratchFolder scratch;
    std::vector<Bytes> bundles;
    for (const char* const number : {"1", "2", "3"})
        bundles.push_back(game_version(number));
    const TreeServer hung(bundles, hang);
    const TreeServer good(bundles);
    const BundleStore store = make_store(scratch);
    FetchOptions options = fetching_from({hung.url(), good.url()}, kImpatient);
    for (const Bytes& bytes : bundles)
        options.work.bundles.push_back(bundle_id_of(bytes));
    value_of(fetch_bundles(store, options));
    for (const Bytes& bytes : bundles)
        CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
    CHECK(hung.requests().size() == 1);
    // The list of servers remembers it, whoever uses it next.
    options.work.bundles = {bundle_id_of(bundles[0])};
    value_of(fetch_bundles(make_store(scratch, "other"), options));
    CHECK(hung.requests().size() == 1);
}

TEST_CASE("unreliable servers: one that sends wrong tables is asked last, for whatever bundle") {  // A149
    const ScratchFolder scratch;
    std::vector<Bytes> bundles{game_version("1"), game_version("2")};
    const TreeServer liar(
        bundles, [](Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
            guest.send(partial_answer(std::string(right.size(), 'x'), request.first, file_bytes));
            return true;
        });
    const TreeServer good(bundles);
    const BundleStore store = make_store(scratch);
    FetchOptions options = fetching_from({liar.url(), good.url()});
    options.work.bundles = {bundle_id_of(bundles[0])};
    value_of(fetch_bundles(store, options));
    options.work.bundles = {bundle_id_of(bundles[1])};
    value_of(fetch_bundles(store, options));
    // For what the good one has not, it may still be asked.
    for (const RangeRequest& request : liar.requests())
        CHECK(request.path.find(bundle_id_of(bundles[1]).hex() + ".fardel") == std::string::npos);
    CHECK(is_whole(store, bundle_id_of(bundles[1])));
}

TEST_CASE("unreliable servers: if two have two faults, the error names each with its own server") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer cutting(
        {bytes}, [](Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
            const std::string answer = partial_answer(right, request.first, file_bytes);
            guest.send(answer.substr(0, answer.size() - right.size() / 2));
            return true;
        });
    Bytes shorter = bytes;
    shorter.resize(shorter.size() - 100'000);
    const TreeServer truncated({}, nullptr, {{tree_path_of(bundle_id_of(bytes)), text_of(shorter)}});
    const std::string down = "http://127.0.0.1:1";
    for (const TreeServer* const server : {&cutting, &truncated})
        for (const bool is_first : {true, false}) {
            CAPTURE(is_first);
            const BundleStore store = make_store(scratch, is_first ? "first" : "second");
            std::vector<std::string> trees{server->url(), down};
            if (!is_first)
                std::swap(trees[0], trees[1]);
            const auto fetched = fetch_one(store, bundle_id_of(bytes), fetching_from(trees));
            REQUIRE_FALSE(fetched);
            const std::string& text = fetched.error().message();
            CAPTURE(text);
            // From the URL of a server to that of the next one.
            const auto told_of = [&](const std::string& url) {
                const std::size_t start = text.find(url);
                REQUIRE(start != std::string::npos);
                return text.substr(start, text.find("; http", start) - start);
            };
            CHECK(told_of(down).find("connect") != std::string::npos);
            CHECK(told_of(server->url()).find("connect to") == std::string::npos);
        }
}

TEST_CASE("unreliable servers: one that ignores ranges costs one pass and what is small, and is named") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer server({bytes}, [&](Guest& guest, const RangeRequest& request, std::string_view, std::uint64_t) {
        return request.path.ends_with(".fardel") && send_whole(guest, bytes);
    });
    const BundleStore store = make_store(scratch);
    std::uint64_t planned = 0;
    FetchOptions options = fetching_from({server.url()});
    options.consent = [&](const FetchPlan& plan) {
        planned = plan.fetch_bytes;
        return ok();
    };
    const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(bytes), options));
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
    CHECK(fetched.without_ranges == std::vector<std::string>{server.url()});
    std::size_t requests = 0;
    for (const RangeRequest& request : server.requests())
        requests += request.path.ends_with(".fardel") ? 1 : 0;
    CHECK(requests == 2);  // heads; content
    // What is before the content is sent, too, and counts.
    CHECK(planned > 600'000);
    CHECK(fetched.received_bytes >= planned);
    CHECK(fetched.received_bytes < bytes.size() + 200'000);
}

TEST_CASE("unreliable servers: one that ignores ranges and breaks off is not asked without end") {  // A149
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    std::size_t step = 0;
    const TreeServer server({bytes}, [&](Guest& guest, const RangeRequest& request, std::string_view, std::uint64_t) {
        if (!request.path.ends_with(".fardel") || request.first == 0)
            return request.path.ends_with(".fardel") && send_whole(guest, bytes);
        // A little more each time.
        const std::string answer = http_answer("200 OK", text_of(bytes));
        step += 8'000;
        guest.send(answer.substr(0, std::min<std::size_t>(answer.size() - 1, 300'000 + step)));
        return true;
    });
    const BundleStore store = make_store(scratch);
    CHECK_FALSE(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()})));
    CHECK(server.requests().size() < 12);
}

TEST_CASE("unreliable servers: no more is received than is allowed, and what has come stays") {  // A149
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    // Each block is right at last, after others that are not.
    std::map<std::uint64_t, int> asked;
    std::mutex mutex;
    const TreeServer server(
        {bytes}, [&](Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
            const std::scoped_lock lock(mutex);
            if (right.size() < 100'000 || asked[request.first]++ > 1)
                return false;
            guest.send(partial_answer(std::string(right.size(), 'x'), request.first, file_bytes));
            return true;
        });
    const BundleStore store = make_store(scratch);
    FetchOptions options = fetching_from({server.url()});
    options.work.connections = 1;
    options.received_bytes_max = 100'000;
    CHECK(code_of(fetch_one(store, bundle_id_of(bytes), options)) == ErrorCode::limit);
    CHECK_FALSE(is_whole(store, bundle_id_of(bytes)));
    options.received_bytes_max = 0;
    const FetchSummary all = value_of(fetch_one(store, bundle_id_of(bytes), options));
    CHECK(all.received_bytes > bytes.size() / 2);
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
    // Exactly as much as is needed is enough.
    const TreeServer right({bytes});
    options = fetching_from({right.url()});
    const std::uint64_t needed =
        value_of(fetch_one(make_store(scratch, "one"), bundle_id_of(bytes), options)).received_bytes;
    options.received_bytes_max = needed;
    CHECK(fetch_one(make_store(scratch, "two"), bundle_id_of(bytes), options));
    options.received_bytes_max = needed - 1;
    CHECK(code_of(fetch_one(make_store(scratch, "three"), bundle_id_of(bytes), options)) == ErrorCode::limit);
}

}  // namespace fardel::tests::unreliable_servers_test
