// A mirror that sends just more than the limit below which transfers stall, beside others.
#include "transfer/request_server.h"

#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "vfs/test_bundle.h"

#include <fardel/delivery/remote_bundle.h>
#include <fardel/vfs/vfs.h>

#include <chrono>

namespace fardel::tests::slow_mirror_test {

using Clock = std::chrono::steady_clock;

// Sends right bytes, so many every tenth of a second.
TreeServer::Fault slowly(std::size_t bytes) {
    return [bytes](OddServer::Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t size) {
        std::string_view answer = right;
        const std::string head = partial_answer(right, request.first, size);
        guest.send(std::string_view(head).substr(0, head.size() - right.size()));
        while (!answer.empty()) {
            if (!guest.send(answer.substr(0, bytes)) || !guest.sleep(100))
                return true;
            answer.remove_prefix(std::min(bytes, answer.size()));
        }
        return true;
    };
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

TEST_CASE(
    "slow mirror: a fetch leaves one at 2 kB/s, above the stall rule, for a quick one that it knew or not") {  // A149
    const Bytes bytes = game_version("1");  // takes 300 s at that rate
    const TreeServer slow({bytes}, slowly(200));
    const TreeServer quick({bytes});
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    const auto start = Clock::now();
    const auto fetched = fetch_one(store, bundle_id_of(bytes), fetching_from({slow.url(), quick.url()}));
    REQUIRE(fetched);
    CHECK(seconds_since(start) < 60);
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
    // Hardly anything comes twice.
    CHECK(quick.sent_bytes() <= bytes.size() + bytes.size() / 4);
}

TEST_CASE(
    "slow mirror: one slow server alone works, also beside one that is as slow, and little comes twice") {  // A149
    const Bytes bytes = game_version("1");
    for (const std::size_t servers : {1u, 2u}) {
        CAPTURE(servers);
        const TreeServer one({bytes}, slowly(5'000));
        const TreeServer two({bytes}, slowly(5'000));
        const ScratchFolder scratch;
        const BundleStore store = make_store(scratch);
        std::vector<std::string> trees{one.url(), two.url()};
        trees.resize(servers);
        const FetchSummary summary = value_of(fetch_one(store, bundle_id_of(bytes), fetching_from(trees)));
        CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
        CHECK(summary.received_bytes <= bytes.size() + bytes.size() / 4);
    }
}

TEST_CASE("slow mirror: reads of a bundle on servers leave it, too") {  // A149
    const Bytes bytes = game_version("1");
    const TreeServer slow({bytes}, slowly(200));
    const TreeServer quick({bytes});
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    const auto start = Clock::now();
    const RemoteServers servers = connect_to({slow.url(), quick.url()});
    const auto bundle = value_of(RemoteBundle::open(store, servers, bundle_id_of(bytes)));
    CHECK(content_at(bundle->source(), "a.bin") == random_text(1, 300'000));
    CHECK(seconds_since(start) < 60);
}

TEST_CASE(
    "slow mirror: nobody goes back to a server that was of no use, and a request moves a bounded number of times") {
    const RangeClient client = value_of(RangeClient::open({}));  // A149
    const std::vector<std::string> urls{"http://a/f", "http://b/f", "http://c/f"};
    using Urls = std::vector<std::string>;
    HttpRange range;
    RequestServer late;
    late.choose(client, urls, 1, range);
    CHECK(range.url == urls[1]);
    CHECK(range.others == Urls{urls[2]});
    RequestServer last;
    last.choose(client, urls, 2, range);
    CHECK(range.others.empty());
    RequestServer server;
    unsigned leaves = 0;
    for (server.choose(client, urls, 0, range); !range.others.empty(); ++leaves) {
        CHECK(range.others.size() == 2);
        const std::string next = range.others[1];
        server.leave_for(1);
        server.choose(client, urls, 0, range);
        CHECK(range.url == next);
    }
    CHECK(leaves == 3 * kLeavesMax);
    server.fail(Error(ErrorCode::unreachable, "a"), std::chrono::seconds(0), Clock::now());
    server.choose(client, urls, 0, range);
    CHECK(range.url == urls[1]);
}

}  // namespace fardel::tests::slow_mirror_test
