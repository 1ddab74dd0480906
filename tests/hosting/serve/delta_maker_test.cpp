// Deltas that fardel serve makes for its clients: which, when, how many, and what hostile clients get out of it.
#include "delivery/served_bundle.h"

#include <fardel/delivery/delta_list.h>
#include "serve/delta_demand.h"

#include "kit/bundles.h"
#include "kit/ids.h"
#include "kit/raw_connection.h"
#include "kit/serve_program.h"

#include <fardel/hosting/publish.h>
#include <fardel/hosting/publish_delta.h>

#include <csignal>

namespace fardel::tests::delta_maker_test {

DeltaPair pair_of(std::uint8_t old_bundle, std::uint8_t new_bundle) {
    return {.old_bundle = filled_id<BundleId>(old_bundle), .new_bundle = filled_id<BundleId>(new_bundle)};
}

TEST_CASE("delta demand: what is wanted most is made first, once, and what is wanted least goes first") {
    DeltaDemand demand;
    CHECK_FALSE(demand.find_next());
    for (std::uint64_t i = 0; i < kDemandWorthMaking; ++i) {
        demand.count(pair_of(1, 2));
        demand.count(pair_of(3, 4));
    }
    demand.count(pair_of(3, 4));
    demand.count(pair_of(5, 6));
    CHECK(demand.find_next() == pair_of(3, 4));
    demand.settle(pair_of(3, 4), 100);
    CHECK(demand.find_next() == pair_of(1, 2));
    demand.settle(pair_of(1, 2), 50);
    CHECK_FALSE(demand.find_next());
    CHECK(demand.made() == 2);
    CHECK_FALSE(demand.find_surplus(150));
    CHECK(demand.find_surplus(149) == pair_of(1, 2));
    const DeltaDemand again = DeltaDemand::parse(demand.format());
    CHECK(again.format() == demand.format());
    CHECK(again.made_bytes() == 150);
    demand.drop(pair_of(1, 2));
    CHECK_FALSE(demand.find_surplus(149));
    CHECK_FALSE(demand.find_next());  // not until it is wanted as often again
    for (int i = 0; i < 3; ++i)
        demand.count(pair_of(1, 2));
    CHECK(demand.find_next() == pair_of(1, 2));
    demand.settle(pair_of(1, 2), 0);  // not worth it
    CHECK_FALSE(demand.find_next());
}

TEST_CASE("delta demand: pairs are bounded, those with deltas stay, and lines that are wrong are left out") {
    DeltaDemand demand;
    for (int i = 0; i < 5; ++i)
        demand.count(pair_of(1, 2));
    demand.settle(pair_of(1, 2), 7);
    for (std::size_t i = 0; i < kDemandedPairsMax + 100; ++i) {
        DeltaPair pair = pair_of(9, 9);
        pair.old_bundle.bytes[0] = static_cast<std::uint8_t>(i);
        pair.old_bundle.bytes[1] = static_cast<std::uint8_t>(i >> 8);
        demand.count(pair);
    }
    const std::string text = demand.format();
    CHECK(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) == kDemandedPairsMax);
    CHECK(demand.made() == 1);
    const std::string id = filled_id<BundleId>(1).hex();
    CHECK(DeltaDemand::parse("x\n\n" + id + " " + id + " 1\n" + id + " " + id + " -1 -\n" + id + " " + id + " 5 x\n" +
                             id + " x 5 5\n" + std::string(100'000, ' '))
              .format()
              .empty());
}

TEST_CASE("delta demand: one client counts once for a pair, and what only it wants gives way") {
    DeltaDemand demand;
    for (int i = 0; i < 100; ++i)
        demand.count(pair_of(1, 2), "192.0.2.1");
    CHECK_FALSE(demand.find_next());
    demand.count(pair_of(1, 2), "192.0.2.2");
    CHECK_FALSE(demand.find_next());
    demand.count(pair_of(1, 2), "2001:db8::/64");
    CHECK(demand.find_next() == pair_of(1, 2));
    demand.settle(pair_of(1, 2), 10);

    demand.count(pair_of(3, 4), "192.0.2.2");
    const auto has = [&](const DeltaPair& pair) {
        return demand.format().find(pair.old_bundle.hex() + " " + pair.new_bundle.hex()) != std::string::npos;
    };
    for (std::size_t i = 0; i <= kPairsOfClientMax; ++i)
        demand.count(pair_of(static_cast<std::uint8_t>(10 + i), 200), "192.0.2.1");
    CHECK(has(pair_of(3, 4)));
    CHECK_FALSE(has(pair_of(10, 200)));
    CHECK(has(pair_of(11, 200)));
    CHECK(has(pair_of(10 + kPairsOfClientMax, 200)));
    // After so many others, a client counts again.
    for (std::size_t i = 0; i < kClientsRememberedMax; ++i)
        demand.count(pair_of(3, 4), "198.51.100." + std::to_string(i));
    const std::string before = demand.format();
    demand.count(pair_of(3, 4), "192.0.2.2");
    CHECK(demand.format() != before);
}

Bytes named_version(const std::string& name, std::uint32_t number) {
    BundlePlan plan;
    std::string text = prose(300'000, 3);
    for (std::size_t at = 1000; at < text.size(); at += 30'000)
        text.insert(at, std::to_string(number));
    add(plan, "maps.txt", text);
    plan.metadata = {{.key = "name", .value = name}, {.key = "version", .value = std::to_string(number)}};
    return written(plan, {.level = 3, .jobs = 1});
}

struct DeltaSite {
    ScratchFolder scratch;
    std::string tree = scratch.path("tree");

    void publish(const Bytes& bytes) const { value_of(publish_bundle(make_memory_source(bytes), tree)); }
    // What leads to the bundle, as soon as there are so many deltas.
    DeltaList list_of(const ServeProgram& server, const Bytes& bytes, std::size_t count) const {
        for (int tries = 0; tries < 6000; ++tries) {
            RawConnection client(server.port());
            const auto answer = client.ask(get_request("/" + delta_list_path_of(bundle_id_of(bytes))));
            if (answer.status == 200) {
                const auto list = value_of(decode_delta_list(bytes_of(answer.body)));
                if (list.size() >= count)
                    return list;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        FAIL("no delta was made");
        return {};
    }
    void wait_for_made(std::size_t count) const {
        const auto is_noted = [&] {
            return std::filesystem::exists(tree + "/.fardel-deltas") &&
                   DeltaDemand::parse(scratch.read("tree/.fardel-deltas")).made() == count;
        };
        wait_until([&] { return is_noted(); });
        REQUIRE(is_noted());
    }
    FetchSummary update(const ServeProgram& server, const Bytes& from, const Bytes& to) const {
        const ScratchFolder other;
        const BundleStore store = make_store(other);
        value_of(store.add(make_memory_source(from)));
        const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(to), fetching_from({server.url()})));
        CHECK(stored_bytes(store, bundle_id_of(to)) == to);
        return fetched;
    }
};

TEST_CASE("serve deltas: what clients update to gets a delta, which others use, and a restart keeps") {
    const DeltaSite site;
    const Bytes first = named_version("game", 1);
    const Bytes second = named_version("game", 2);
    const Bytes foreign = named_version("another game", 3);
    for (const Bytes* const bytes : {&first, &foreign, &second})
        site.publish(*bytes);
    {
        const ServeProgram server({site.tree, "--delta-budget", "1000000"});
        const FetchSummary without = site.update(server, first, second);
        CHECK(without.received_bytes > second.size() / 2);
        const DeltaList list = site.list_of(server, second, 1);
        CHECK(list.size() == 1);
        CHECK(list.front().old_bundle == bundle_id_of(first));
        CHECK(site.update(server, first, second).received_bytes < without.received_bytes / 4);
        site.wait_for_made(1);  // what was made is noted a moment later
        server.send(SIGKILL);
    }
    const ServeProgram server({site.tree, "--delta-budget", "1000000"});
    CHECK(site.update(server, first, second).received_bytes < second.size() / 4);
    RawConnection client(server.port());
    CHECK(client.ask(get_request("/.fardel-deltas")).status == 404);
}

TEST_CASE("serve deltas: above the budget, the least wanted delta goes, and those of others stay") {
    const DeltaSite site;
    const Bytes first = named_version("game", 1);
    const Bytes second = named_version("game", 2);
    site.publish(first);
    site.publish(second);
    const ServeProgram server({site.tree, "--delta-budget", "10"});  // less than any delta has
    const std::string list = site.tree + "/" + delta_list_path_of(bundle_id_of(second));
    const std::string state = site.tree + "/.fardel-deltas";
    for (int tries = 0; tries < 6000 && !std::filesystem::exists(state); ++tries) {
        RawConnection client(server.port());
        client.ask(get_request("/" + delta_list_path_of(bundle_id_of(second))));
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    REQUIRE(std::filesystem::exists(state));
    CHECK(DeltaDemand::parse(site.scratch.read("tree/.fardel-deltas")).made() == 0);
    CHECK(value_of(decode_delta_list(bytes_of(read_file(list)))).empty());
    CHECK_FALSE(std::filesystem::exists(site.tree + "/" + delta_path_of(bundle_id_of(second), bundle_id_of(first))));
    CHECK(site.update(server, first, second).received_bytes > second.size() / 2);
}

TEST_CASE("serve deltas: pairs that clients make up cost nothing, and others are served meanwhile") {  // A91
    const DeltaSite site;
    const Bytes first = named_version("game", 1);
    site.publish(first);
    const ServeProgram server({site.tree, "--delta-budget", "1000000"});
    {
        RawConnection client(server.port());
        for (std::uint32_t i = 0; i < 3000; ++i) {
            BundleId made_up = filled_id<BundleId>(7);
            made_up.bytes[0] = static_cast<std::uint8_t>(i);
            made_up.bytes[1] = static_cast<std::uint8_t>(i >> 8);
            CHECK(client.ask(get_request("/" + delta_list_path_of(made_up))).status == 404);
        }
    }
    const ScratchFolder other;
    const BundleStore store = make_store(other);
    value_of(fetch_one(store, bundle_id_of(first), fetching_from({server.url()})));
    CHECK(stored_bytes(store, bundle_id_of(first)) == first);
    CHECK_FALSE(std::filesystem::exists(site.tree + "/deltas"));
    CHECK_FALSE(std::filesystem::exists(site.tree + "/.fardel-deltas"));
}

TEST_CASE("serve deltas: a client that asks again and again is one, and others get the delta that they want") {  // A91
    const DeltaSite site;
    const Bytes first = named_version("game", 1);
    const Bytes second = named_version("game", 2);
    const Bytes other = named_version("another game", 3);
    const Bytes wanted = named_version("another game", 4);
    for (const Bytes* const bytes : {&first, &second, &other, &wanted})
        site.publish(*bytes);
    ServeProgram server({site.tree, "--delta-budget", "1000000", "--per-address", "64"});
    const auto ask = [&](std::uint8_t from, const Bytes& bytes) {
        RawConnection client(server.port(), 0, from);
        return client.ask(get_request("/" + delta_list_path_of(bundle_id_of(bytes)))).status;
    };
    {
        RawConnection hostile(server.port(), 0, 66);
        for (int i = 0; i < 200; ++i)
            CHECK(hostile
                      .ask(get_request("/" + delta_list_path_of(bundle_id_of(second)),
                                       "X-Forwarded-For: 192.0.2." + std::to_string(i) + "\r\n"))
                      .status == 404);
    }
    for (std::uint8_t from = 2; from < 4; ++from)
        CHECK(ask(from, wanted) == 404);
    ask(4, wanted);  // with it, three want the delta, which may be here before the answer
    CHECK(site.list_of(server, wanted, 1).front().old_bundle == bundle_id_of(other));
    // What is wanted most is made first, so the other delta would be here.
    CHECK(ask(66, second) == 404);
    server.stop();
    CHECK(DeltaDemand::parse(site.scratch.read("tree/.fardel-deltas")).made() == 1);
}

}  // namespace fardel::tests::delta_maker_test
