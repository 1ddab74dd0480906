// Fetching from servers that work: what is fetched, planned, kept and shared.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "kit/nginx.h"

#include <fardel/hosting/publish.h>
#include <fardel/store/retention.h>

namespace fardel::tests::fetch_test {

TEST_CASE("fetch: a tree that nginx serves as the manual says brings the published file, byte for byte") {
    const ScratchFolder scratch;
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    const Bytes first = game_version("1");
    const Bytes second = game_version("2");
    for (const Bytes& bytes : {first, second})
        value_of(publish_bundle(make_memory_source(bytes), nginx.tree()));
    const BundleStore store = make_store(scratch);
    const FetchOptions options = fetching_from({nginx.url()});
    const FetchSummary whole = value_of(fetch_one(store, bundle_id_of(first), options));
    CHECK(stored_bytes(store, bundle_id_of(first)) == first);
    CHECK(whole.received_bytes <= first.size());
    // Of the second version, only heads, tables and the small block are fetched.
    const FetchSummary update = value_of(fetch_one(store, bundle_id_of(second), options));
    CHECK(stored_bytes(store, bundle_id_of(second)) == second);
    CHECK(update.received_bytes < 40'000);
    CHECK(value_of(store.check(true)).findings.empty());
}

TEST_CASE_FIXTURE(ServedGame, "fetch: the plan is exact, comes before any content, and can be refused") {
    FetchOptions options = fetching_from({server.url()});
    std::uint64_t sent_before = 0;
    FetchPlan seen;
    options.consent = [&](const FetchPlan& plan) {
        sent_before = server.sent_bytes();
        seen = plan;
        return Status(Error(ErrorCode::denied, "too much"));
    };
    CHECK(code_of(fetch_one(store, bundle_id_of(bytes), options)) == ErrorCode::denied);
    CHECK(server.sent_bytes() == sent_before);
    REQUIRE(seen.bundles.size() == 1);
    CHECK(seen.bundles[0].file_bytes == bytes.size());
    CHECK(seen.fetch_bytes >= 600'000);
    CHECK(sent_before + seen.fetch_bytes <= bytes.size());
    CHECK_FALSE(is_whole(store, bundle_id_of(bytes)));

    options.consent = nullptr;
    std::uint64_t latest = 0;
    options.progress = [&](const FetchProgress& progress) {
        CHECK(progress.received_bytes >= latest);
        CHECK(progress.total_bytes == seen.fetch_bytes);
        latest = progress.received_bytes;
    };
    const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(bytes), options));
    CHECK(fetched.received_bytes == seen.fetch_bytes);  // the tables were kept
    CHECK(latest == seen.fetch_bytes);
    CHECK(server.sent_bytes() == sent_before + seen.fetch_bytes);
}

TEST_CASE("fetch: what a server's quota does not allow is not begun, and counts all that came from this server") {
    const ScratchFolder scratch;
    const Bytes first = game_version("1");
    const Bytes second = game_version("2");
    const TreeServer server({first, second});
    const TreeServer elsewhere({first, second});
    const BundleStore store = make_store(scratch);
    FetchOptions options = fetching_from({server.url()});
    options.work.source_bytes_max = first.size() - 1;
    bool asked = false;
    options.consent = [&](const FetchPlan&) {
        asked = true;
        return ok();
    };
    check_error(fetch_one(store, bundle_id_of(first), options), ErrorCode::no_space, "quota");
    CHECK_FALSE(asked);
    CHECK(server.sent_bytes() < 300'000);  // heads and tables

    options.work.source_bytes_max = first.size();
    CHECK(value_of(fetch_one(store, bundle_id_of(first), options)).plan.source_bytes == first.size());
    CHECK(asked);
    CHECK(code_of(fetch_one(store, bundle_id_of(second), options)) == ErrorCode::no_space);
    CHECK(fetch_one(store, bundle_id_of(first), options));  // it is there; nothing is fetched
    options.work.source_bytes_max = first.size() + second.size();
    CHECK(value_of(fetch_one(store, bundle_id_of(second), options)).plan.source_bytes == options.work.source_bytes_max);
    // What came from another server does not count.
    FetchOptions other = fetching_from({elsewhere.url()});
    other.work.source_bytes_max = 1;
    CHECK(fetch_one(store, bundle_id_of(second), other));
    CHECK(store.remove_bundles(std::vector{bundle_id_of(second)}, {1}));
    CHECK(store.collect({.now = {10}, .grace_s = 0}));
    other.work.source_bytes_max = second.size();
    CHECK(fetch_one(store, bundle_id_of(second), other));
}

TEST_CASE("fetch: a game server that names another server's URL first does not use up that server's quota") {
    const ScratchFolder scratch;
    const Bytes first = game_version("1");
    const Bytes second = game_version("2");
    const TreeServer official({first});
    const TreeServer hostile({second});
    const BundleStore store = make_store(scratch);
    REQUIRE(fetch_one(store, bundle_id_of(first), fetching_from({official.url()})));
    FetchOptions options = fetching_from({official.url(), hostile.url()});
    options.work.source = "203.0.113.7:27960";
    options.work.source_bytes_max = second.size();
    REQUIRE(fetch_one(store, bundle_id_of(second), options));
    for (const RetainedBundle& one : value_of(store.retained(UnixTime{1})))
        CHECK(one.source == (one.bundle == bundle_id_of(second) ? options.work.source : official.url()));
    // The content of that game server expires, and nothing else.
    CHECK(store.collect({.now = {INT64_MAX / 2}, .grace_s = 0, .unused_for_s = 0, .source = options.work.source}));
    REQUIRE(value_of(store.list()).size() == 1);
    CHECK(value_of(store.list())[0].bundle == bundle_id_of(first));
}

TEST_CASE("fetch: blocks come from any bundle in the store, whatever its name") {
    const ScratchFolder scratch;
    BundlePlan other;
    add(other, "renamed.bin", random_text(2, 300'000), "application/octet-stream");
    const BundleStore store = make_store(scratch);
    value_of(store.add(make_memory_source(written(other))));
    const Bytes bytes = game_version("1");
    const TreeServer server({bytes});
    const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()})));
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
    CHECK(fetched.received_bytes < 350'000);
}

TEST_CASE("fetch: a block of the store that is damaged is fetched, not shared") {
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    value_of(store.add(make_memory_source(game_version("1"))));
    for (const auto& entry : std::filesystem::directory_iterator(scratch.path("store/packs"))) {
        std::filesystem::permissions(entry, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
        std::string content = read_file(entry.path());
        content[50'000] = static_cast<char>(content[50'000] ^ 1);
        write_file(entry.path(), content);
    }
    const Bytes bytes = game_version("2");
    const TreeServer server({bytes});
    value_of(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()})));
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
}

TEST_CASE("fetch: static dependencies come along, and what is there is not asked for") {
    const ScratchFolder scratch;
    const Bytes base = BundleMaker().add_data("base.bin", random_text(7, 100'000)).write_quickly();
    const Bytes game = game_version("1", {bundle_id_of(base)});
    const TreeServer server({base, game});
    const BundleStore store = make_store(scratch);
    const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(game), fetching_from({server.url()})));
    REQUIRE(fetched.plan.bundles.size() == 2);
    CHECK(fetched.plan.bundles[0].bundle == bundle_id_of(base));
    CHECK(value_of(store.closure(bundle_id_of(game))).size() == 2);
    const std::size_t requests = server.requests().size();
    CHECK(value_of(fetch_one(store, bundle_id_of(game), fetching_from({server.url()}))).plan.bundles.empty());
    CHECK(server.requests().size() == requests);
}

TEST_CASE_FIXTURE(ServedGame,
                  "fetch: a bundle that the policy does not trust is refused before its content is fetched") {
    const TrustPolicy policy = value_of(TrustPolicy::parse("fardel-trust 1\n"));
    FetchOptions options = fetching_from({server.url()});
    options.work.policy = borrow(policy);
    CHECK(code_of(fetch_one(store, bundle_id_of(bytes), options)) == ErrorCode::untrusted);
    CHECK(server.sent_bytes() < 50'000);
}

TEST_CASE_FIXTURE(ServedGame, "fetch: stopped at any moment, it goes on later and fetches no block twice") {
    const BundleId id = bundle_id_of(bytes);
    FetchOptions options = fetching_from({server.url()});
    options.work.connections = 1;
    int stops = 0;
    bool done = false;
    for (; !done; ++stops) {
        REQUIRE(stops < 100);
        std::stop_source stop;
        options.stop = stop.get_token();
        std::uint64_t first = 0;
        options.progress = [&](const FetchProgress& progress) {
            first = first == 0 ? progress.received_bytes : first;
            if (progress.received_bytes > first + 100'000)
                stop.request_stop();
        };
        done = static_cast<bool>(fetch_one(store, id, options));
        if (!done)
            CHECK_FALSE(is_whole(store, id));
    }
    CHECK(stops > 1);
    CHECK(stored_bytes(store, id) == bytes);
    CHECK(std::filesystem::is_empty(scratch.path("store/incoming")));
}

TEST_CASE_FIXTURE(ServedGame, "fetch: damage to what an earlier attempt left is noticed") {
    const BundleId id = bundle_id_of(bytes);
    FetchOptions options = fetching_from({server.url()});
    options.consent = [](const FetchPlan&) { return Status(Error(ErrorCode::cancelled, "later")); };
    REQUIRE_FALSE(fetch_one(store, id, options));
    options.consent = nullptr;
    for (const char* const ending : {".pack", ".log"}) {
        const std::string path = "store/incoming/" + id.hex() + ending;
        std::string content = scratch.read(path);
        REQUIRE_FALSE(content.empty());
        content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
        scratch.write(path, content);
    }
    value_of(fetch_one(store, id, options));
    CHECK(stored_bytes(store, id) == bytes);
}

TEST_CASE_FIXTURE(ServedGame, "fetch: two processes that fetch the same bundle do not disturb each other") {
    FetchOptions options = fetching_from({server.url()});
    options.consent = [&](const FetchPlan&) {
        const BundleStore other = make_store(scratch);
        CHECK(code_of(fetch_one(other, bundle_id_of(bytes), fetching_from({server.url()}))) == ErrorCode::busy);
        return ok();
    };
    value_of(fetch_one(store, bundle_id_of(bytes), options));
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
}

TEST_CASE("fetch: URLs that are none, or name other protocols, are refused") {
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    for (const char* const url : {"", "game", "file:///etc", "ftp://127.0.0.1/", "http://user:word@127.0.0.1/",
                                  "http://127.0.0.1/?q", "http://127.0.0.1/#x"}) {
        CHECK(code_of(fetch_one(store, filled_id<BundleId>(1), fetching_from({url}))) == ErrorCode::malformed);
    }
}

}  // namespace fardel::tests::fetch_test
