// Pruning static trees that have channels.
#include <fardel/delivery/delta_list.h>
#include <fardel/delivery/tree_paths.h>
#include "bundle-format/channel/channel_samples.h"
#include "delivery/served_bundle.h"
#include "kit/s3_server.h"
#include "pruned_tree.h"

#include <fardel/hosting/channel_tree.h>
#include <fardel/hosting/prune.h>
#include <fardel/hosting/publish_delta.h>
#include <fardel/hosting/tree_address.h>

namespace fardel::tests::prune_channels_test {

// A release with one bundle.
std::string release_of(const Bytes& bundle, std::uint64_t version) {
    ChannelRelease release = sample_release(version);
    release.bundles = {{bundle_id_of(bundle), bundle.size(), 0, value_of(BundleVersion::parse("1")), "mygame/base"}};
    return release_file(release);
}

std::string path_of_release(const std::string& release) {
    return channel_release_path(kSampleChannel, blake3(std::as_bytes(std::span(release))));
}

void publish_head_of(TreeTarget& tree, const std::string& release, std::uint64_t version) {
    REQUIRE(publish_channel_release(tree, release, kChannelNow));
    REQUIRE(publish_channel_head(tree, head_file(head_for(version, release, version)), kChannelNow));
}

bool has_file(TreeTarget& tree, const std::string& path) { return tree.open(path).has_value(); }

void check_prune_with_channel(TreeTarget& tree) {
    const Game game;
    publish_all(tree, game);
    const std::string root = root_file(sample_root());
    REQUIRE(publish_channel_root(tree, root, kChannelNow));
    const std::string old_release = release_of(game.first, 1);
    const std::string release = release_of(game.second, 2);
    publish_head_of(tree, old_release, 1);
    publish_head_of(tree, release, 2);

    // Nobody names a bundle to keep: the head does.
    const PruneReport report = value_of(prune_tree(tree, keeping({}, kChannelNow)));
    CHECK(report.kept_bundles == 2);
    REQUIRE(report.channels.size() == 1);
    CHECK(report.channels[0].name == kSampleChannel);
    CHECK(report.channels[0].release_version == 2);
    // Two bundles, a release, and what its bundles need.
    CHECK(count_of(report, PruneStep::condemned) == 2 * kFilesOfBundle + 2);
    value_of(prune_tree(tree, keeping({bundle_id_of(game.lone)}, kChannelNow + 8 * kDay)));
    CHECK((has(tree, game.second) && has(tree, game.base) && has(tree, game.lone)));
    CHECK_FALSE(has(tree, game.first));
    CHECK(has_file(tree, path_of_release(release)));
    CHECK(has_file(tree, requirements_path_of(path_of_release(release))));
    CHECK_FALSE(has_file(tree, path_of_release(old_release)));
    CHECK_FALSE(has_file(tree, requirements_path_of(path_of_release(old_release))));
    CHECK(has_file(tree, channel_root_path(kSampleChannel, 1)));
    CHECK(value_of(read_channel(tree, kSampleChannel))->files.release == release);
    CHECK(list_of(tree).empty());
}

TEST_CASE("prune channels: what the head names stays with what it needs, former releases go, and roots stay") {
    const ScratchFolder scratch;
    check_prune_with_channel(*make_folder_target(scratch.path("tree")));
}

TEST_CASE("prune channels: a bucket is pruned like a folder") {
    const ScratchFolder scratch;
    const S3Server server(scratch, {"page=3"});
    check_prune_with_channel(*value_of(
        open_tree_target(server.address(), {.aws_key_id = S3Server::key_id(), .aws_secret_key = S3Server::secret()})));
}

TEST_CASE("prune channels: deltas to a bundle that a head names stay, and deltas to others go") {
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    const Game game;
    publish_all(*tree, game);
    REQUIRE(publish_channel_root(*tree, root_file(sample_root()), kChannelNow));
    publish_head_of(*tree, release_of(game.second, 1), 1);
    for (const auto& [from, to] : {std::pair(&game.first, &game.second), std::pair(&game.second, &game.first)})
        value_of(publish_delta(open_bundle(*from), *open_bundle(*to), *tree, {.effort = 1}));
    value_of(prune_tree(*tree, keeping({}, kChannelNow)));
    value_of(prune_tree(*tree, keeping({}, kChannelNow + 8 * kDay)));
    const BundleId first = bundle_id_of(game.first);
    const BundleId second = bundle_id_of(game.second);
    CHECK(has_file(*tree, delta_path_of(second, first)));
    CHECK_FALSE(has_file(*tree, delta_path_of(first, second)));
}

TEST_CASE("prune channels: a head or release that cannot be read ends the prune, and nothing is condemned") {
    const Game game;
    const std::string release = release_of(game.second, 1);
    const std::string head = head_file(head_for(1, release, 1));
    ChannelHead other = head_for(1, release, 1);
    other.channel = "mygame/beta";
    ChannelHead later = head_for(1, release, 2);
    const std::string unsigned_head = value_of(format_channel_head(head_for(1, release, 1)));
    struct Case {
        std::string head, release;
        ErrorCode code;
    };
    const Case cases[] = {
        {"", release, ErrorCode::malformed},
        {"", "", ErrorCode::malformed},
        {"no head", release, ErrorCode::malformed},
        {head.substr(0, head.size() - 1), release, ErrorCode::malformed},
        {unsigned_head, release, ErrorCode::malformed},
        {std::string(1u << 20, 'x'), release, ErrorCode::limit},
        {head_file(other), release, ErrorCode::malformed},
        {head_file(later), release, ErrorCode::conflict},
        {head, release.substr(1), ErrorCode::corrupt},
        {head, "", ErrorCode::unresolved},
    };
    for (const Case& one : cases) {
        CAPTURE(one.head.substr(0, 200));
        const ScratchFolder scratch;
        const auto tree = make_folder_target(scratch.path("tree"));
        publish_all(*tree, game);
        scratch.write("tree/" + channel_head_path(kSampleChannel), one.head);
        if (!one.release.empty())
            scratch.write("tree/" + path_of_release(release), one.release);
        check_error(prune_tree(*tree, keeping({bundle_id_of(game.lone)}, kChannelNow)), one.code,
                    channel_head_path(kSampleChannel));
        CHECK_FALSE(std::filesystem::exists(scratch.path("tree/condemned")));
    }
}

TEST_CASE_FIXTURE(
    GameTree,
    "prune channels: a lost head, a bundle that a release lacks, and a tree without anything to keep end it") {
    publish_all(*tree, game);
    const auto code_of_prune = [&](const std::vector<BundleId>& keep) {
        const auto pruned = prune_tree(*tree, keeping(keep, kChannelNow));
        REQUIRE_FALSE(pruned);
        CHECK_FALSE(std::filesystem::exists(scratch.path("tree/condemned")));
        return pruned.error().code();
    };
    CHECK(code_of_prune({}) == ErrorCode::missing);
    REQUIRE(publish_channel_root(*tree, root_file(sample_root()), kChannelNow));
    const std::string release = release_of(game.second, 1);
    REQUIRE(publish_channel_release(*tree, release, kChannelNow));
    CHECK(code_of_prune({bundle_id_of(game.lone)}) == ErrorCode::unresolved);
    REQUIRE(publish_channel_head(*tree, head_file(head_for(1, release, 1)), kChannelNow));
    CHECK(value_of(tree->remove(tree_path_of(bundle_id_of(game.base)))));
    CHECK(code_of_prune({bundle_id_of(game.lone)}) == ErrorCode::unresolved);
}

TEST_CASE("prune channels: who publishes a head between any two steps keeps what it names, or is refused") {  // A106
    for (int step = 0; step < 3; ++step) {
        CAPTURE(step);
        const ScratchFolder scratch;
        const auto tree = make_folder_target(scratch.path("tree"));
        const Game game;
        publish_all(*tree, game);
        REQUIRE(publish_channel_root(*tree, root_file(sample_root()), kChannelNow));
        const std::string release = release_of(game.second, 1);
        const std::vector<BundleId> keep{bundle_id_of(game.lone)};
        value_of(prune_tree(*tree, keeping(keep, kChannelNow)));  // condemns what the head will name
        REQUIRE(publish_channel_release(*tree, release, kChannelNow));
        const UnixTime now = kChannelNow + 8 * kDay;
        const auto publish_head = [&] {
            ChannelHead head = head_for(1, release, 1);
            head.created = now;
            head.expires = now + kDay;
            return publish_channel_head(*tree, head_file(head), now);
        };
        // Before it, so that the prune itself does not find a release without a head.
        const std::string aside = scratch.path("aside");
        std::filesystem::rename(scratch.path("tree/channels"), aside);
        std::optional<Status> published;
        WatchedTarget watched(*tree);
        (step == 0   ? watched.before_list
         : step == 1 ? watched.before_replace
                     : watched.before_remove) = [&] {
            std::filesystem::rename(aside, scratch.path("tree/channels"));
            published = publish_head();
        };
        value_of(prune_tree(watched, keeping(keep, now)));
        REQUIRE(published);
        if (step < 2) {
            CHECK(*published);
            CHECK((has(*tree, game.second) && has(*tree, game.base)));
            CHECK(value_of(prune_tree(*tree, keeping(keep, now + 30 * kDay))).kept_bundles == 3);
            CHECK((has(*tree, game.second) && has(*tree, game.base)));
        } else {
            REQUIRE_FALSE(*published);
            CHECK(published->error().code() == ErrorCode::busy);
            CHECK_FALSE(value_of(read_channel(*tree, kSampleChannel))->files.head.size());
        }
    }
}

TEST_CASE_FIXTURE(GameTree, "prune channels: links and folders that contain themselves end in bounded time") {
    publish_to(*tree, game.lone);
    std::filesystem::create_directories(scratch.path("tree/channels"));
    for (const char* name : {"a", "b"})
        std::filesystem::create_directory_symlink(".", scratch.path("tree/channels/" + std::string(name)));
    CHECK(code_of(prune_tree(*tree, keeping({bundle_id_of(game.lone)}, kChannelNow))) == ErrorCode::limit);
}

}  // namespace fardel::tests::prune_channels_test
