// Channels in static trees, and following them over HTTP.
#include "bundle-format/channel/channel_samples.h"
#include "delivery/served_bundle.h"

#include "kit/files.h"
#include "kit/nginx.h"

#include <fardel/delivery/follow_channel.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/hash.h>
#include <fardel/hosting/channel_tree.h>
#include "channel/kept_channels.h"

#include <map>
#include <mutex>

namespace fardel::tests::channel_test {

void publish_texts(TreeTarget& tree, std::uint64_t head_version, std::uint64_t release_version) {
    const std::string release = release_file(sample_release(release_version));
    REQUIRE(publish_channel_release(tree, release, kChannelNow));
    REQUIRE(publish_channel_head(tree, head_file(head_for(head_version, release, release_version)), kChannelNow));
}

FollowOptions following(std::vector<std::string> trees) {
    return {.trees = std::move(trees),
            .now = kChannelNow,
            .connections = {.times = fetching_from({}).times, .servers = {}},
            .stop = {}};
}

using TreeFiles = std::map<std::string, std::string>;

// The files of a tree with one root and these texts, whatever a client has accepted.
TreeFiles tree_files(std::uint64_t head_version, const ChannelRelease& release) {
    const std::string file = release_file(release);
    return {{channel_root_path(kSampleChannel, 1), root_file(sample_root())},
            {channel_release_path(kSampleChannel, blake3(std::as_bytes(std::span(file)))), file},
            {channel_head_path(kSampleChannel), head_file(head_for(head_version, file, release.version))}};
}

TreeFiles tree_files(std::uint64_t head_version, std::uint64_t release_version) {
    return tree_files(head_version, sample_release(release_version));
}

ChannelFiles only_root() { return {.root = root_file(sample_root()), .release = {}, .head = {}}; }

TEST_CASE("channel: a client behind nginx takes roots, head and release, and asks for no release twice") {
    const ScratchFolder scratch;
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    const auto tree = make_folder_target(nginx.tree());
    REQUIRE(publish_channel_root(*tree, root_file(sample_root()), kChannelNow));
    publish_texts(*tree, 1, 1);
    const auto first = value_of(follow_channel(only_root(), following({nginx.url()})));
    CHECK_FALSE(first.failure);
    REQUIRE(first.update.release());
    CHECK(first.update.release()->version == 1);

    REQUIRE(publish_channel_root(*tree, root_file(sample_root(2)), kChannelNow));
    publish_texts(*tree, 2, 2);
    const auto second = value_of(follow_channel(first.update.files(), following({nginx.url()})));
    CHECK_FALSE(second.failure);
    CHECK(second.update.root().version == 2);
    CHECK(second.update.release()->version == 2);
    const auto third = value_of(follow_channel(second.update.files(), following({nginx.url()})));
    CHECK_FALSE(third.failure);
    CHECK(third.received_bytes == second.update.files().head.size());
}

TEST_CASE("channel: a server that answers nothing, or old texts, changes nothing") {
    const ScratchFolder scratch;
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    const auto tree = make_folder_target(nginx.tree());
    REQUIRE(publish_channel_root(*tree, root_file(sample_root()), kChannelNow));
    publish_texts(*tree, 1, 1);
    const auto accepted = accepted_files(5, 3);
    const auto old = value_of(follow_channel(accepted, following({nginx.url()})));
    REQUIRE(old.failure);
    CHECK(old.failure->code() == ErrorCode::rollback);
    CHECK(old.refused.empty());
    CHECK(old.update.files() == accepted);

    const std::string nobody = "http://127.0.0.1:1";
    const auto alone = value_of(follow_channel(accepted, following({nobody})));
    REQUIRE(alone.failure);
    CHECK(alone.failure->code() == ErrorCode::unreachable);
    CHECK(alone.update.files() == accepted);
    const auto missing = value_of(follow_channel(accepted, following({nginx.url() + "/elsewhere"})));
    REQUIRE(missing.failure);
    CHECK(missing.failure->code() == ErrorCode::missing);
}

TEST_CASE("channel: a head that contradicts an accepted text is evidence, an older one is not") {  // A63
    const auto accepted = accepted_files(5, 3);
    ChannelRelease other = sample_release(3);
    other.created = other.created + 1;
    for (const TreeFiles& files : {tree_files(5, 4), tree_files(6, other), tree_files(4, other)}) {
        const TreeServer server({}, nullptr, files);
        const auto followed = value_of(follow_channel(accepted, following({server.url()})));
        REQUIRE(followed.failure);
        CHECK(followed.failure->code() == ErrorCode::rollback);
        CHECK(followed.refused == files.at(channel_head_path(kSampleChannel)));
        CHECK(followed.update.files() == accepted);
    }
    const TreeServer behind({}, nullptr, tree_files(4, 3));
    CHECK(value_of(follow_channel(accepted, following({behind.url()}))).refused.empty());
}

TEST_CASE("channel: a server that is busy for each text once is asked again when it wants to be") {
    std::mutex mutex;
    std::map<std::string, unsigned> asked;
    const TreeServer server(
        {},
        [&](OddServer::Guest& guest, const RangeRequest& request, std::string_view, std::uint64_t) {
            const std::scoped_lock lock(mutex);
            const bool is_first = ++asked[request.path] == 1;
            if (is_first)
                guest.send(http_answer("503 Service Unavailable", "later", "Retry-After: 1\r\n"));
            return is_first;
        },
        tree_files(6, 4));
    const auto followed = value_of(follow_channel(accepted_files(5, 3), following({server.url()})));
    CHECK_FALSE(followed.failure);
    CHECK(followed.update.release()->version == 4);
}

TEST_CASE("channel: a release that no server has leaves what was accepted") {
    const auto accepted = accepted_files(5, 3);
    TreeFiles files = tree_files(6, 4);
    std::erase_if(files, [](const auto& file) { return file.first.find("/release/") != std::string::npos; });
    const TreeServer server({}, nullptr, files);
    const auto followed = value_of(follow_channel(accepted, following({server.url()})));
    REQUIRE(followed.failure);
    CHECK(followed.failure->code() == ErrorCode::missing);
    CHECK(followed.update.files() == accepted);
}

TEST_CASE("channel: a server that is down, behind or wrong does not hold back what another one has") {  // A88
    const auto accepted = accepted_files(5, 3);
    const TreeServer behind({}, nullptr, tree_files(5, 3));
    const TreeServer older({}, nullptr, tree_files(2, 1));
    TreeFiles bad_root = tree_files(5, 3);
    bad_root[channel_root_path(kSampleChannel, 2)] = root_file(sample_root(2), {kRootKeyA});
    const TreeServer wrong({}, nullptr, bad_root);
    TreeFiles bad_head = tree_files(5, 3);
    const std::string release = release_file(sample_release(4));
    bad_head[channel_head_path(kSampleChannel)] = head_file(head_for(99, release, 4), kOtherKey);
    const TreeServer forged({}, nullptr, bad_head);
    const TreeServer current({}, nullptr, tree_files(6, 4));
    const std::string down = "http://127.0.0.1:1";

    const std::vector<std::string> others{down, behind.url(), older.url(), wrong.url(), forged.url()};
    std::vector<std::vector<std::string>> lists;
    for (const std::string& other : others) {
        lists.push_back({other, current.url()});
        lists.push_back({current.url(), other});
    }
    lists.push_back(others);
    lists.back().push_back(current.url());
    for (const auto& list : lists) {
        CAPTURE(list.front());
        const auto followed = value_of(follow_channel(accepted, following(list)));
        CHECK_FALSE(followed.failure);
        REQUIRE(followed.update.release());
        CHECK(followed.update.release()->version == 4);
    }
    // If nobody has anything newer, that is no failure; what only wrong servers say is one.
    CHECK_FALSE(value_of(follow_channel(accepted, following({down, behind.url()}))).failure);
    for (const TreeServer* server : {&wrong, &forged}) {
        const auto refused = value_of(follow_channel(accepted, following({server->url()})));
        REQUIRE(refused.failure);
        CHECK(refused.failure->code() == ErrorCode::untrusted);
    }
}

TEST_CASE("channel: a root or head that a cache has kept is called that, with the server that gave it") {
    const auto accepted = accepted_files(5, 3);
    const auto refusal_of = [&](const TreeServer& server) {
        const auto followed = value_of(follow_channel(accepted, following({server.url()})));
        REQUIRE(followed.failure);
        CHECK(followed.failure->message().starts_with(server.url() + "/" + channel_head_path(kSampleChannel)));
        CHECK(followed.failure->message().find("a cache between here and the server") != std::string::npos);
        return *followed.failure;
    };
    // The head is of the next root, and a cache still says that there is none.
    TreeFiles files = tree_files(6, 4);
    const std::string release = release_file(sample_release(4));
    ChannelHead head = head_for(6, release, 4);
    head.root_version = 2;
    files[channel_head_path(kSampleChannel)] = head_file(head);
    const Error absent = refusal_of(TreeServer({}, nullptr, files));
    CHECK(absent.code() == ErrorCode::conflict);
    CHECK(absent.message().find("no root 2") != std::string::npos);
    const Error old = refusal_of(TreeServer({}, nullptr, tree_files(4, 3)));
    CHECK(old.code() == ErrorCode::rollback);
    CHECK(old.message().find("an old one") != std::string::npos);
}

TEST_CASE("channel: a cache or a mirror with another release is asked past, and another mirror is asked") {  // A66
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    REQUIRE(publish_channel_root(*tree, root_file(sample_root()), kChannelNow));
    publish_texts(*tree, 1, 1);
    const std::string release = release_file(sample_release(1));
    const std::string other = release_file(sample_release(2));
    REQUIRE(other.size() == release.size());
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path("tree")))
        if (entry.is_regular_file())
            files[entry.path().lexically_relative(scratch.path("tree")).string()] = read_file(entry.path().string());
    const auto other_release = [&](bool from_a_cache) {
        return [&, from_a_cache](OddServer::Guest& guest, const RangeRequest& request, std::string_view right,
                                 std::uint64_t file_bytes) {
            if (right != release || (from_a_cache && request.bypasses_caches))
                return false;
            guest.send(partial_answer(other, 0, file_bytes));
            return true;
        };
    };
    const TreeServer cached({}, other_release(true), files);
    const auto past = value_of(follow_channel(only_root(), following({cached.url()})));
    CHECK_FALSE(past.failure);
    REQUIRE(past.update.release());
    CHECK(past.update.release()->version == 1);

    const TreeServer lying({}, other_release(false), files);
    const auto refused = value_of(follow_channel(only_root(), following({lying.url()})));
    REQUIRE(refused.failure);
    CHECK(refused.failure->code() == ErrorCode::conflict);
    CHECK_FALSE(refused.update.release());
    const TreeServer right({}, nullptr, files);
    const auto elsewhere = value_of(follow_channel(only_root(), following({lying.url(), right.url()})));
    CHECK_FALSE(elsewhere.failure);
    CHECK(elsewhere.update.release());
}

TEST_CASE("channel: an owner cannot publish what clients would refuse") {
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    const std::string release = release_file(sample_release(1));
    CHECK(code_of(publish_channel_release(*tree, release, kChannelNow)) == ErrorCode::missing);
    CHECK(code_of(publish_channel_root(*tree, root_file(sample_root(2)), kChannelNow)) == ErrorCode::missing);
    CHECK(code_of(publish_channel_root(*tree, root_file(sample_root(1), {kRootKeyA}), kChannelNow)) ==
          ErrorCode::untrusted);
    REQUIRE(publish_channel_root(*tree, root_file(sample_root()), kChannelNow));
    CHECK(publish_channel_root(*tree, root_file(sample_root()), kChannelNow));  // again
    CHECK(code_of(publish_channel_root(*tree, root_file(sample_root(3)), kChannelNow)) == ErrorCode::rollback);
    CHECK(code_of(publish_channel_release(*tree, release_file(sample_release(1), kHeadKey), kChannelNow)) ==
          ErrorCode::untrusted);
    CHECK(code_of(publish_channel_head(*tree, head_file(head_for(1, release, 1)), kChannelNow)) == ErrorCode::missing);
    publish_texts(*tree, 4, 4);
    CHECK(code_of(publish_channel_release(*tree, release, kChannelNow)) == ErrorCode::rollback);
    CHECK(code_of(publish_channel_head(*tree, head_file(head_for(3, release_file(sample_release(4)), 4)),
                                       kChannelNow)) == ErrorCode::rollback);
    const auto there = value_of(read_channel(*tree, kSampleChannel));
    REQUIRE(there);
    CHECK(there->files.release == release_file(sample_release(4)));
    CHECK_FALSE(value_of(read_channel(*tree, "mygame/beta")));
}

TEST_CASE("channel: after a rotation the owner goes on, whatever a thief has published") {  // A65
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    REQUIRE(publish_channel_root(*tree, root_file(sample_root()), kChannelNow));
    publish_texts(*tree, (1ull << 53) - 1, 1);
    ChannelRoot rotated = sample_root(2);
    rotated.trust.keys.push_back(policy_key(kOtherKey));
    rotated.head.labels = {key_label(kOtherKey)};
    REQUIRE(publish_channel_root(*tree, root_file(rotated), kChannelNow));
    const std::string release = release_file(sample_release(2));
    REQUIRE(publish_channel_release(*tree, release, kChannelNow));
    CHECK(publish_channel_head(*tree, head_file(head_for(1, release, 2, 2), kOtherKey), kChannelNow));
}

TEST_CASE("channel: what was accepted survives the loss or the rollback of one of two folders") {  // A77
    const ScratchFolder scratch;
    const KeptChannels kept(scratch.path("store/channels"), scratch.path("state/channels"));
    const Hash id = sample_root().id;
    CHECK_FALSE(value_of(kept.find(id)));
    const ChannelFiles before = accepted_files(5, 3);
    REQUIRE(kept.write(id, before));
    std::filesystem::copy(scratch.path("store"), scratch.path("old"), std::filesystem::copy_options::recursive);
    const ChannelFiles after = accepted_files(6, 4);
    REQUIRE(kept.write(id, after));
    CHECK(value_of(kept.find(id))->files == after);
    std::filesystem::remove_all(scratch.path("store"));
    CHECK(value_of(kept.find(id))->files == after);
    std::filesystem::rename(scratch.path("old"), scratch.path("store"));
    CHECK(value_of(kept.find(id))->files == after);
    REQUIRE(value_of(kept.list(kSampleChannel)).size() == 1);
    CHECK(value_of(kept.list("mygame/beta")).empty());
    // Any damage of one copy is found, and the other one counts.
    const std::string path = scratch.path("state/channels/" + id.hex() + ".channel");
    const std::string bytes = encode_kept_channel(after);
    for (std::size_t size = 0; size < bytes.size(); size += 97)
        CHECK_FALSE(decode_kept_channel(std::string_view(bytes).substr(0, size)));
    std::filesystem::resize_file(path, 100);
    CHECK(value_of(kept.find(id))->files == before);
    std::filesystem::remove_all(scratch.path("store"));
    CHECK_FALSE(kept.find(id));
    REQUIRE(kept.write_evidence(id, before.head));
    // Whoever has stolen a key can sign any number of truths.
    for (int i = 0; i < 40; ++i)
        REQUIRE(kept.write_evidence(id, "truth " + std::to_string(i)));
    const auto files = std::filesystem::directory_iterator(scratch.path("store/channels"));
    CHECK(std::count_if(begin(files), end(files),
                        [](const auto& file) { return file.path().extension() == ".refused"; }) == 16);
}

}  // namespace fardel::tests::channel_test
