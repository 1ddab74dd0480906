// Fetching what is damaged, and from servers that have another layout of the bundle than the one that began.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/head.h>
#include <fardel/format/trace.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/publish_trace.h>
#include <fardel/store/bundle_reference.h>
#include <fardel/store/retention.h>

#include <atomic>

namespace fardel::tests::fetch_repair_test {

// A text that levels of compression make differently small.
std::string words(std::uint32_t seed) {
    const std::string noise = random_text(seed, 4000);
    std::string text;
    for (const char c : noise)
        text += "word" + std::to_string(static_cast<unsigned char>(c) % 61) + ' ';
    return text;
}

BundlePlan game_plan() {
    BundlePlan plan;
    add(plan, "a.bin", random_text(1, 300'000), "application/octet-stream");
    add(plan, "b.bin", random_text(2, 300'000), "application/octet-stream");
    for (std::uint32_t i = 0; i < 40; ++i)
        add(plan, "text" + std::to_string(i), words(i));
    return plan;
}

// The same bundle, whose texts are compressed in another way.
Bytes other_layout() {
    BundleWriteOptions options = quick();
    options.level = 19;
    return written(game_plan(), options);
}

// Sends 300,000 bytes of the content and then nothing any more, to nobody.
class DyingServer {
public:
    bool operator()(OddServer::Guest& guest, const RangeRequest& request, std::string_view right,
                    std::uint64_t file_bytes) const {
        if (!*gone_ && right.size() > 300'000) {
            *gone_ = true;
            guest.send(partial_answer(right, request.first, file_bytes).substr(0, 300'000));
            return true;
        }
        if (*gone_)
            guest.reset();
        return gone_->load();
    }

private:
    std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);
};

TEST_CASE("fetch: a server with another layout goes on where one that is gone has begun") {  // A88
    const Bytes first = written(game_plan());
    const Bytes other = other_layout();
    const BundleId id = bundle_id_of(first);
    REQUIRE(bundle_id_of(other) == id);
    REQUIRE(other.size() != first.size());
    const TreeServer server({first}, DyingServer());
    const TreeServer mirror({other});
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    FetchOptions options = fetching_from({server.url(), mirror.url()});
    options.work.connections = 1;
    std::size_t consents = 0;
    options.consent = [&](const FetchPlan&) {
        ++consents;
        return ok();
    };
    const auto fetched = fetch_one(store, id, options);
    REQUIRE_MESSAGE(fetched, (fetched ? "" : fetched.error().text()));
    CHECK(consents == 1);  // it was not more than was planned
    // What the first server sent was not fetched again; of the second layout, heads and tables are.
    CHECK(fetched->received_bytes < other.size() + 60'000);
    CHECK(stored_bytes(store, id) == other);
}

TEST_CASE("fetch: a plan that is made again counts what a server sent in vain, and is asked about") {  // A47
    const Bytes first = written(game_plan());
    const Bytes other = other_layout();
    const BundleId id = bundle_id_of(first);
    const auto lie = [](OddServer::Guest& guest, const RangeRequest& request, std::string_view right,
                        std::uint64_t file_bytes) {
        if (right.size() < 100'000)
            return false;
        std::string wrong(right);
        for (char& c : wrong)
            c = static_cast<char>(c ^ 1);
        guest.send(partial_answer(wrong, request.first, file_bytes));
        return true;
    };
    const TreeServer server({first}, lie);
    const TreeServer mirror({other});
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    FetchOptions options = fetching_from({server.url(), mirror.url()});
    std::vector<std::uint64_t> asked;
    std::uint64_t tables_bytes = 0;
    std::uint64_t received = 0;
    bool accepts_more = false;
    options.consent = [&](const FetchPlan& plan) {
        asked.push_back(plan.fetch_bytes);
        tables_bytes = plan.bundles[0].tables_bytes;
        return asked.size() == 1 || accepts_more ? ok() : Status(Error(ErrorCode::cancelled, "too much"));
    };
    options.progress = [&](const FetchProgress& progress) {
        CHECK(progress.received_bytes <= progress.total_bytes);
        received = progress.received_bytes;
    };
    CHECK(code_of(fetch_one(store, id, options)) == ErrorCode::cancelled);
    REQUIRE(asked.size() == 2);
    CHECK(received > 0);
    CHECK(asked[1] > asked[0]);
    accepts_more = true;
    asked.clear();
    options.work.servers = {server.url(), mirror.url()};  // of which nothing is known
    const ScratchFolder elsewhere;
    const BundleStore fresh = make_store(elsewhere);
    const auto fetched = value_of(fetch_one(fresh, id, options));
    REQUIRE(asked.size() == 2);
    CHECK(received == asked[1]);
    CHECK(fetched.received_bytes == asked[1] + tables_bytes);
    CHECK(stored_bytes(fresh, id) == other);
}

TEST_CASE("fetch: a plan that is made again, for another layout, asks no server for the trace again") {
    BundlePlan plan = game_plan();
    for (std::uint32_t i = 0; i < 8; ++i)
        add(plan, "more" + std::to_string(i), random_text(10 + i, 300'000), "application/octet-stream");
    BundleWriteOptions options = quick();
    const Bytes first = written(plan, options);
    options.level = 19;
    const Bytes other = written(plan, options);
    const BundleId id = bundle_id_of(first);
    REQUIRE(other.size() != first.size());
    const std::map<std::string, std::string> trace{{trace_path_of(id), format_trace({})}};
    const TreeServer server({first}, DyingServer(), trace);
    const TreeServer mirror({other}, nullptr, trace);
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    FetchOptions fetching = fetching_from({server.url(), mirror.url()});
    fetching.work.connections = 1;
    REQUIRE(fetch_one(store, id, fetching));
    CHECK(stored_bytes(store, id) == other);
    std::size_t asked = 0;
    for (const TreeServer* one : {&server, &mirror})
        for (const RangeRequest& request : one->requests())
            asked += request.path.ends_with(".trace") ? 1 : 0;
    CHECK(asked == 1);
}

TEST_CASE("fetch: what was kept of one layout does not stop a fetch of another") {
    const Bytes first = written(game_plan());
    const Bytes other = other_layout();
    const BundleId id = bundle_id_of(first);
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    {
        const TreeServer server({first}, DyingServer());
        FetchOptions options = fetching_from({server.url()});
        options.work.connections = 1;
        CHECK(code_of(fetch_one(store, id, options)) == ErrorCode::unreachable);
    }
    const TreeServer mirror({other});
    const FetchSummary fetched = value_of(fetch_one(store, id, fetching_from({mirror.url()})));
    CHECK(fetched.received_bytes + 250'000 < other.size());
    CHECK(stored_bytes(store, id) == other);
}

TEST_CASE("fetch: signatures that the policy refuses cost the tables once, and are asked for again") {
    BundlePlan plan = game_plan();
    for (int i = 0; i < 3000; ++i)
        add(plan, "many/name/of/a/file/" + std::to_string(i), random_text(i, 40));
    const Bytes bytes = written(plan);
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    const auto tables_bytes = [&] {
        const auto layout = open_bundle(bytes)->layout_head();
        return bytes.size() - layout.blocks_bytes;
    }();
    const TrustPolicy policy = value_of(TrustPolicy::parse("fardel-trust 1\n"));
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    FetchOptions options = fetching_from({server.url()});
    options.work.policy = borrow(policy);
    CHECK(code_of(fetch_one(store, id, options)) == ErrorCode::untrusted);
    CHECK(server.sent_bytes() < tables_bytes);
    const std::uint64_t sent = server.sent_bytes();
    CHECK(code_of(fetch_one(store, id, options)) == ErrorCode::untrusted);
    CHECK(server.sent_bytes() <= sent + 1000);
}

TEST_CASE("fetch --repair: of a damaged bundle in the store, only the damaged block is fetched") {  // A103
    const Bytes bytes = written(game_plan());
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    value_of(store.add(make_memory_source(bytes)));
    flip_bit(only_file(scratch.path("store/packs")), 100'000);
    FetchOptions options = fetching_from({server.url()});
    value_of(fetch_one(store, id, options));  // does not look
    CHECK(server.sent_bytes() == 0);
    options.repairs = true;
    const FetchSummary fetched = value_of(fetch_one(store, id, options));
    CHECK(fetched.plan.bundles.size() == 1);
    CHECK(fetched.received_bytes > 0);
    CHECK(fetched.received_bytes < 140'000);
    CHECK(stored_bytes(store, id) == bytes);
    CHECK(value_of(store.check(true)).damaged.empty());
    // Nothing is left to be done.
    const std::uint64_t sent = server.sent_bytes();
    CHECK(value_of(fetch_one(store, id, options)).plan.bundles.empty());
    CHECK(server.sent_bytes() == sent);
}

TEST_CASE("fetch --repair: whichever part is damaged or missing, the bundle is whole again") {  // A103
    const Bytes bytes = written(game_plan());
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    const LayoutHead layout = open_bundle(bytes)->layout_head();
    for (const std::uint64_t offset : {std::uint64_t{10}, std::uint64_t{5000}, layout.manifest_offset + 100,
                                       layout.layout_offset + 100, layout.blocks_offset, std::uint64_t{UINT64_MAX}}) {
        CAPTURE(offset);
        const ScratchFolder scratch;
        const BundleStore store = make_store(scratch);
        value_of(store.add(make_memory_source(bytes)));
        if (offset == UINT64_MAX)
            std::filesystem::remove(only_file(scratch.path("store/packs")));
        else
            flip_bit(only_file(scratch.path("store/packs")), offset);
        FetchOptions options = fetching_from({server.url()});
        options.repairs = true;
        const auto fetched = value_of(fetch_one(store, id, options));
        CHECK(stored_bytes(store, id) == bytes);
        CHECK(value_of(store.check(true)).damaged.empty());
        if (offset != UINT64_MAX)
            CHECK(fetched.received_bytes < 200'000);
    }
}

TEST_CASE("fetch --repair: of a damaged file, what is right is not fetched, whatever else it is") {
    const Bytes bytes = written(game_plan());
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    Bytes flipped = bytes;
    flipped[100'000] ^= std::byte{1};
    Bytes cut = bytes;
    cut.resize(cut.size() / 2);
    const Bytes other = game_version("another bundle");
    struct Copy {
        Bytes bytes;
        std::uint64_t received_max;
    };
    for (const Copy& copy : {Copy{flipped, 140'000}, Copy{cut, bytes.size() * 2 / 3},
                             Copy{other, bytes.size() + 20'000}, Copy{{}, bytes.size() + 20'000}}) {
        const ScratchFolder scratch;
        const BundleStore store = make_store(scratch);
        FetchOptions options = fetching_from({server.url()});
        options.repairs = true;
        options.damaged_copy = make_memory_source(copy.bytes);
        const auto fetched = value_of(fetch_one(store, id, options));
        CHECK(fetched.received_bytes <= copy.received_max);
        CHECK(stored_bytes(store, id) == bytes);
    }
}

TEST_CASE("fetch: a bundle that the store only refers to is mended when its file has changed or is gone") {
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    const Bytes bytes = game_version("1");
    const Bytes other = game_version("2");
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes, other});
    const std::string path = scratch.write("mods/game.fardel", bytes);
    grow_old();
    value_of(add_reference(store, path));
    REQUIRE(value_of(fetch_one(store, bundle_id_of(other), fetching_from({server.url()}))).received_bytes < 200'000);
    REQUIRE(stored_bytes(store, id) == bytes);
    SUBCASE("a byte of its content was changed") { flip_bit(path, bytes.size() / 2); }
    SUBCASE("its first byte was changed") { flip_bit(path, 0); }
    SUBCASE("it was cut") { std::filesystem::resize_file(path, bytes.size() / 2); }
    SUBCASE("it is gone") { std::filesystem::remove(path); }
    CHECK_FALSE(store.open_bundle(id));
    REQUIRE(value_of(store.list()).size() == 2);
    CHECK(value_of(store.list())[0].stale_references == 1);

    CHECK(value_of(fetch_one(store, id, fetching_from({server.url()}))).received_bytes >= 600'000);
    CHECK(stored_bytes(store, id) == bytes);
    // The other one shares the pack that was only referred to, or is mended in the same way.
    value_of(fetch_one(store, bundle_id_of(other), fetching_from({server.url()})));
    CHECK(stored_bytes(store, bundle_id_of(other)) == other);
    CHECK(value_of(store.check(true)).damaged.empty());
    for (const StoredBundle& stored : value_of(store.list()))
        CHECK(stored.stale_references == 0);
    // A reference that no bundle needs any more goes as a pack does.
    value_of(store.collect({.now = {1'900'000'000}, .grace_s = 0}));
    CHECK(value_of(store.check(true)).findings.empty());
    CHECK(value_of(store.usage({})).references == 0);
}

}  // namespace fardel::tests::fetch_repair_test
