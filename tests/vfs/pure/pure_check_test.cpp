// The handshake between a server and its clients, and attacks that are known from similar schemes.
#include <fardel/format/manifest.h>
#include <fardel/vfs/pure_check.h>

#include "kit/archives.h"
#include "kit/blobs.h"
#include "kit/bundles.h"
#include "kit/files.h"
#include "vfs/test_bundle.h"

#include <fardel/format/bundle_writer.h>

#include <set>

namespace fardel::tests::pure_check_test {

using Bundles = std::vector<std::shared_ptr<const Bundle>>;

Bytes base_bytes() {
    BundleMaker maker;
    for (int i = 0; i < 40; ++i)
        maker.add("texts/" + std::to_string(i), "text number " + std::to_string(i));
    return maker.add("maps/dm01", noise_text(300'000, 1)).add("empty", "").write();
}
Bytes map_bytes() {
    return BundleMaker().add("textures/wall", noise_text(9'000, 2)).add("textures/glass", noise_text(9'000, 3)).write();
}

PurePolicy policy_of(const Bundles& bundles, std::vector<PureAxis> variants = {}) {
    PureRules rules;
    for (const auto& bundle : bundles)
        rules.bundles.push_back({bundle->id(), CaseRule::exact, "", "bundle/" + std::to_string(rules.bundles.size())});
    rules.variants = std::move(variants);
    rules.unsigned_allowed = true;
    return PurePolicy::make(std::move(rules)).value();
}

// A server with its bundles; offers and answers are passed as encoded messages.
struct Server {
    explicit Server(Bundles copies, std::vector<PureAxis> variants = {})
        : bundles(std::move(copies)), policy(policy_of(bundles, std::move(variants))) {}

    PureOffer offer(std::string_view connection) {
        PureOffer offer{random_hash(), policy.digest(), random_hash(), {}};
        const auto epoch = make_pure_epoch(offer.epoch, policy, bundles);
        REQUIRE(epoch);
        REQUIRE(offers.open(offer.nonce, *epoch, hash_connection(connection), now, now + 60));
        return decode_pure_offer(*encode_pure_offer(offer)).value();
    }
    // An open offer of that epoch.
    PureClaim open_offer(const Hash& epoch) const {
        return {PureNonce::open, make_pure_epoch(epoch, policy, bundles).value()};
    }
    PureVerdict check(const PureAnswer& answer, std::string_view connection, const PureReport* report = nullptr) {
        const PureAnswer received = decode_pure_answer(encode_pure_answer(answer)).value();
        const PureClaim claim = offers.claim(received.nonce, hash_connection(connection), now);
        const PureVerdict verdict = check_pure_answer(received, claim, policy, connection, report);
        return decode_pure_verdict(encode_pure_verdict(verdict)).value();
    }

    Bundles bundles;
    PurePolicy policy;
    PureOffers offers;
    UnixTime now{1000};
};

PureReply reply_to(Server& server, const Bundles& bundles, std::string_view connection,
                   std::vector<PureAxis> chosen = {}) {
    const auto reply = answer_pure_offer(server.offer(connection), server.policy, bundles, chosen, connection, {});
    REQUIRE_MESSAGE(reply, reply.error().text());
    return *reply;
}

std::string words_of(const PureVerdict& verdict) {
    std::string words;
    for (const PureRefusalText& refusal : refusal_texts(verdict))
        words += (words.empty() ? "" : " ") + std::string(refusal.word);
    return words.empty() ? "welcome" : words;
}

// "wrong bundle/0, missing bundle/1"
std::string problems_in(const PureReport& report) {
    std::string text;
    for (const PureProblem& problem : report.problems())
        text += (text.empty() ? "" : ", ") + std::string(pure_fault_text(problem.fault)) + " " + problem.name;
    return text;
}

TEST_CASE("pure handshake: a client with the server's bundles is accepted, in whatever order it mounted them") {
    const Bundles copies{open_bundle(base_bytes()), open_bundle(map_bytes()), open_bundle(BundleMaker().write())};
    Server server(copies);
    const PureReply reply = reply_to(
        server, {open_bundle(BundleMaker().write()), open_bundle(map_bytes()), open_bundle(base_bytes())}, "alice");
    CHECK(reply.report.empty());
    CHECK(words_of(server.check(reply.answer, "alice")) == "welcome");
    CHECK(words_of(server.check(reply_to(server, copies, "bob").answer, "bob", &reply.report)) == "welcome");
}

TEST_CASE("pure handshake: an answer counts once, for one client and in time") {
    const Bundles copies{open_bundle(base_bytes())};
    Server server(copies);
    const PureAnswer alice = reply_to(server, copies, "alice").answer;

    // Mallory sends Alice's answer, unchanged and as her own; Alice's offer stays open.
    CHECK(words_of(server.check(alice, "mallory")) == "other-connection");
    PureAnswer relabelled = alice;
    relabelled.connection = hash_connection("mallory");
    CHECK(words_of(server.check(relabelled, "mallory")) == "other-connection");
    const PureAnswer mallory_offer = reply_to(server, {}, "mallory").answer;
    PureAnswer grafted = alice;
    grafted.nonce = mallory_offer.nonce;
    grafted.connection = hash_connection("mallory");
    CHECK(words_of(server.check(grafted, "mallory")) == "wrong-proof");

    CHECK(words_of(server.check(alice, "alice")) == "welcome");
    CHECK(words_of(server.check(alice, "alice")) == "replayed");
    server.offer("alice");
    CHECK(words_of(server.check(alice, "alice")) == "replayed");

    const PureAnswer late = reply_to(server, copies, "alice").answer;
    server.now = server.now + 61;
    CHECK(words_of(server.check(late, "alice")) == "expired");
    PureAnswer unknown = reply_to(server, copies, "alice").answer;
    unknown.nonce.bytes[31] ^= 1;
    CHECK(words_of(server.check(unknown, "alice")) == "unknown-offer");
}

// Forged 32-bit values: no value here is that short, and no part of an answer may be changed.
TEST_CASE("pure handshake: an answer with any bit changed is refused") {
    const Bundles copies{open_bundle(map_bytes())};
    Server server(copies, {{"texture", {"astc", "bc7"}}});
    const PureOffer offer = server.offer("alice");
    const PureReply reply =
        answer_pure_offer(offer, server.policy, copies, std::vector<PureAxis>{{"texture", {"bc7"}}}, "alice", {})
            .value();
    const PureClaim open = server.open_offer(offer.epoch);
    const auto verdict = [&](const PureAnswer& answer, const PureClaim& claim) {
        return check_pure_answer(answer, claim, server.policy, "alice", nullptr);
    };
    REQUIRE(verdict(reply.answer, open).welcome());
    const auto good = encode_pure_answer(reply.answer);
    for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
        CAPTURE(bit);
        auto flipped = good;
        flipped[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
        if (const auto answer = decode_pure_answer(flipped))
            CHECK_FALSE(verdict(*answer, open).welcome());
    }
    PureAnswer forged = reply.answer;
    forged.proof = {};
    CHECK(words_of(verdict(forged, open)) == "wrong-proof");
    CHECK(words_of(verdict(reply.answer, server.open_offer(random_hash()))) == "wrong-proof");
}

TEST_CASE("pure handshake: an answer lists the client's variants, and those outside the policy are refused") {
    const Bundles copies{open_bundle(map_bytes())};
    Server server(copies, {{"lang", {"en", "fr"}}, {"texture", {"astc", "bc7"}}});
    const PureReply reply = reply_to(server, copies, "alice", {{"texture", {"bc7"}}, {"sound", {"loud"}}});
    CHECK(reply.answer.variants[0] == 0);
    CHECK(reply.answer.variants[1] == 2);
    CHECK(words_of(server.check(reply.answer, "alice")) == "welcome");
    const PureReply wrong = reply_to(server, copies, "alice", {{"texture", {"transparent"}}});
    CHECK(problems_in(wrong.report) == "not-allowed texture=transparent");
    CHECK(words_of(server.check(wrong.answer, "alice", &wrong.report)) == "client-problems");
    PureAnswer invented = reply_to(server, copies, "alice").answer;
    invented.variants[1] = 4;
    invented.variants[5] = 1;
    CHECK(words_of(server.check(invented, "alice")) == "bad-variants");
}

TEST_CASE("pure handshake: another policy is refused on both sides") {
    const Bundles copies{open_bundle(base_bytes()), open_bundle(map_bytes())};
    Server server(copies);
    const PurePolicy swapped = policy_of({copies[1], copies[0]});
    const auto answer = answer_pure_offer(server.offer("alice"), swapped, copies, {}, "alice", {});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code() == ErrorCode::corrupt);
    PureOffer pretended = server.offer("alice");
    pretended.policy = swapped.digest();
    const auto reply = answer_pure_offer(pretended, swapped, copies, {}, "alice", {});
    REQUIRE(reply);
    CHECK(words_of(server.check(reply->answer, "alice")) == "other-policy");
    PureOffer relabelled = server.offer("alice");
    relabelled.policy = swapped.digest();
    PureAnswer lied = answer_pure_offer(relabelled, swapped, copies, {}, "alice", {})->answer;
    lied.policy = server.policy.digest();
    CHECK(words_of(server.check(lied, "alice")) == "wrong-proof");
}

TEST_CASE("pure handshake: all missing and damaged bundles are reported, to the server too") {
    const Bundles copies{open_bundle(base_bytes()), open_bundle(map_bytes()),
                         open_bundle(BundleMaker().add("x", "y").write())};
    Server server(copies);
    const Bundles has{
        open_bundle(damage_content(map_bytes(), id_of(noise_text(9'000, 2))))};  // both assets are in that block
    const PureReply reply = reply_to(server, has, "alice");
    CHECK(problems_in(reply.report) == "missing bundle/0, wrong bundle/1, missing bundle/2");
    CHECK(reply.report.problems()[1].bundle == copies[1]->id());
    CHECK(reply.report.problems()[1].text.starts_with("corrupt: "));
    CHECK(reply.report.problems()[1].text.find('/') == std::string::npos);  // A131: no path of the client's disk
    CHECK(reply.answer.proof.is_zero());
    const PureVerdict verdict = server.check(reply.answer, "alice", &reply.report);
    CHECK(words_of(verdict) == "client-problems");
    CHECK(verdict.problems == std::array<std::uint32_t, kPureFaults>{2, 1, 0, 0, 0, 0});

    // A report that does not belong to the answer; an answer that hides its report.
    const PureReply again = reply_to(server, {}, "alice");
    CHECK(words_of(server.check(again.answer, "alice", &reply.report)) == "client-problems wrong-report");
    PureAnswer hidden = reply_to(server, has, "alice").answer;
    hidden.report = PureReport().digest();
    CHECK(words_of(server.check(hidden, "alice")) == "wrong-proof");
}

TEST_CASE("pure handshake: a changed byte anywhere is reported if every byte is checked") {
    const Bytes good = base_bytes();
    const Bundles copies{open_bundle(good)};
    const PurePolicy policy = policy_of(copies);
    CHECK(check_every_byte(policy, copies).empty());
    std::size_t told_count = 0;
    for (std::size_t at = 0; at < good.size(); at += 397) {
        CAPTURE(at);
        Bytes changed = good;
        changed[at] ^= std::byte{1};
        const auto bundle = Bundle::open(make_memory_source(changed), {.label = "changed"});
        if (!bundle || (*bundle)->id() != copies[0]->id())
            continue;  // the change gives another bundle
        const auto problems = check_every_byte(policy, Bundles{*bundle});
        if (problems.empty())
            CHECK_MESSAGE(good[at] == std::byte{0}, "only padding, which is never read, may have any value");
        else
            CHECK(problems_in(PureReport(problems)) == "wrong bundle/0");
        told_count += problems.size();
    }
    CHECK(told_count > 700);
}

// Known attack: names were not hashed, so files could be swapped.
TEST_CASE("pure handshake: names swapped between entries make another bundle, or a damaged one") {
    const Bytes good = map_bytes();
    Server server({open_bundle(good)});
    // With every hash computed again: a see-through wall.
    const Bytes rewritten =
        BundleMaker().add("textures/wall", noise_text(9'000, 3)).add("textures/glass", noise_text(9'000, 2)).write();
    const PureReply other = reply_to(server, {open_bundle(rewritten)}, "alice");
    CHECK(problems_in(other.report) == "missing bundle/0");
    CHECK(words_of(server.check(other.answer, "alice")) == "client-problems");
    // With the records of the names swapped, and only the page tree and head corrected.
    const Bytes swapped = rewrite_table(good, TableKind::names, [](std::span<std::byte> records) {
        const std::size_t half = records.size() / 2;
        std::ranges::swap_ranges(records.first(half), records.last(half));
    });
    CHECK(problems_in(reply_to(server, {open_bundle(swapped)}, "alice").report) == "missing bundle/0");
    // Without any corrected hash, under the old id.
    const auto damaged = open_bundle(damage_table(good, TableKind::strings));
    CHECK(damaged->id() == server.bundles[0]->id());
    CHECK(outcome_of(damaged->find_name("textures/wall")) == "corrupt");
}

// Known attack: a CRC is not a cryptographic hash.
TEST_CASE("pure handshake: data changed under an unchanged CRC is reported, with or without corrected layout hashes") {
    const std::string content = noise_text(9'000, 2);
    // Flipping the bits of the CRC's polynomial does not change the CRC.
    std::string forged = content;
    for (const unsigned bit : {0u, 6u, 9u, 10u, 16u, 20u, 21u, 22u, 24u, 25u, 27u, 28u, 30u, 31u, 32u})
        forged[4'000 + bit / 8] = static_cast<char>(forged[4'000 + bit / 8] ^ 1 << bit % 8);
    REQUIRE(forged != content);
    REQUIRE(zip_crc32(forged) == zip_crc32(content));

    const Bytes good = BundleMaker().add("textures/wall", content).write();
    Server server({open_bundle(good)});
    Bytes changed = good;
    const Bytes needle = bytes_of(content);
    const auto at = std::search(changed.begin(), changed.end(), needle.begin(), needle.end());
    REQUIRE(at != changed.end());
    std::ranges::copy(bytes_of(forged), at);
    CHECK(problems_in(reply_to(server, {open_bundle(changed)}, "alice").report) == "wrong bundle/0");
    const auto layout_made_right = open_bundle(forge_content(good, content, forged));
    CHECK(layout_made_right->id() == server.bundles[0]->id());
    CHECK(problems_in(reply_to(server, {layout_made_right}, "alice").report) == "wrong bundle/0");
}

// A genuine program whose player has added his own key to the trust policy and signed a layout with other content.
TEST_CASE("pure handshake: content that only the player's own signature vouches for is refused") {
    const std::string content = noise_text(9'000, 2), see_through = noise_text(9'000, 3);
    const Bytes good = BundleMaker().add("textures/wall", content).write();
    Server server({open_bundle(good)});
    Author player;
    const Bytes forged = player.sign(forge_content(good, content, see_through));
    const auto believed =
        Bundle::open(make_memory_source(forged), {.policy = &player.policy(), .label = "forged"}).value();
    REQUIRE(believed->id() == server.bundles[0]->id());
    REQUIRE(believed->verdict().layout_signed);
    // Whoever signed the layout, reading finds it, before the proof would.
    const PureReply reply = reply_to(server, {believed}, "alice");
    CHECK(problems_in(reply.report) == "wrong bundle/0");
    CHECK(words_of(server.check(reply.answer, "alice")) == "client-problems");
    CHECK(problems_in(PureReport(check_every_byte(server.policy, Bundles{believed}))) == "wrong bundle/0");
    CHECK(problems_in(reply_to(server, {open_bundle(forged)}, "alice").report) == "wrong bundle/0");
}

// Known attack: files are swapped between the check and the read. A33, A105.
TEST_CASE("pure handshake: files swapped after the check change nothing, or fail the read") {
    const ScratchFolder scratch;
    const std::string path = scratch.write("map.fardel", std::span<const std::byte>(map_bytes()));
    const auto client = Bundle::open(open_file_source(path).value(), {.label = path}).value();
    Server server({open_bundle(map_bytes())});
    CHECK(words_of(server.check(reply_to(server, {client}, "alice").answer, "alice")) == "welcome");
    const auto read = [&] {
        return client->read_all(
            client->default_asset(client->name(client->find_name("textures/wall").value().value()).value()).value());
    };

    const Bytes cheat =
        BundleMaker().add("textures/wall", noise_text(9'000, 3)).add("textures/glass", noise_text(9'000, 3)).write();
    scratch.write("cheat", std::span<const std::byte>(cheat));
    std::filesystem::rename(path, scratch.path("old"));
    std::filesystem::rename(scratch.path("cheat"), path);
    CHECK(text_of(read().value()) == noise_text(9'000, 2));
    CHECK(words_of(server.check(reply_to(server, {client}, "alice").answer, "alice")) == "welcome");

    // The file itself, after its heads.
    std::fstream file(scratch.path("old"), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(8'192);
    file.write(reinterpret_cast<const char*>(cheat.data()) + 8'192, static_cast<std::streamsize>(cheat.size() - 8'192));
    REQUIRE(file.flush());
    CHECK(outcome_of(read()) == "corrupt");
    CHECK(problems_in(reply_to(server, {client}, "alice").report) == "wrong bundle/0");
}

// Known attack: a list that does not fit into a message of fixed size.
TEST_CASE("pure handshake: four hundred bundles fit the same messages, and every missing one is named") {
    Bundles copies;
    for (int i = 0; i < 400; ++i)
        copies.push_back(open_bundle(
            BundleMaker().add("maps/" + std::to_string(i), noise_text(3'000, static_cast<std::uint64_t>(i))).write()));
    Server few({copies[0]}), many(copies);
    const PureReply one = reply_to(few, copies, "alice"), all = reply_to(many, copies, "alice");
    CHECK(encode_pure_offer(few.offer("x"))->size() == encode_pure_offer(many.offer("x"))->size());
    CHECK(encode_pure_answer(one.answer).size() == encode_pure_answer(all.answer).size());
    CHECK(words_of(many.check(all.answer, "alice")) == "welcome");

    // The last bundle is another one.
    Bundles almost(copies.begin(), copies.end() - 1);
    almost.push_back(open_bundle(BundleMaker().add("maps/399", noise_text(3'000, 1'399)).write()));
    CHECK(problems_in(reply_to(many, almost, "alice").report) == "missing bundle/399");
    const PureReply none = reply_to(many, {}, "alice");
    CHECK(none.report.problems().size() == 400);
    const auto received = PureReport::parse(none.report.format());
    REQUIRE(received);
    const PureVerdict verdict = many.check(none.answer, "alice", &*received);
    CHECK(words_of(verdict) == "client-problems");
    CHECK(verdict.problems[0] == 400);
    for (std::size_t i = 0; i < 400; ++i) {
        CHECK(received->problems()[i].bundle == copies[i]->id());
        CHECK(received->problems()[i].name == "bundle/" + std::to_string(i));
    }
}

TEST_CASE("pure handshake: a client that stores a bundle in another layout is accepted") {
    const auto written = [](int level) {
        BundlePlan plan;
        std::string text;
        while (text.size() < 200'000)
            text += "some text that compresses, line " + std::to_string(text.size()) + "\n";
        plan.assets.push_back(
            {.source = make_memory_blob(bytes_of(text)), .key = "text", .content_type = "text/plain"});
        plan.names.push_back({.name = AssetName::parse("text").value(), .variants = {{.asset = 0}}});
        MemoryDisk disk;
        auto staged = write_bundle(plan, make_memory_file(disk), {.level = level, .jobs = 1});
        REQUIRE(staged);
        REQUIRE(staged->commit());
        return open_bundle(disk.bytes);
    };
    Server server({written(1)});
    const auto client = written(19);
    REQUIRE(client->id() == server.bundles[0]->id());
    REQUIRE(client->layout_id() != server.bundles[0]->layout_id());
    CHECK(words_of(server.check(reply_to(server, {client}, "alice").answer, "alice")) == "welcome");
}

TEST_CASE("pure handshake: the epoch decides which pieces are read, and they are few") {
    BundleMaker maker;
    for (std::uint64_t i = 0; i < 100; ++i)
        maker.add("big/" + std::to_string(i), noise_text(200'000, i));
    const auto source = std::make_shared<CountingSource>(maker.write());
    const Bundles copies{Bundle::open(source, {.label = "counted"}).value()};
    Server server(copies);
    const PurePolicy policy = server.policy;
    std::set<Hash> proofs, contents;
    for (int i = 0; i < 5; ++i) {
        const Hash key = random_hash();
        const std::uint64_t before = source->bytes_read;
        contents.insert(make_pure_epoch(key, policy, copies).value().content);
        CHECK(source->bytes_read - before < 65 * 3 * 65'536);
        CHECK(source->bytes_read - before > 32 * 65'536);
        proofs.insert(answer_pure_offer({random_hash(), policy.digest(), key, {}}, policy, copies, {}, "alice", {})
                          ->answer.proof);
        proofs.insert(answer_pure_offer({random_hash(), policy.digest(), key, {}}, policy, copies, {}, "alice", {})
                          ->answer.proof);
    }
    CHECK(contents.size() == 5);
    CHECK(proofs.size() == 10);  // each nonce has its own, also within an epoch
}

TEST_CASE("pure handshake: an answer reads pieces of at most 64 bundles, however many there are") {
    Bundles copies;
    std::vector<std::shared_ptr<CountingSource>> sources;
    for (std::uint64_t i = 0; i < 300; ++i) {
        sources.push_back(std::make_shared<CountingSource>(
            BundleMaker().add("maps/" + std::to_string(i), noise_text(300, i)).write()));
        copies.push_back(Bundle::open(sources.back(), {.label = "one of many"}).value());
    }
    Server server(copies);
    const PureOffer offer = server.offer("alice");
    for (const auto& source : sources)
        source->bytes_read = 0;
    const PureReply reply = answer_pure_offer(offer, server.policy, copies, {}, "alice", {}).value();
    const auto count = std::ranges::count_if(sources, [](const auto& source) { return source->bytes_read != 0; });
    CHECK(count <= 64);
    CHECK(count > 40);
    CHECK(words_of(server.check(reply.answer, "alice")) == "welcome");
}

TEST_CASE("pure handshake: ten thousand bundles fit the same messages") {
    PureRules rules;
    for (int i = 0; i < 10'000; ++i)
        rules.bundles.push_back({id_from<BundleId>(random_hash()), CaseRule::exact, "", "maps/" + std::to_string(i)});
    const PurePolicy policy = PurePolicy::make(std::move(rules)).value();
    CHECK(PurePolicy::parse(policy.format()).value().digest() == policy.digest());
    const PureOffer offer{random_hash(), policy.digest(), random_hash(), {}};
    CHECK(encode_pure_offer(offer)->size() == kPureOfferBytes);
    const PureReply none = answer_pure_offer(offer, policy, {}, {}, "alice", {}).value();
    CHECK(encode_pure_answer(none.answer).size() == kPureAnswerBytes);
    // The report of ten thousand problems is a text beside the messages.
    const auto received = PureReport::parse(none.report.format());
    REQUIRE(received);
    CHECK(received->problems().size() == 10'000);
    const PureVerdict verdict = check_pure_answer(none.answer, {PureNonce::open, {}}, policy, "alice", &*received);
    CHECK(words_of(verdict) == "client-problems");
    CHECK(verdict.problems[0] == 10'000);
    CHECK(encode_pure_verdict(verdict).size() == kPureVerdictBytes);
}

TEST_CASE("pure handshake: a server without its own copies says so instead of guessing") {
    const Bundles copies{open_bundle(base_bytes())};
    Server server(copies);
    CHECK(code_of(make_pure_epoch(random_hash(), server.policy, {})) == ErrorCode::missing);
    CHECK(outcome_of(PureServer::create(server.policy, {})) == "missing");
}

TEST_CASE("pure offers: their number is bounded, expired ones make room, and one connection has one") {
    PureOffers offers(3);
    const Hash alice = hash_connection("alice"), bob = hash_connection("bob"), carol = hash_connection("carol"),
               dave = hash_connection("dave");
    const Hash nonces[] = {random_hash(), random_hash(), random_hash(), random_hash(), random_hash()};
    REQUIRE(offers.open(nonces[0], {}, alice, {100}, {110}));
    CHECK(outcome_of(offers.open(nonces[0], {}, bob, {100}, {110})) == "conflict");
    REQUIRE(offers.open(nonces[1], {}, bob, {100}, {120}));
    REQUIRE(offers.open(nonces[2], {}, alice, {100}, {120}));  // the older one of Alice is void
    CHECK(outcome_of(offers.open(nonces[3], {}, carol, {105}, {120})) == "busy");
    CHECK(offers.claim(nonces[0], alice, {105}).nonce == PureNonce::replayed);
    CHECK(offers.claim(nonces[1], alice, {105}).nonce == PureNonce::other_connection);
    CHECK(offers.claim(nonces[2], alice, {105}).nonce == PureNonce::open);
    CHECK(offers.claim(nonces[2], alice, {105}).nonce == PureNonce::replayed);
    REQUIRE(offers.open(nonces[3], {}, carol, {111}, {120}));  // the first has expired
    CHECK(offers.claim(nonces[0], alice, {111}).nonce == PureNonce::unknown);
    CHECK(outcome_of(offers.open(nonces[4], {}, dave, {120}, {130})) == "busy");
    REQUIRE(offers.open(nonces[4], {}, dave, {121}, {130}));
    CHECK(offers.claim(nonces[1], bob, {121}).nonce == PureNonce::unknown);
    CHECK(offers.claim(nonces[4], dave, {131}).nonce == PureNonce::expired);
    CHECK(offers.claim(nonces[4], dave, {131}).nonce == PureNonce::replayed);
    CHECK(hash_connection("") != hash_connection(std::string_view("\0", 1)));
}

}  // namespace fardel::tests::pure_check_test
