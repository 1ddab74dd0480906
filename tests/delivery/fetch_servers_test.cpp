// The same fetches from every kind of server end with the same bytes in the store: nginx, `fardel serve` with a tree,
// and `fardel serve` with a store.
#include "served_bundle.h"

#include "kit/nginx.h"
#include "kit/opened_bundle.h"
#include "kit/serve_program.h"

#include <fardel/delivery/publish.h>
#include <fardel/delivery/publish_delta.h>

#include <doctest/doctest.h>

#include <memory>
#include <optional>

namespace fardel {
namespace {

using namespace fardel::tests;

// One real server of a kind, and what is published there.
class RealServer {
public:
    // `with_deltas`: a delta leads from each bundle to the next one, unless it is a store that is served.
    RealServer(const std::string& kind, const std::vector<Bytes>& bundles, const std::string& name = "server",
               bool with_deltas = false) {
        if (kind == "nginx") {
            nginx_.emplace(scratch_, name, "delivery.md", "/srv/www/mygame");
            for (const Bytes& bytes : bundles)
                value_of(publish_bundle(make_memory_source(bytes), nginx_->tree()));
            if (with_deltas)
                publish_deltas(bundles, nginx_->tree());
            url_ = nginx_->url();
            return;
        }
        const std::string folder = scratch_.path(kind);
        if (kind == "serve store") {
            const BundleStore store = value_of(BundleStore::open(folder, true));
            for (const Bytes& bytes : bundles)
                value_of(store.add(make_memory_source(bytes)));
            serve_.emplace(Arguments{"--store", folder});
        } else {
            std::filesystem::create_directories(folder);
            for (const Bytes& bytes : bundles)
                value_of(publish_bundle(make_memory_source(bytes), folder));
            if (with_deltas)
                publish_deltas(bundles, folder);
            serve_.emplace(Arguments{folder});
        }
        url_ = serve_->url();
    }

    const std::string& url() const { return url_; }
    void stop() {
        if (nginx_)
            nginx_->stop();
        else
            serve_->stop();
    }

private:
    static void publish_deltas(const std::vector<Bytes>& bundles, const std::string& folder) {
        const auto tree = make_folder_target(folder);
        for (std::size_t i = 1; i < bundles.size(); ++i)
            value_of(publish_delta(open_bundle(bundles[i - 1]), *open_bundle(bundles[i]), *tree, {.effort = 3}));
    }

    ScratchFolder scratch_;
    std::optional<Nginx> nginx_;
    std::optional<ServeProgram> serve_;
    std::string url_;
};

// Runs a scenario with each kind.
void for_each_kind(const std::function<void(const std::string& kind)>& scenario) {
    for (const char* const kind : {"nginx", "serve tree", "serve store"}) {
        CAPTURE(kind);
        scenario(kind);
    }
}

TEST_CASE("fetch from real servers: a bundle, an update of it, and nothing twice") {
    const Bytes first = game_version("1");
    const Bytes second = game_version("2");
    for_each_kind([&](const std::string& kind) {
        const ScratchFolder scratch;
        const RealServer server(kind, {first, second});
        const BundleStore store = make_store(scratch);
        const FetchOptions options = fetching_from({server.url()});
        CHECK(value_of(fetch_one(store, bundle_id_of(first), options)).received_bytes <= first.size());
        CHECK(stored_bytes(store, bundle_id_of(first)) == first);
        CHECK(value_of(fetch_one(store, bundle_id_of(second), options)).received_bytes < 40'000);
        CHECK(stored_bytes(store, bundle_id_of(second)) == second);
        CHECK(value_of(fetch_one(store, bundle_id_of(second), options)).requests == 0);
        CHECK(value_of(store.check(true)).findings.empty());
    });
}

TEST_CASE("fetch from real servers: the plan is exact, can be refused, and is kept") {
    const Bytes bytes = game_version("1");
    for_each_kind([&](const std::string& kind) {
        const ScratchFolder scratch;
        const RealServer server(kind, {bytes});
        const BundleStore store = make_store(scratch);
        FetchOptions options = fetching_from({server.url()});
        FetchPlan seen;
        options.consent = [&](const FetchPlan& plan) {
            seen = plan;
            return Status(Error(ErrorCode::denied, "too much"));
        };
        const auto refused = fetch_one(store, bundle_id_of(bytes), options);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code() == ErrorCode::denied);
        CHECK_FALSE(is_whole(store, bundle_id_of(bytes)));
        options.consent = nullptr;
        CHECK(value_of(fetch_one(store, bundle_id_of(bytes), options)).received_bytes == seen.fetch_bytes);
        CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
    });
}

TEST_CASE("fetch from real servers: blocks of other bundles are shared, and static dependencies come along") {
    BundlePlan other;
    add(other, "renamed.bin", random_text(2, 300'000), "application/octet-stream");
    const Bytes base = written(other);
    const Bytes game = game_version("1", {bundle_id_of(base)});
    for_each_kind([&](const std::string& kind) {
        const ScratchFolder scratch;
        const RealServer server(kind, {base, game});
        const BundleStore store = make_store(scratch);
        const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(game), fetching_from({server.url()})));
        CHECK(fetched.plan.bundles.size() == 2);
        CHECK(stored_bytes(store, bundle_id_of(game)) == game);
        CHECK(stored_bytes(store, bundle_id_of(base)) == base);
        CHECK(value_of(store.closure(bundle_id_of(game))).size() == 2);
    });
}

TEST_CASE("fetch from real servers: deltas are used where there are any, and the same bytes arrive without") {
    const auto version = [](const std::string& number) {
        BundlePlan plan;
        std::string text = prose(400'000, 3);
        for (std::size_t at = 1000; at < text.size(); at += 30'000)
            text.insert(at, number);
        add(plan, "maps.txt", text);
        return written(plan, {.level = 3, .jobs = 1});
    };
    const Bytes first = version("one");
    const Bytes second = version("two");
    for_each_kind([&](const std::string& kind) {
        const ScratchFolder scratch;
        const RealServer server(kind, {first, second}, "server", true);
        const BundleStore store = make_store(scratch);
        value_of(store.add(make_memory_source(first)));
        const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(second), fetching_from({server.url()})));
        CHECK(stored_bytes(store, bundle_id_of(second)) == second);
        if (kind == "serve store")
            CHECK(fetched.received_bytes > second.size() / 2);
        else
            CHECK(fetched.received_bytes < second.size() / 10);
    });
}

TEST_CASE("fetch from real servers: a policy that trusts nobody refuses before any content") {
    const Bytes bytes = game_version("1");
    const TrustPolicy policy = value_of(TrustPolicy::parse("fardel-trust 1\n"));
    for_each_kind([&](const std::string& kind) {
        const ScratchFolder scratch;
        const RealServer server(kind, {bytes});
        const BundleStore store = make_store(scratch);
        FetchOptions options = fetching_from({server.url()});
        options.policy = &policy;
        const auto refused = fetch_one(store, bundle_id_of(bytes), options);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code() == ErrorCode::untrusted);
        CHECK_FALSE(is_whole(store, bundle_id_of(bytes)));
    });
}

TEST_CASE("fetch from real servers: stopped again and again, it goes on and ends with the same bytes") {
    const Bytes bytes = game_version("1");
    for_each_kind([&](const std::string& kind) {
        const ScratchFolder scratch;
        const RealServer server(kind, {bytes});
        const BundleStore store = make_store(scratch);
        FetchOptions options = fetching_from({server.url()});
        options.connections.connections = 1;
        std::uint64_t received = 0;
        bool done = false;
        for (int stops = 0; !done; ++stops) {
            REQUIRE(stops < 100);
            std::stop_source stop;
            options.stop = stop.get_token();
            std::uint64_t first = 0;
            std::uint64_t latest = 0;
            options.progress = [&](const FetchProgress& progress) {
                latest = progress.received_bytes;
                first = first == 0 ? latest : first;
                if (latest > first + 100'000)
                    stop.request_stop();
            };
            done = static_cast<bool>(fetch_one(store, bundle_id_of(bytes), options));
            received += latest;
        }
        CHECK(received < 2 * bytes.size());  // only parts of blocks came twice
        CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
    });
}

TEST_CASE("fetch from real servers: what is not there is missing, and a server that is gone unreachable") {
    const Bytes bytes = game_version("1");
    for_each_kind([&](const std::string& kind) {
        const ScratchFolder scratch;
        RealServer server(kind, {});
        const BundleStore store = make_store(scratch);
        const auto missing = fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()}));
        REQUIRE_FALSE(missing);
        CHECK(missing.error().code() == ErrorCode::missing);
        server.stop();
        const auto unreachable = fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()}));
        REQUIRE_FALSE(unreachable);
        CHECK(unreachable.error().code() == ErrorCode::unreachable);
    });
}

TEST_CASE("fetch from real servers: one that dies in the middle, or has nothing, is left for another kind") {
    const Bytes bytes = game_version("1");
    for_each_kind([&](const std::string& kind) {
        for (const char* const next : {"nginx", "serve tree", "serve store"}) {
            CAPTURE(next);
            const ScratchFolder scratch;
            RealServer first(kind, {bytes});
            const RealServer empty(kind, {}, "empty");
            const RealServer second(next, {bytes}, "second");
            const BundleStore store = make_store(scratch);
            FetchOptions options = fetching_from({empty.url(), first.url(), second.url()});
            options.consent = [&](const FetchPlan&) {
                first.stop();
                return ok();
            };
            value_of(fetch_one(store, bundle_id_of(bytes), options));
            CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
        }
    });
}

}  // namespace
}  // namespace fardel
