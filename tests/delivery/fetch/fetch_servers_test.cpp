// The same fetches from every kind of server end with the same bytes in the store: nginx, `fardel serve` with a tree,
// and `fardel serve` with a store.
#include "bundle-format/channel/channel_samples.h"
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "kit/nginx.h"
#include "kit/serve_program.h"
#include "vfs/test_bundle.h"

#include <fardel/delivery/follow_channel.h>
#include <fardel/delivery/remote_bundle.h>
#include <fardel/hosting/channel_tree.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/publish_delta.h>
#include <fardel/hosting/publish_trace.h>
#include <fardel/vfs/vfs.h>

#include <functional>

namespace fardel::tests::fetch_servers_test {

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
            tree_ = nginx_->tree();
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
            tree_ = folder;
        }
        url_ = serve_->url();
    }

    const std::string& url() const { return url_; }
    // The folder of a static tree; a store has none.
    const std::string& tree() const { return tree_; }
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
    std::string tree_;
};

// Runs a scenario with each kind.
void for_each_kind(const std::function<void(const std::string& kind)>& scenario) {
    for (const std::string kind : {"nginx", "serve tree", "serve store"}) {
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
        CHECK(code_of(fetch_one(store, bundle_id_of(bytes), options)) == ErrorCode::denied);
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
        options.work.policy = borrow(policy);
        CHECK(code_of(fetch_one(store, bundle_id_of(bytes), options)) == ErrorCode::untrusted);
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
        options.work.connections = 1;
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
        CHECK(code_of(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()}))) == ErrorCode::missing);
        server.stop();
        CHECK(code_of(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()}))) == ErrorCode::unreachable);
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

TEST_CASE("fetch from real servers: a part of a bundle, what is missing of it, and later the rest") {
    const Bytes bytes = game_of_maps();
    const BundleId id = bundle_id_of(bytes);
    for_each_kind([&](const std::string& kind) {
        const ScratchFolder scratch;
        const RealServer server(kind, {bytes});
        const BundleStore store = make_store(scratch);
        FetchOptions options = fetching_from({server.url()});
        options.work.selection.closures = {"maps/one.bsp"};
        CHECK(value_of(fetch_one(store, id, options)).received_bytes < 3 * kPartBytes);
        CHECK(content_at(value_of(store.open_bundle(id)), "textures/wall.tga") == random_text(3, kPartBytes));
        CHECK(content_at(value_of(store.open_bundle(id)), "maps/two.bsp").starts_with("missing: "));
        options.work.selection = {.assets = {id_of(random_text(2, kPartBytes))}};
        CHECK(value_of(fetch_one(store, id, options)).received_bytes < 2 * kPartBytes);
        CHECK(content_at(value_of(store.open_bundle(id)), "maps/two.bsp") == random_text(2, kPartBytes));
        options.work.selection = {};
        CHECK(value_of(fetch_one(store, id, options)).received_bytes < 4 * kPartBytes);
        CHECK(stored_bytes(store, id) == bytes);
    });
}

TEST_CASE("fetch from real servers: a damaged bundle is mended by the ranges that are bad") {
    const Bytes bytes = game_version("1");
    for_each_kind([&](const std::string& kind) {
        const ScratchFolder scratch;
        const RealServer server(kind, {bytes});
        const BundleStore store = make_store(scratch);
        FetchOptions options = fetching_from({server.url()});
        options.repairs = true;
        Bytes damaged = bytes;
        damaged[damaged.size() / 2] ^= std::byte{1};
        options.damaged_copy = make_memory_source(damaged);
        CHECK(value_of(fetch_one(store, bundle_id_of(bytes), options)).received_bytes < bytes.size() / 2);
        CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
    });
}

TEST_CASE("fetch from real servers: a bundle is read while it is fetched as reads need it, and completed elsewhere") {
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    for_each_kind([&](const std::string& kind) {
        const ScratchFolder scratch;
        const RealServer server(kind, {bytes});
        const RealServer other(kind == "nginx" ? "serve tree" : "nginx", {bytes}, "other");
        const BundleStore store = make_store(scratch);
        {
            const RemoteServers servers = value_of(RemoteServers::open({.servers = {server.url()}}));
            const auto remote = value_of(RemoteBundle::open(store, servers, id));
            CHECK(content_at(remote->source(), "version.txt") == "1");
            CHECK(content_at(remote->source(), "b.bin") == random_text(2, 300'000));
            CHECK(servers.counts().received_bytes < 500'000);
        }
        CHECK(value_of(fetch_one(store, id, fetching_from({other.url()}))).received_bytes < 420'000);
        CHECK(stored_bytes(store, id) == bytes);
    });
}

TEST_CASE("fetch from real servers: a trace is followed where there is one, and the same bytes arrive without") {
    const Bytes bytes = game_of_maps();
    const auto bundle = open_bundle(bytes);
    const AssetId second = id_of(random_text(2, kPartBytes));
    for_each_kind([&](const std::string& kind) {
        const ScratchFolder scratch;
        const RealServer server(kind, {bytes});
        const bool has_trace = !server.tree().empty();
        if (has_trace)
            value_of(publish_trace(*bundle, {{.size_bytes = kPartBytes, .bundle = bundle->id(), .asset = second}},
                                   *make_folder_target(server.tree())));
        const BundleStore store = make_store(scratch);
        {
            const RemoteServers servers = value_of(RemoteServers::open({.servers = {server.url()}}));
            const auto remote = value_of(RemoteBundle::open(store, servers, bundle->id()));
            TraceReadAhead ahead = value_of(TraceReadAhead::start(servers, {remote}));
            ahead.wait();
            const auto is_here = [&] { return value_of(remote->is_here(second)); };
            if (has_trace)
                wait_until(is_here);
            CHECK(is_here() == has_trace);
            CHECK(content_at(remote->source(), "maps/two.bsp") == random_text(2, kPartBytes));
        }
        value_of(fetch_one(store, bundle->id(), fetching_from({server.url()})));
        CHECK(stored_bytes(store, bundle->id()) == bytes);
    });
}

TEST_CASE("fetch from real servers: a channel is followed, and an older text changes nothing") {
    for (const std::string kind : {"nginx", "serve tree"}) {
        CAPTURE(kind);
        const RealServer server(kind, {});
        const auto tree = make_folder_target(server.tree());
        REQUIRE(publish_channel_root(*tree, root_file(sample_root()), kChannelNow));
        const auto publish = [&](std::uint64_t version) {
            const std::string release = release_file(sample_release(version));
            REQUIRE(publish_channel_release(*tree, release, kChannelNow));
            REQUIRE(publish_channel_head(*tree, head_file(head_for(version, release, version)), kChannelNow));
        };
        const FollowOptions options{.trees = {server.url()},
                                    .now = kChannelNow,
                                    .connections = {.times = fetching_from({}).times, .servers = {}},
                                    .stop = {}};
        const ChannelFiles only_root{.root = root_file(sample_root()), .release = {}, .head = {}};
        publish(1);
        const auto first = value_of(follow_channel(only_root, options));
        CHECK_FALSE(first.failure);
        publish(2);
        const auto second = value_of(follow_channel(first.update.files(), options));
        CHECK_FALSE(second.failure);
        REQUIRE(second.update.release());
        CHECK(second.update.release()->version == 2);
        const auto newer = value_of(follow_channel(accepted_files(5, 3), options));
        REQUIRE(newer.failure);
        CHECK(newer.failure->code() == ErrorCode::rollback);
        CHECK(newer.update.files() == accepted_files(5, 3));
    }
}

}  // namespace fardel::tests::fetch_servers_test
