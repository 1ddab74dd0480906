// Hostile and broken servers behind a bundle that is read while it is used: right bytes or a named error, never wrong
// bytes, and nothing wrong in the store.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "kit/ids.h"
#include "vfs/test_bundle.h"

#include <fardel/delivery/remote_bundle.h>
#include <fardel/vfs/vfs.h>

#include <atomic>

namespace fardel::tests::remote_faults_test {

using Guest = OddServer::Guest;

// Reads through a server that has the fault from the given request on, and afterwards through one that is right: what
// the first one left in the store must not spoil anything.
void survives(std::size_t from, std::string_view wanted_codes, const TreeServer::Fault& fault,
              std::chrono::seconds stall_timeout = std::chrono::seconds(60)) {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    const BundleStore store = make_store(scratch);
    const std::string right = random_text(1, 300'000);
    {
        const TreeServer bad({bytes}, [&](auto& guest, const auto& request, auto body, auto file_bytes) {
            return request.number >= from && fault(guest, request, body, file_bytes);
        });
        const RemoteServers servers = connect_to({bad.url()}, stall_timeout);
        const auto bundle = RemoteBundle::open(store, servers, id);
        const std::string got = bundle ? content_at((*bundle)->source(), "a.bin") : bundle.error().text();
        if (got != right)
            CHECK_MESSAGE(wanted_codes.find(got.substr(0, got.find(':'))) != std::string::npos, got.substr(0, 300));
        CHECK(value_of(store.list()).empty());
    }
    const TreeServer good({bytes});
    const RemoteServers servers = connect_to({good.url()});
    const auto bundle = value_of(RemoteBundle::open(store, servers, id));
    CHECK(content_at((bundle)->source(), "a.bin") == right);
}

void survives_everywhere(std::string_view wanted_codes, const TreeServer::Fault& fault) {
    for (const std::size_t from : {0u, 1u, 2u, 4u, 8u})
        survives(from, wanted_codes, fault);
}

TEST_CASE("remote faults: wrong bytes are corrupt, and never in the store") {  // A138
    survives_everywhere("corrupt malformed",
                        [](Guest& guest, const RangeRequest& request, std::string_view body, std::uint64_t size) {
                            std::string wrong(body);
                            wrong[wrong.size() / 2] = static_cast<char>(wrong[wrong.size() / 2] ^ 1);
                            guest.send(partial_answer(wrong, request.first, size));
                            return true;
                        });
}

TEST_CASE("remote faults: a server that lies about the size of the file is corrupt") {  // A138
    survives_everywhere("corrupt malformed limit",
                        [](Guest& guest, const RangeRequest& request, std::string_view body, std::uint64_t size) {
                            guest.send(partial_answer(body, request.first, size * 1000));
                            return true;
                        });
}

TEST_CASE("remote faults: a server that stalls is unreachable, in bounded time") {  // A138
    const auto start = std::chrono::steady_clock::now();
    for (const std::size_t from : {0u, 2u, 4u})
        survives(
            from, "unreachable",
            [](Guest& guest, const RangeRequest&, std::string_view, std::uint64_t) {
                guest.hang();
                return true;
            },
            std::chrono::seconds(1));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

TEST_CASE("remote faults: of an endless body, no more than the range is taken") {  // A138
    survives_everywhere("corrupt unreachable", [](Guest& guest, const RangeRequest& request, std::string_view body,
                                                  std::uint64_t size) {
        const std::string filling(1 << 16, 'x');
        guest.send("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " + std::to_string(request.first) + "-" +
                   std::to_string(request.last) + "/" + std::to_string(size) + "\r\n\r\n" + std::string(body));
        for (int i = 0; i < 1000 && guest.send(filling); ++i) {
        }
        return true;
    });
}

TEST_CASE("remote faults: a server that vanishes while a file is read is unreachable, not an absent file") {  // A138
    survives_everywhere("unreachable missing", [](Guest& guest, const RangeRequest&, std::string_view, std::uint64_t) {
        guest.send(http_answer("404 Not Found", "<html>gone</html>"));
        return true;
    });
    survives(4, "unreachable", [](Guest& guest, const RangeRequest&, std::string_view, std::uint64_t) {
        guest.send(http_answer("404 Not Found", "<html>gone</html>"));
        return true;
    });
}

TEST_CASE("remote faults: a mirror brings what the first server sends wrong") {  // A138
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer bad({bytes},
                         [](Guest& guest, const RangeRequest& request, std::string_view body, std::uint64_t size) {
                             if (request.number < 2)
                                 return false;
                             guest.send(partial_answer(std::string(body.size(), 'w'), request.first, size));
                             return true;
                         });
    const TreeServer good({bytes});
    const RemoteServers servers = connect_to({bad.url(), good.url()});
    const auto bundle = value_of(RemoteBundle::open(make_store(scratch), servers, bundle_id_of(bytes)));
    CHECK(content_at(bundle->source(), "a.bin") == random_text(1, 300'000));
}

TEST_CASE("remote faults: a mirror with another genuine layout is not mixed with the first") {  // A138
    const ScratchFolder scratch;
    BundlePlan plan;
    for (const auto& [name, seed] : {std::pair("a.bin", 1u), {"b.bin", 2u}})
        add(plan, name, std::string(150'000, 'c') + random_text(seed, 150'000), "application/octet-stream");
    const Bytes first = written(plan, {.level = 1, .jobs = 1});
    const Bytes second = written(plan, {.level = 19, .jobs = 1});
    REQUIRE(bundle_id_of(first) == bundle_id_of(second));
    REQUIRE(first != second);
    const TreeServer one({first});
    const TreeServer other({second});
    const BundleStore store = make_store(scratch);
    {
        const RemoteServers servers = connect_to({one.url()});
        const auto bundle = value_of(RemoteBundle::open(store, servers, bundle_id_of(first)));
        CHECK(content_at(bundle->source(), "a.bin").ends_with(random_text(1, 150'000)));
    }
    const RemoteServers servers = connect_to({other.url()});
    const auto bundle = value_of(RemoteBundle::open(store, servers, bundle_id_of(first)));
    CHECK(content_at(bundle->source(), "a.bin").ends_with(random_text(1, 150'000)));
    const std::string b = content_at(bundle->source(), "b.bin");
    const bool is_right = b.ends_with(random_text(2, 150'000));
    CHECK_MESSAGE((is_right || b.starts_with("corrupt: ")), b.substr(0, 300));
}

TEST_CASE("remote faults: what is kept and damaged on the disk is fetched again or refused, and never returned") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    const BundleStore store = make_store(scratch);
    {
        const RemoteServers servers = connect_to({server.url()});
        const auto bundle = value_of(RemoteBundle::open(store, servers, id));
        CHECK(content_at(bundle->source(), "a.bin") == random_text(1, 300'000));
    }
    const std::string pack = "store/incoming/" + id.hex() + ".pack";
    for (const std::size_t at : {100u, 5'000u, 20'000u, 60'000u}) {
        std::string kept = scratch.read(pack);
        REQUIRE(kept.size() > at);
        kept[at] = static_cast<char>(kept[at] ^ 1);
        scratch.write(pack, kept);
        const RemoteServers servers = connect_to({server.url()});
        const auto bundle = value_of(RemoteBundle::open(store, servers, id));
        CHECK(content_at(bundle->source(), "a.bin") == random_text(1, 300'000));
    }
}

TEST_CASE("remote faults: a look-up among many names fetches a small part of the tables") {
    const ScratchFolder scratch;
    BundlePlan plan;
    add(plan, "first.txt", "first");
    constexpr int kNames = 100'000;
    for (int i = 0; i < kNames; ++i)
        plan.names.push_back({.name = name_of("folder" + std::to_string(i % 1000) + "/name" + std::to_string(i)),
                              .variants = {{.asset = 0}}});
    const Bytes bytes = written(plan);
    const TreeServer server({bytes});
    const RemoteServers servers = connect_to({server.url()});
    const auto bundle = value_of(RemoteBundle::open(make_store(scratch), servers, bundle_id_of(bytes)));
    CHECK(content_at(bundle->source(), "folder7/name5007") == "first");
    MESSAGE(bytes.size(), " bytes with ", kNames, " names; fetched ", server.sent_bytes(), " in ",
            server.requests().size(), " requests");
    CHECK(server.sent_bytes() < 600'000);
    CHECK(server.sent_bytes() < bytes.size() / 5);
}

}  // namespace fardel::tests::remote_faults_test
