// A pure server as a whole: epochs, offers and verdicts for many clients at once, and floods.
#include <fardel/vfs/pure_check.h>

#include "kit/blobs.h"
#include "kit/bundles.h"
#include "vfs/test_bundle.h"

#include <atomic>

namespace fardel::tests::pure_server_test {

// A server with one bundle, whose reads are counted.
struct ServerScene {
    explicit ServerScene(PureServerOptions options = {}) {
        BundleMaker maker;
        for (std::uint64_t i = 0; i < 40; ++i)
            maker.add("textures/" + std::to_string(i), noise_text(9'000, i));
        source = std::make_shared<CountingSource>(maker.write());
        bundles.push_back(Bundle::open(source, {.label = "counted"}).value());
        PureRules rules;
        rules.bundles.push_back({bundles[0]->id(), CaseRule::exact, "", "base"});
        rules.unsigned_allowed = true;
        policy = PurePolicy::make(std::move(rules)).value();
        server = PureServer::create(*policy, bundles, std::move(options)).value();
        REQUIRE(server->begin_epoch(random_hash()));
    }

    Result<PureOffer> offer(std::string_view client, UnixTime now = {1000}) {
        return server->offer(random_hash(), client, client, now);
    }
    PureAnswer answer(const PureOffer& offer, std::string_view client) {
        return answer_pure_offer(offer, *policy, bundles, {}, client, {}).value().answer;
    }
    bool welcome(const PureAnswer& answer, std::string_view client, UnixTime now = {1000}) {
        return server->check(answer, client, nullptr, now).welcome();
    }

    std::shared_ptr<CountingSource> source;
    std::vector<std::shared_ptr<const Bundle>> bundles;
    std::optional<PurePolicy> policy;
    std::optional<PureServer> server;
};

TEST_CASE("pure server: offers need an epoch, and an offer keeps its epoch when the next one begins") {
    ServerScene scene;
    PureServer early = PureServer::create(*scene.policy, scene.bundles).value();
    CHECK(outcome_of(early.offer(random_hash(), "a", "a", {1000})) == "missing");

    const PureOffer before = scene.offer("alice").value();
    const Hash key = random_hash();
    REQUIRE(scene.server->begin_epoch(key));
    const PureOffer after = scene.offer("bob").value();
    CHECK(after.epoch == key);
    CHECK(before.epoch != key);
    CHECK(scene.welcome(scene.answer(before, "alice"), "alice"));
    CHECK(scene.welcome(scene.answer(after, "bob"), "bob"));
}

TEST_CASE("pure server: a client that changes the epoch in its offer is refused") {
    ServerScene scene;
    PureOffer offer = scene.offer("alice").value();
    offer.epoch = random_hash();
    CHECK_FALSE(scene.welcome(scene.answer(offer, "alice"), "alice"));
}

// Who relays the proof of an epoch gains nothing: it is bound to nonce and connection.
TEST_CASE("pure server: within an epoch, an answer is worth nothing for another client") {
    ServerScene scene;
    const PureOffer mine = scene.offer("mallory").value();
    const PureAnswer good = scene.answer(scene.offer("alice").value(), "alice");
    PureAnswer stolen = good;
    stolen.nonce = mine.nonce;
    stolen.connection = hash_connection("mallory");
    CHECK_FALSE(scene.welcome(stolen, "mallory"));
    CHECK_FALSE(scene.welcome(good, "mallory"));
    CHECK(scene.welcome(good, "alice"));
}

TEST_CASE("pure server: answers cost no reads, whether good, bad or unknown") {
    ServerScene scene({.offers_per_minute = 100'000, .offers_at_once = 100'000});
    std::vector<PureAnswer> answers;
    for (int i = 0; i < 200; ++i)
        answers.push_back(
            scene.answer(scene.offer("client " + std::to_string(i)).value(), "client " + std::to_string(i)));
    const std::uint64_t before = scene.source->bytes_read;
    for (int i = 0; i < 200; ++i) {
        const std::string client = "client " + std::to_string(i);
        PureAnswer bad = answers[static_cast<std::size_t>(i)];
        bad.proof.bytes[0] ^= 1;
        PureAnswer unknown = bad;
        unknown.nonce = random_hash();
        CHECK_FALSE(scene.welcome(unknown, client));
        CHECK(scene.welcome(i % 2 == 0 ? answers[static_cast<std::size_t>(i)] : bad, client) == (i % 2 == 0));
    }
    for (int i = 0; i < 200; ++i)
        REQUIRE(scene.offer("later " + std::to_string(i)));
    CHECK(scene.source->bytes_read == before);
}

TEST_CASE("pure server: an address that asks too often has to wait, and others do not") {
    ServerScene scene({.offers_per_minute = 30, .offers_at_once = 4});
    for (int i = 0; i < 4; ++i)
        CHECK(scene.offer("flood", {1000}));
    CHECK(outcome_of(scene.offer("flood", {1000})) == "busy");
    CHECK(outcome_of(scene.offer("flood", {1001})) == "busy");
    CHECK(scene.offer("alice", {1001}));
    CHECK(scene.offer("flood", {1002}));  // one every two seconds
    CHECK(outcome_of(scene.offer("flood", {1002})) == "busy");
    for (int i = 0; i < 4; ++i)
        CHECK(scene.offer("flood", {2000}));
    CHECK(outcome_of(scene.offer("flood", {2000})) == "busy");
    CHECK(outcome_of(scene.offer("flood", {900})) == "busy");  // a clock that was set back opens nothing
}

TEST_CASE("pure server: more addresses than are counted apart share one average, and known ones keep theirs") {
    ServerScene scene({.offers_per_minute = 30, .offers_at_once = 2, .addresses_max = 3});
    CHECK(scene.offer("alice", {1000}));
    for (const char* const address : {"a", "b", "c", "d"})
        CHECK(scene.offer(address, {1000}));
    CHECK(outcome_of(scene.offer("e", {1000})) == "busy");
    CHECK(scene.offer("alice", {1000}));
    CHECK(scene.offer("e", {1010}));
}

TEST_CASE("pure server: clients join on several threads while epochs change") {
    ServerScene scene({.offers_per_minute = 100'000, .offers_at_once = 100'000});
    std::atomic<int> welcome = 0;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 50; ++i) {
                const std::string client = std::to_string(thread) + "/" + std::to_string(i);
                welcome += scene.welcome(scene.answer(scene.offer(client).value(), client), client) ? 1 : 0;
            }
        });
    for (int i = 0; i < 20; ++i)
        CHECK(scene.server->begin_epoch(random_hash()));
    threads.clear();
    CHECK(welcome == 200);
}

TEST_CASE("pure server: sources that do not fit an offer are refused when the server is made") {
    ServerScene scene;
    CHECK(outcome_of(PureServer::create(*scene.policy, scene.bundles, {.sources = {std::string(600, 's')}})) ==
          "limit");
    CHECK(outcome_of(PureServer::create(*scene.policy, scene.bundles, {.sources = {"a b"}})) == "malformed");
}

}  // namespace fardel::tests::pure_server_test
