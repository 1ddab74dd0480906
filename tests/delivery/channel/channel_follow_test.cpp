// Following a channel from a program's own loop: states that are kept, changes, policies, and the same for C.
#include "bundle-format/channel/channel_samples.h"
#include "delivery/served_bundle.h"

#include "kit/nginx.h"

#include <fardel/delivery/channel_follow.h>
#include <fardel/delivery/fardel_fetch.h>
#include <fardel/delivery/update_channel.h>
#include <fardel/hosting/channel_tree.h>
#include "channel/kept_channels.h"

namespace fardel::tests::channel_follow_test {

void publish(TreeTarget& tree, const ChannelRelease& release, std::uint64_t head_version) {
    const std::string file = release_file(release);
    REQUIRE(publish_channel_release(tree, file, kChannelNow));
    REQUIRE(publish_channel_head(tree, head_file(head_for(head_version, file, release.version)), kChannelNow));
}

struct Follower {
    const ScratchFolder scratch;
    const Nginx nginx{scratch, "nginx", "delivery.md", "/srv/www/mygame"};
    const std::unique_ptr<TreeTarget> tree = make_folder_target(nginx.tree());
    const BundleStore store = value_of(BundleStore::open(scratch.path("store"), true));

    Follower() { REQUIRE(publish_channel_root(*tree, root_file(sample_root()), kChannelNow)); }

    ChannelSubject subject(bool with_root = true) const {
        return {.name = kSampleChannel,
                .root = with_root ? root_file(sample_root()) : "",
                .state_folder = scratch.path("state"),
                .policy = nullptr};
    }
    ChannelWork work(UnixTime now = kChannelNow) const {
        return {.subject = subject(), .servers = {nginx.url()}, .time = TrustTime::at(now)};
    }
    ChannelOutcome update(UnixTime now = kChannelNow) const {
        auto follow = value_of(ChannelFollow::start(store, work(now)));
        return value_of(follow.wait());
    }
};

TEST_CASE("channel follow: an update says what is new, and the state stays for later programs") {
    const Follower follower;
    CHECK(code_of(accepted_channel(follower.store, follower.subject(false))) == ErrorCode::missing);
    CHECK(value_of(accepted_channel(follower.store, follower.subject())).release_version == 0);
    publish(*follower.tree, sample_release(1), 1);
    const ChannelOutcome first = follower.update();
    CHECK_FALSE(first.failure);
    CHECK(first.added.size() == 2);
    CHECK_FALSE(first.has_new_recalls);
    CHECK_FALSE(first.state.is_stale(kChannelNow));
    CHECK(first.state.is_stale(first.state.fresh_until.value()));

    ChannelRelease next = sample_release(2);
    next.recalled_bundles.push_back({sample_bundle(2), "crashes"});
    publish(*follower.tree, next, 2);
    const ChannelOutcome second = follower.update();
    REQUIRE(second.added.size() == 1);
    CHECK(second.added[0].bundle == sample_bundle(3));
    REQUIRE(second.removed.size() == 1);
    CHECK(second.removed[0].bundle == sample_bundle(2));
    CHECK(second.has_new_recalls);
    CHECK_FALSE(follower.update().has_new_recalls);
    const ChannelState kept = value_of(accepted_channel(follower.store, follower.subject(false)));
    CHECK(kept.release_version == 2);
    CHECK(kept.bundles == second.state.bundles);
    REQUIRE(kept.policy->rules().revoked_bundles.size() == 1);
}

TEST_CASE("channel follow: when the head has expired, the state stays and says since when it is stale") {  // A64
    const Follower follower;
    publish(*follower.tree, sample_release(1), 1);
    const ChannelOutcome first = follower.update();
    const ChannelOutcome later = follower.update(kChannelNow + 30 * kChannelDay);
    REQUIRE(later.failure);
    CHECK(later.failure->code() == ErrorCode::expired);
    CHECK(later.state.release_version == 1);
    CHECK(later.state.fresh_until == first.state.fresh_until);
    CHECK(later.state.is_stale(kChannelNow + 30 * kChannelDay));
    // A clock that was set far ahead once does no harm when it is right.
    CHECK_FALSE(follower.update().failure);
}

TEST_CASE("channel follow: a newer state that another program has kept is not replaced by an older one") {
    const Follower follower;
    const KeptChannels folders(follower.scratch.path("store/channels"), follower.scratch.path("state/channels"));
    publish(*follower.tree, sample_release(2), 4);
    const ChannelOutcome newest = follower.update();
    REQUIRE(folders.write(sample_root().id, accepted_files(3, 1)));
    CHECK(value_of(accepted_channel(follower.store, follower.subject(false))).head_version == 4);
}

TEST_CASE("channel follow: roots of other names and channels, and dates that are ignored, are refused") {
    const Follower follower;
    ChannelSubject other = follower.subject();
    other.name = "mygame/beta";
    CHECK(code_of(accepted_channel(follower.store, other)) == ErrorCode::untrusted);
    other = follower.subject();
    other.root = root_file(sample_root(), {kRootKeyA});
    CHECK(code_of(accepted_channel(follower.store, other)) == ErrorCode::untrusted);
    other.root.replace(other.root.find("version 1\n"), 10, "");
    CHECK(code_of(accepted_channel(follower.store, other)) == ErrorCode::malformed);
    const TreeServer server({});
    for (const std::string& root : {root_file(sample_root(), {kRootKeyA}), other.root}) {
        ChannelWork wrong = follower.work();
        wrong.subject.root = root;
        wrong.servers = {server.url()};
        CHECK_FALSE(update_channel(follower.store, wrong, {}));
    }
    CHECK(server.requests().empty());  // before anybody is asked
    ChannelWork timeless = follower.work();
    timeless.time = TrustTime::ignored();
    CHECK(code_of(update_channel(follower.store, timeless, {})) == ErrorCode::malformed);
    ChannelWork nobody = follower.work();
    nobody.servers = {};
    CHECK(code_of(ChannelFollow::start(follower.store, nobody)) == ErrorCode::malformed);
    // Two channels of one name: only a root tells which is meant.
    publish(*follower.tree, sample_release(1), 1);
    follower.update();
    ChannelRoot twin = sample_root();
    twin.id.bytes.fill(0x33);
    const KeptChannels folders(follower.scratch.path("store/channels"), follower.scratch.path("state/channels"));
    REQUIRE(folders.write(twin.id, {.root = root_file(twin), .release = {}, .head = {}}));
    CHECK(code_of(accepted_channel(follower.store, follower.subject(false))) == ErrorCode::conflict);
    CHECK(value_of(accepted_channel(follower.store, follower.subject())).id == sample_root().id);
}

TEST_CASE("channel follow: the channel's rules and the follower's both count, with all recalls") {
    ChannelRoot root = sample_root();
    root.trust.allow.push_back(
        {.pattern = "**", .roles = {{SignerRole::author, 1, {key_label(kAuthorKey)}}}, .publish = {}, .overrides = {}});
    ChannelRelease release = sample_release();
    release.recalled_keys.push_back({policy_key(kOtherKey).key, "stolen"});
    const std::vector<PolicyKey> keys{policy_key(kOtherKey)};
    const TrustPolicy own = value_of(make_policy(keys, {}));
    for (const TrustPolicy* const demands : {static_cast<const TrustPolicy*>(nullptr), &own}) {
        const TrustPolicy policy = value_of(policy_for_follower(demands, root, release));
        CHECK(policy.rules().revoked_keys.size() == 1);
        const TrustVerdict verdict = value_of(policy.evaluate({}, {.bundle = sample_bundle(1)}, kChannelNow));
        REQUIRE(verdict.refusal);
        CHECK(verdict.refusal->code() == ErrorCode::untrusted);
    }
    root.trust.allow.clear();  // without rules, the release alone vouches
    const TrustPolicy open = value_of(policy_for_follower(nullptr, root, release));
    CHECK(value_of(open.evaluate({}, {.bundle = sample_bundle(1)}, kChannelNow)).tainted);
}

// ---- For C ----------------------------------------------------------------------------------------------------------

struct CSeen {
    int reports = 0;
    std::uint64_t release = 0;
    std::string names;
    std::string policy;
    fardel_code failure = FARDEL_OK;
};

void see(void* context, const fardel_channel_state* state) {
    CSeen& seen = *static_cast<CSeen*>(context);
    ++seen.reports;
    seen.release = state->release_version;
    seen.failure = state->failure;
    seen.policy = state->policy_text;
    for (std::size_t i = 0; i < state->bundle_count; ++i)
        seen.names += std::string(state->bundles[i]->name) + " " + state->bundles[i]->version + "\n";
}

TEST_CASE("channel follow: from C, an update is polled and reported once, and the state is there without servers") {
    const Follower follower;
    publish(*follower.tree, sample_release(1), 1);
    fardel_store* store = nullptr;
    REQUIRE(fardel_store_open(follower.scratch.path("store").c_str(), 1, &store, nullptr) == FARDEL_OK);
    const std::string root = root_file(sample_root()), state = follower.scratch.path("state"),
                      url = follower.nginx.url();
    const char* const urls[] = {url.c_str()};
    fardel_server_options servers = FARDEL_SERVER_OPTIONS_INIT;
    servers.urls = urls;
    servers.url_count = 1;
    fardel_channel_options options = FARDEL_CHANNEL_OPTIONS_INIT;
    fardel_channel_follow* follow = nullptr;
    CHECK(fardel_channel_follow_start(store, &options, &follow, nullptr) == FARDEL_ERROR_ARGUMENT);
    options.name = kSampleChannel;
    options.state_folder = state.c_str();
    options.now_s = kChannelNow.seconds;
    CSeen nothing;
    CHECK(fardel_channel_accepted(store, &options, see, &nothing, nullptr) == FARDEL_ERROR_MISSING);
    options.root_text = root.c_str();
    CHECK(fardel_channel_follow_start(store, &options, &follow, nullptr) == FARDEL_ERROR_ARGUMENT);  // no servers
    options.servers = &servers;
    REQUIRE(fardel_channel_follow_start(store, &options, &follow, nullptr) == FARDEL_OK);
    CSeen seen;
    std::int32_t ended = 0;
    while (ended == 0)
        REQUIRE(fardel_channel_follow_poll(follow, 1000, see, &seen, &ended, nullptr) == FARDEL_OK);
    REQUIRE(fardel_channel_follow_poll(follow, 0, see, &seen, &ended, nullptr) == FARDEL_OK);
    CHECK(seen.reports == 1);
    CHECK(seen.failure == FARDEL_OK);
    CHECK(seen.names == "mygame/base 1.0\nmygame/maps 2\n");
    CHECK(TrustPolicy::parse(seen.policy));
    fardel_channel_follow_cancel(follow);
    fardel_channel_follow_close(follow);
    options.root_text = nullptr;
    options.servers = nullptr;
    CSeen kept;
    REQUIRE(fardel_channel_accepted(store, &options, see, &kept, nullptr) == FARDEL_OK);
    CHECK(kept.release == 1);
    fardel_channel_follow_close(nullptr);
    fardel_store_close(store);
}

}  // namespace fardel::tests::channel_follow_test
