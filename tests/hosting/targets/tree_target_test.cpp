// The same tree in a folder, on a WebDAV server (nginx) and in a bucket.
#include "bundle-format/channel/channel_samples.h"
#include "delivery/served_bundle.h"
#include "kit/bundles.h"
#include "kit/failing_call.h"
#include "kit/nginx.h"
#include "kit/s3_server.h"

#include <fardel/delivery/follow_channel.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/hosting/channel_tree.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/tree_address.h>

#include <array>

namespace fardel::tests::tree_target_test {

TreeConnection quick_connection() {
    return {.connect_timeout = std::chrono::milliseconds(20'000),
            .stall_timeout = std::chrono::seconds(120),
            .attempts_max = 2,
            .first_pause = std::chrono::milliseconds(10)};
}

TreeCredentials store_credentials() { return {.aws_key_id = S3Server::key_id(), .aws_secret_key = S3Server::secret()}; }

std::unique_ptr<TreeTarget> target_at(const std::string& address) {
    return value_of(open_tree_target(address, store_credentials(), quick_connection()));
}

std::string all_of(const ByteSource& source) { return text_of(all_bytes(source)); }

Result<PutOutcome> put(TreeTarget& target, const std::string& path, std::string_view text) {
    return target.put(path, *make_memory_source(bytes_of(text)), {});
}

// What every target does.
void check_target(const std::string& address, const std::string& folder, bool compares = true) {
    const auto target = target_at(address);
    const auto other = target_at(address);
    CHECK(value_of(target->list("bundles")).empty());
    CHECK(target->open("bundles/a.txt").error().code() == ErrorCode::missing);
    CHECK(value_of(put(*target, "bundles/a.txt", "first")) == PutOutcome::written);
    CHECK(value_of(put(*other, "bundles/a.txt", "first")) == PutOutcome::was_there);
    CHECK(put(*other, "bundles/a.txt", "other").error().code() == ErrorCode::conflict);
    CHECK(put(*other, "bundles/a.txt", "longer text").error().code() == ErrorCode::conflict);
    CHECK(all_of(*value_of(target->open("bundles/a.txt"))) == "first");
    CHECK(read_file(folder + "/bundles/a.txt") == "first");
    CHECK(value_of(put(*target, "bundles/empty", "")) == PutOutcome::written);
    const std::string large = random_text(7, 1'500'000);
    CHECK(value_of(put(*target, "bundles/b/c", large)) == PutOutcome::written);
    CHECK(value_of(put(*target, "bundles/b/c", large)) == PutOutcome::was_there);
    std::string changed = large;
    changed[1'400'000] ^= 1;
    CHECK(put(*target, "bundles/b/c", changed).error().code() == ErrorCode::conflict);
    CHECK(all_of(*value_of(target->open("bundles/b/c"))) == large);
    CHECK(value_of(put(*target, "bundles/z.txt", "z")) == PutOutcome::written);

    const auto files = value_of(target->list("bundles"));
    REQUIRE(files.size() == 3);
    CHECK(files[0].path == "bundles/a.txt");
    CHECK(files[0].size_bytes == 5);
    CHECK(files[1].path == "bundles/empty");
    CHECK(files[2].path == "bundles/z.txt");
    const auto below = value_of(target->list_below("bundles"));
    REQUIRE(below.size() == 4);
    CHECK(below[1].path == "bundles/b/c");
    CHECK(below[1].size_bytes == large.size());
    CHECK(below[3].path == "bundles/z.txt");
    CHECK(value_of(target->list_below("channels")).empty());
    CHECK(value_of(target->remove("bundles/z.txt")));
    CHECK_FALSE(value_of(target->remove("bundles/z.txt")));
    CHECK(value_of(target->list("bundles")).size() == 2);

    CHECK_FALSE(value_of(target->find_head("state/list.txt")));
    CHECK(target->replace_head("state/list.txt", bytes_of("one"), ""));
    CHECK(other->replace_head("state/list.txt", bytes_of("two"), "").error().code() == ErrorCode::conflict);
    const auto head = value_of(other->find_head("state/list.txt"));
    REQUIRE(head);
    CHECK(head->bytes == bytes_of("one"));
    CHECK(target->replace_head("state/list.txt", bytes_of("three"), head->version));
    CHECK(other->replace_head("state/list.txt", bytes_of("four"), head->version).error().code() == ErrorCode::conflict);
    CHECK(value_of(other->find_head("state/list.txt"))->bytes == bytes_of("three"));

    for (const char* path :
         {"", "/a", "a/", "a//b", "../a", "a/../b", ".hidden", "A", "a b", "a?b", "a%2fb", "\xc3\xa4"}) {
        CAPTURE(std::string(path));
        CHECK(put(*target, path, "x").error().code() == ErrorCode::malformed);
        CHECK(target->open(path).error().code() == ErrorCode::malformed);
        CHECK(target->remove(path).error().code() == ErrorCode::malformed);
        CHECK(target->find_head(path).error().code() == ErrorCode::malformed);
        CHECK(target->list(path).error().code() == ErrorCode::malformed);
        CHECK(target->list_below(path).error().code() == ErrorCode::malformed);
    }

    if (!compares)
        return;
    // Two publishers with different bytes for one name: exactly one is right.
    std::vector<std::thread> threads;
    std::array<std::optional<Result<PutOutcome>>, 2> outcomes;
    for (std::size_t i = 0; i < 2; ++i)
        threads.emplace_back([&, i] {
            outcomes[i] =
                put(i == 0 ? *target : *other, "bundles/race", std::string(300'000, static_cast<char>('a' + i)));
        });
    for (std::thread& thread : threads)
        thread.join();
    const std::size_t winner = *outcomes[0] ? 0 : 1;
    REQUIRE(*outcomes[winner]);
    REQUIRE_FALSE(*outcomes[1 - winner]);
    CHECK(outcomes[1 - winner]->error().code() == ErrorCode::conflict);
    CHECK(read_file(folder + "/bundles/race") == std::string(300'000, static_cast<char>('a' + winner)));
}

TEST_CASE("tree target: a folder keeps what was written, replaces heads by comparison and refuses other paths") {
    const ScratchFolder scratch;
    check_target(scratch.path("game"), scratch.path("game"));
}

TEST_CASE("tree target: a WebDAV server does the same") {
    const ScratchFolder scratch;
    const DavServer server(scratch);
    check_target(server.address(), server.tree(), false);
    // No temporary file is left.
    for (const auto& entry : std::filesystem::recursive_directory_iterator(server.tree()))
        CHECK(entry.path().string().find(".upload-") == std::string::npos);
}

TEST_CASE("tree target: a bucket does the same, with signed requests") {  // A93
    const ScratchFolder scratch;
    const S3Server server(scratch, {"page=1"});
    check_target(server.address(), server.tree());
}

TEST_CASE("tree target: a bucket whose store ignores conditions works, with one publisher at a time") {  // A93
    const ScratchFolder scratch;
    const S3Server server(scratch, {"no-conditions"});
    check_target(server.address(), server.tree(), false);
}

TEST_CASE("tree target: a large file goes into a bucket in parts, and a store that has it receives nothing") {
    const ScratchFolder scratch;
    const S3Server server(scratch);
    const std::string large = random_text(3, (33u << 20) + 1);
    const auto source = make_memory_source(bytes_of(large));
    std::uint64_t done = 0;
    const PublishWork work{.progress = [&](std::uint64_t bytes, std::uint64_t total) {
        CHECK(total == large.size());
        done = std::max(done, bytes);
    }};
    CHECK(value_of(target_at(server.address())->put("bundles/large", *source, work)) == PutOutcome::written);
    CHECK(done == large.size());
    CHECK(read_file(server.tree() + "/bundles/large") == large);
    CHECK(value_of(target_at(server.address())->put("bundles/large", *source, {})) == PutOutcome::was_there);
}

// Counts what is read at once. Readers of several threads share it.
class WatchedSource final : public ByteSource {
public:
    explicit WatchedSource(std::string_view text) : text_(text) {}
    std::uint64_t size_bytes() const noexcept override { return text_.size(); }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        std::memcpy(out.data(), text_.data() + offset, out.size());
        const std::scoped_lock lock(mutex_);
        most_bytes_ = std::max(most_bytes_, out.size());
        return ok();
    }
    std::size_t most_bytes() const { return most_bytes_; }

private:
    const std::string_view text_;
    mutable std::mutex mutex_;
    mutable std::size_t most_bytes_ = 0;
};

std::string uploads_at(const S3Server& server) {
    return read_file(std::filesystem::path(server.tree()).parent_path().parent_path() / "uploads");
}

TEST_CASE(
    "tree target: parts of a large file are sent four at a time, in bounded memory, also if one is refused once") {
    const ScratchFolder scratch;
    const S3Server server(scratch, {"together=4", "busy-part=3"});
    const std::string large = random_text(4, (80u << 20) + 5);  // 6 parts
    const WatchedSource source(large);
    const auto caller = std::this_thread::get_id();
    std::uint64_t done = 0;
    const PublishWork work{.progress = [&](std::uint64_t bytes, std::uint64_t total) {
        CHECK(std::this_thread::get_id() == caller);
        CHECK(total == large.size());
        CHECK(bytes <= total);
        done = bytes;
    }};
    CHECK(value_of(target_at(server.address())->put("bundles/large", source, work)) == PutOutcome::written);
    CHECK(done == large.size());
    CHECK(read_file(server.tree() + "/bundles/large") == large);
    CHECK(uploads_at(server) == "0 unfinished, 4 at once");
    CHECK(source.most_bytes() <= 1u << 20);
}

TEST_CASE("tree target: a part that the store refuses, or a stop, ends an upload, and nothing of it stays") {  // A93
    const std::string large = random_text(5, (80u << 20) + 5);
    const auto source = make_memory_source(bytes_of(large));
    for (const char* refused : {"refuse-part=1", "refuse-part=3", "refuse-part=6"}) {
        CAPTURE(std::string(refused));
        const ScratchFolder scratch;
        const S3Server server(scratch, {refused});
        CHECK(code_of(target_at(server.address())->put("bundles/large", *source, {})) == ErrorCode::denied);
        CHECK(uploads_at(server).starts_with("0 unfinished"));
        CHECK_FALSE(std::filesystem::exists(server.tree() + "/bundles/large"));
    }
    const ScratchFolder scratch;
    const S3Server server(scratch);
    std::stop_source stop;
    const PublishWork work{.progress = [&](std::uint64_t, std::uint64_t) { stop.request_stop(); },
                           .stop = stop.get_token()};
    CHECK(code_of(target_at(server.address())->put("bundles/large", *source, work)) == ErrorCode::cancelled);
    CHECK(uploads_at(server).starts_with("0 unfinished"));
    CHECK_FALSE(std::filesystem::exists(server.tree() + "/bundles/large"));
}

TEST_CASE("tree target: wrong secrets, a wrong clock and ended tokens are named, and no secret is") {  // A93
    const ScratchFolder scratch;
    const S3Server server(scratch, {"token=session"}, "store");
    const S3Server skewed(scratch, {"skew"}, "skewed");
    const auto refused = [&](const S3Server& at, TreeCredentials credentials, ErrorCode code, std::string_view word) {
        const auto target = open_tree_target(at.address(), credentials, quick_connection());
        REQUIRE_FALSE(target);
        CAPTURE(target.error().text());
        CHECK(target.error().code() == code);
        CHECK(target.error().message().find(word) != std::string::npos);
        for (const std::string& secret :
             {credentials.aws_key_id, credentials.aws_secret_key, credentials.aws_session_token})
            CHECK((secret.empty() || target.error().message().find(secret) == std::string::npos));
    };
    TreeCredentials right = store_credentials();
    right.aws_session_token = "session";
    CHECK(open_tree_target(server.address(), right, quick_connection()));
    refused(skewed, store_credentials(), ErrorCode::denied, "clock");
    TreeCredentials wrong = right;
    wrong.aws_secret_key = "another/secret";
    refused(server, wrong, ErrorCode::denied, "SignatureDoesNotMatch");
    wrong = right;
    wrong.aws_key_id = "AKIDOTHER";
    refused(server, wrong, ErrorCode::denied, "InvalidAccessKeyId");
    wrong = right;
    wrong.aws_session_token = "older";
    refused(server, wrong, ErrorCode::expired, "session token");
    refused(server, {}, ErrorCode::missing, "AWS_ACCESS_KEY_ID");
    wrong = right;
    wrong.aws_session_token = "a\r\nHost: b";
    refused(server, wrong, ErrorCode::malformed, "characters");
}

TEST_CASE("tree target: redirects are not followed, and secrets go to no other host") {  // A93
    const OddServer elsewhere([](OddServer::Guest& guest) { guest.send(http_answer("200 OK", "")); });
    const OddServer server([&](OddServer::Guest& guest) {
        guest.send(http_answer("307 Temporary Redirect", "", "Location: " + elsewhere.url() + "/x\r\n"));
    });
    const auto bucket =
        open_tree_target("s3://bucket/game?endpoint=" + server.url(), store_credentials(), quick_connection());
    REQUIRE_FALSE(bucket);
    CHECK(bucket.error().code() == ErrorCode::denied);
    TreeCredentials user{.dav_user = "publisher", .dav_password = "pass-word"};
    const auto dav = value_of(open_tree_target("dav+" + server.url() + "/game", user, quick_connection()));
    const auto refused = put(*dav, "bundles/a", "text");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == ErrorCode::denied);
    CHECK(refused.error().message().find("pass-word") == std::string::npos);
    CHECK(elsewhere.heads().empty());
    CHECK(server.heads().size() >= 2);
    CHECK(open_tree_target("dav+http://example.org/game", user, quick_connection()).error().code() ==
          ErrorCode::denied);  // unencrypted
    TreeCredentials session = store_credentials();
    session.aws_session_token = "session";
    CHECK(
        open_tree_target("s3://bucket/game?endpoint=http://example.org", session, quick_connection()).error().code() ==
        ErrorCode::denied);
}

TEST_CASE("tree target: a store that lies or never ends gets an error, in bounded memory") {  // A94
    const std::pair<const char*, std::string> answers[] = {
        {"200 OK", std::string(1u << 20, 'x')},
        {"200 OK", "<a><b></a>"},
        {"200 OK", "<html><!-- --></html>"},
        {"500 Error", "<Error><Code>\x1b[31mred</Code></Error>"},
        {"412 Precondition Failed", std::string(1u << 20, 'x')},
    };
    for (const auto& pair : answers) {
        const std::string answer = http_answer(pair.first, pair.second);
        CAPTURE(answer.substr(0, 80));
        const OddServer server([&](OddServer::Guest& guest) { guest.send(answer); });
        const auto target =
            open_tree_target("s3://bucket/game?endpoint=" + server.url(), store_credentials(), quick_connection());
        const auto listed = target ? (*target)->list("bundles") : Result<std::vector<TreeFile>>(target.error());
        REQUIRE_FALSE(listed);
        CHECK(listed.error().message().find('\x1b') == std::string::npos);
    }
    // A page of keys that leads to itself, with names that lead out of the tree.
    const std::string page =
        "<ListBucketResult><Contents><Key>game/bundles/../../etc/passwd</Key><Size>1</Size></Contents>"
        "<Contents><Key>game/bundles/a</Key><Size>18446744073709551617</Size></Contents>"
        "<Contents><Key>other/bundles/b</Key></Contents></ListBucketResult>";
    const OddServer server([&](OddServer::Guest& guest) {
        guest.send(http_answer(guest.head().starts_with("PUT") ? "412 Precondition Failed" : "200 OK", page));
    });
    const auto files = value_of(target_at("s3://bucket/game?endpoint=" + server.url())->list("bundles"));
    REQUIRE(files.size() == 1);
    CHECK(files[0].path == "bundles/a");
}

TEST_CASE("tree target: a file whose size the server does not say is malformed, and not an empty one") {  // A94
    const OddServer server(
        [](OddServer::Guest& guest) { guest.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"); });
    const auto target = value_of(open_tree_target("dav+" + server.url() + "/game", {}, quick_connection()));
    CHECK(target->open("bundles/a").error().code() == ErrorCode::malformed);
    CHECK(put(*target, "bundles/a", "").error().code() == ErrorCode::malformed);
}

TEST_CASE("tree target: addresses are checked before anything is sent") {
    for (const char* address : {"s3://", "s3://b", "s3://Bucket/x", "s3://bucket/A", "s3://bucket/a?x=1",
                                "s3://bucket?endpoint=", "s3://bucket?endpoint=ftp://host",
                                "s3://bucket?endpoint=https://u:p@host", "s3://bucket?style=other", "ftp://host/x",
                                "https://u:p@host/x", "dav+https://u:p@host/x", "dav+http://", "dav+ftp://host/"}) {
        CAPTURE(std::string(address));
        CHECK(open_tree_target(address, store_credentials(), quick_connection()).error().code() ==
              ErrorCode::malformed);
    }
}

TEST_CASE("publish: bundles go to a WebDAV server and into a bucket, and fetches read what was published") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    const DavServer dav(scratch);
    const S3Server store(scratch);
    for (const std::string& address : {dav.address(), store.address()}) {
        const auto target = target_at(address);
        CHECK_FALSE(value_of(plan_publication(make_memory_source(bytes), *target)).was_there);
        CHECK_FALSE(value_of(publish_bundle(make_memory_source(bytes), *target)).was_there);
        CHECK(value_of(publish_bundle(make_memory_source(bytes), *target)).was_there);
        CHECK(value_of(plan_publication(make_memory_source(bytes), *target)).was_there);
    }
    for (const std::string& path : {tree_path_of(id), tables_path_of(id)})
        CHECK(read_file(dav.tree() + "/" + path) == read_file(store.tree() + "/" + path));
    const BundleStore fetched = make_store(scratch, "fetched");
    value_of(fetch_one(fetched, id, fetching_from({dav.address().substr(4)})));
    CHECK(stored_bytes(fetched, id) == bytes);
}

// `channel`: its name, also of the longest that a channel may have.
void check_channel(TreeTarget& tree, const std::string& served_tree, const std::string& url,
                   const std::string& channel) {
    CAPTURE(channel.size());
    const auto named = [&](auto text) {
        text.channel = channel;
        return text;
    };
    const std::string root = root_file(named(sample_root()));
    REQUIRE(publish_channel_root(tree, root, kChannelNow));
    for (std::uint64_t version = 1; version <= 2; ++version) {
        const std::string release = release_file(named(sample_release(version)));
        const std::string head = head_file(named(head_for(version, release, version)));
        CHECK(publish_channel_head(tree, head, kChannelNow).error().code() == ErrorCode::missing);
        REQUIRE(publish_channel_release(tree, release, kChannelNow));
        REQUIRE(publish_channel_head(tree, head, kChannelNow));
        CHECK(read_file(served_tree + "/" + channel_head_path(channel)) == head);
    }
    const std::string old = release_file(named(sample_release(1)));
    CHECK(publish_channel_head(tree, head_file(named(head_for(1, old, 1))), kChannelNow).error().code() ==
          ErrorCode::rollback);
    const auto there = value_of(read_channel(tree, channel));
    REQUIRE(there);
    CHECK(begun(there->files).release()->version == 2);
    CHECK(value_of(find_newest_release(tree, begun(there->files)))->release.version == 2);
    if (url.empty())
        return;
    const auto followed = value_of(follow_channel({.root = root, .release = {}, .head = {}},
                                                  {.trees = {url},
                                                   .now = kChannelNow,
                                                   .connections = {.times = fetching_from({}).times, .servers = {}},
                                                   .stop = {}}));
    CHECK_FALSE(followed.failure);
    REQUIRE(followed.update.release());
    CHECK(followed.update.release()->version == 2);
}

TEST_CASE("publish: a channel goes to a folder, a WebDAV server and into a bucket, also with the longest name") {
    const ScratchFolder scratch;
    const DavServer dav(scratch);
    const S3Server store(scratch);
    const std::string longest = "mygame/" + std::string(128 - 7, 'a');
    for (const std::string& channel : {std::string(kSampleChannel), longest}) {
        check_channel(*make_folder_target(scratch.path("folder")), scratch.path("folder"), "", channel);
        check_channel(*target_at(dav.address()), dav.tree(), dav.address().substr(4), channel);
        check_channel(*target_at(store.address()), store.tree(), "", channel);
    }
    ChannelRoot too_long = sample_root();
    too_long.channel = longest + "a";
    CHECK(format_channel_root(too_long).error().code() == ErrorCode::limit);
}

TEST_CASE(
    "publish: the WebDAV server of the manual takes bundles with its publishers' password, and gives them to all") {
    const ScratchFolder scratch;
    scratch.write("dav/publishers", "publisher:{PLAIN}right-word\n");
    const Nginx nginx(scratch, "dav", "publishing.md", "/srv/www", kDavModule);
    const std::string address = "dav+" + nginx.url() + "/game";
    const Bytes bytes = game_version("1");
    const auto publish_as = [&](TreeCredentials credentials) -> Result<Publication> {
        FARDEL_TRY_ASSIGN(const auto tree, open_tree_target(address, credentials, quick_connection()));
        return publish_bundle(make_memory_source(bytes), *tree);
    };
    for (const TreeCredentials& wrong :
         {TreeCredentials{}, TreeCredentials{.dav_user = "publisher", .dav_password = "wrong-word"},
          TreeCredentials{.dav_token = "right-word"}}) {
        const auto refused = publish_as(wrong);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code() == ErrorCode::denied);
        CHECK(refused.error().text().find("-word") == std::string::npos);
    }
    CHECK_FALSE(std::filesystem::exists(nginx.tree() + "/game"));
    const TreeCredentials right{.dav_user = "publisher", .dav_password = "right-word"};
    CHECK_FALSE(value_of(publish_as(right)).was_there);
    const auto tree = value_of(open_tree_target(address, right, quick_connection()));
    CHECK(value_of(tree->list("bundles")).size() == 3);  // with its tables and piece slices
    const BundleStore fetched = make_store(scratch, "fetched");
    value_of(fetch_one(fetched, bundle_id_of(bytes), fetching_from({nginx.url() + "/game"})));
    CHECK(stored_bytes(fetched, bundle_id_of(bytes)) == bytes);
}

TEST_CASE("publish: a WebDAV server that asks for a token gets it as a bearer token") {
    const ScratchFolder scratch;
    const DavServer server(scratch, "if ($http_authorization != \"Bearer right-word\") { return 403; }");
    const Bytes bytes = game_version("1");
    const auto publish_with = [&](const std::string& token) -> Result<Publication> {
        FARDEL_TRY_ASSIGN(const auto tree,
                          open_tree_target(server.address(), {.dav_token = token}, quick_connection()));
        return publish_bundle(make_memory_source(bytes), *tree);
    };
    const auto refused = publish_with("wrong-word");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == ErrorCode::denied);
    CHECK(refused.error().text().find("-word") == std::string::npos);
    CHECK_FALSE(value_of(publish_with("right-word")).was_there);
    CHECK(read_file(server.tree() + "/" + tree_path_of(bundle_id_of(bytes))) == text_of(bytes));
}

TEST_CASE("publish: a WebDAV server that loses bytes or refuses a step publishes nothing") {  // A94
    const Bytes bytes = game_version("1");
    for (const std::string_view refused : {"PUT", "MOVE", "HEAD"}) {
        CAPTURE(std::string(refused));
        const OddServer server([&](OddServer::Guest& guest) {
            const bool is_temporary = guest.head().find(".upload-") != std::string::npos;
            if (guest.head().starts_with("HEAD"))  // "I have one byte of it"
                guest.send(is_temporary && refused == "HEAD" ? "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
                           : is_temporary
                               ? "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(bytes.size()) + "\r\n\r\n"
                               : http_answer("404 Not Found", ""));
            else if (guest.head().starts_with("GET"))
                guest.send(http_answer("404 Not Found", ""));
            else if (guest.head().starts_with(refused))
                guest.send(http_answer("507 Insufficient Storage", ""));
            else
                guest.send(http_answer("201 Created", ""));
            guest.finish();
        });
        const auto target = value_of(open_tree_target("dav+" + server.url() + "/game", {}, quick_connection()));
        CHECK(code_of(publish_bundle(make_memory_source(bytes), *target)) ==
              (refused == "HEAD" ? ErrorCode::corrupt : ErrorCode::no_space));
        for (const std::string& head : server.heads())
            CHECK((refused == "MOVE" || !head.starts_with("MOVE")));
    }
}

#if defined(FARDEL_CAN_FAIL_CALLS)

// A bundle that is published to a WebDAV server and to a bucket, again and again.
struct RepeatedPublication {
    ScratchFolder scratch;
    Bytes bytes = game_version("1");
    BundleId id = bundle_id_of(bytes);
    DavServer dav{scratch};
    S3Server store{scratch};
    std::vector<std::pair<std::string, std::string>> targets{{dav.address(), dav.tree()},
                                                             {store.address(), store.tree()}};

    int publish_to(const std::string& address) const {
        const auto target = open_tree_target(address, store_credentials(), quick_connection());
        return target ? exit_code_of(publish_bundle(make_memory_source(bytes), **target)) : exit_code_of(target);
    }
    std::string file_in(const std::string& tree) const { return tree + "/" + tree_path_of(id); }
    // The whole bundle and its tables are there; afterwards neither is.
    void check_and_remove(const std::string& tree) const {
        CHECK(read_file(file_in(tree)) == text_of(bytes));
        CHECK(std::filesystem::exists(tree + "/" + tables_path_of(id)));
        std::filesystem::remove(file_in(tree));
        std::filesystem::remove(tree + "/" + tables_path_of(id));
    }
};

TEST_CASE("publish: killed at any request to a server, the next attempt ends with the same tree") {  // A100
    const RepeatedPublication site;
    for (const auto& target : site.targets) {
        CAPTURE(target.first);
        const auto verify = [&](int, bool) {
            if (std::filesystem::exists(site.file_in(target.second)))
                CHECK(read_file(site.file_in(target.second)) == text_of(site.bytes));
            CHECK(site.publish_to(target.first) == 0);
            site.check_and_remove(target.second);
        };
        const int runs = kill_at_each_call(
            1000, [] {}, [&] { return site.publish_to(target.first); }, verify,
            [](unsigned long long call) { return call == SYS_sendto; });
        CHECK(runs > 5);
    }
}

TEST_CASE("publish: a connection to a server that is reset at any moment costs a repetition") {  // A94
    const RepeatedPublication site;
    const auto is_on_connections = [](unsigned long long call) {
        return call == SYS_sendto || call == SYS_recvfrom || call == SYS_connect;
    };
    for (const auto& target : site.targets) {
        CAPTURE(target.first);
        const auto verify = [&](const FailedCall& outcome) {
            CHECK(outcome.exit_code == 0);
            site.check_and_remove(target.second);
        };
        const int runs = fail_each_call(
            1000, {ECONNRESET}, [] {}, [&] { return site.publish_to(target.first); }, verify, is_on_connections);
        CHECK(runs > 10);
    }
}

#endif

}  // namespace fardel::tests::tree_target_test
