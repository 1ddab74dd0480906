// Uploads to fardel serve: who may, what is refused, and what others see meanwhile.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "kit/bytes.h"
#include "kit/disks.h"
#include "kit/raw_connection.h"
#include "kit/serve_program.h"
#include "serve/upload_tokens.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/hash.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/tree_address.h>

#include <sys/stat.h>

#include <csignal>

namespace fardel::tests::serve_upload_test {

const std::string kToken = "correct-horse-battery-staple";

std::string tokens_of(std::string_view token) {
    return "# who may upload\n" + blake3(std::as_bytes(std::span(token))).hex() + " the build farm\n";
}

std::string put_head(const BundleId& id, std::size_t size, const std::string& token = kToken) {
    return "PUT /" + tree_path_of(id) + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + token +
           "\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
}

struct UploadSite {
    ScratchFolder scratch;
    std::string tree = scratch.path("tree");

    ServeProgram serve(Arguments options = {}) const {
        std::filesystem::create_directories(tree);
        const std::string tokens = scratch.write("tokens", tokens_of(kToken));
        REQUIRE(::chmod(tokens.c_str(), 0600) == 0);
        options.insert(options.begin(), {tree, "--upload-tokens", tokens});
        return ServeProgram(options);
    }
    // Of the whole tree, without what broke off.
    std::size_t files() const { return paths_below(tree).size() - parts(); }
    std::size_t parts() const { return paths_below(tree + "/.fardel-uploads").size(); }
};

int put(const ServeProgram& server, const Bytes& bytes, const BundleId& id, const std::string& token = kToken) {
    RawConnection client(server.port());
    static_cast<void>(client.send(put_head(id, bytes.size(), token) + text_of(bytes)));
    return client.read_answer().status;
}

struct ServedUploads {
    const UploadSite site{};
    const ServeProgram server = site.serve();
};

TEST_CASE("upload tokens: the file has hashes, and only a whole token of it counts") {
    const UploadTokens tokens = value_of(UploadTokens::parse(tokens_of(kToken)));
    REQUIRE(tokens.find("Bearer " + kToken) != nullptr);
    CHECK(*tokens.find("Bearer " + kToken) == "the build farm");
    for (const std::string& wrong :
         {std::string(), std::string("Bearer "), kToken, "bearer " + kToken, "Bearer  " + kToken,
          "Bearer " + kToken + "x", "Bearer " + kToken.substr(1), "Bearer " + tokens_of(kToken).substr(17, 64),
          "Bearer " + std::string(100'000, 'x')})
        CHECK(tokens.find(wrong) == nullptr);
    const std::string hash = Hash{}.hex();
    for (const std::string& bad : {std::string("x"), hash, hash + " ", hash + "name", hash.substr(1) + "  name",
                                   hash + " " + std::string(101, 'n')}) {
        CHECK(code_of(UploadTokens::parse(bad + "\n")) == ErrorCode::malformed);
    }
    CHECK(value_of(UploadTokens::parse("")).find("Bearer " + kToken) == nullptr);
}

TEST_CASE_FIXTURE(ServedUploads, "upload: a bundle is verified, published with its tables, and can be fetched") {
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    CHECK(put(server, bytes, id) == 201);
    CHECK(put(server, bytes, id) == 200);  // again: nothing changes
    CHECK(site.files() == 3);              // with its tables and piece slices
    const BundleStore store = make_store(site.scratch);
    value_of(fetch_one(store, id, fetching_from({server.url()})));
    CHECK(stored_bytes(store, id) == bytes);
}

TEST_CASE_FIXTURE(ServedUploads, "upload: without a right token, nothing is received") {  // A79
    const Bytes bytes = game_version("1");
    for (const std::string& token : {std::string("x"), std::string(40, 'x'), std::string()})
        CHECK(put(server, bytes, bundle_id_of(bytes), token) == 401);
    RawConnection client(server.port());
    CHECK(client
              .ask("PUT /" + tree_path_of(bundle_id_of(bytes)) +
                   " HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1000000000\r\n\r\n")
              .status == 401);
    CHECK(site.files() == 0);
    const ScratchFolder other;
    std::filesystem::create_directories(other.path("tree"));
    const ServeProgram closed({other.path("tree")});
    CHECK(put(closed, bytes, bundle_id_of(bytes)) == 405);
}

TEST_CASE("upload: a file that the disk has no room for is refused before a byte of it is received") {  // A143, A145
    UploadSite site;
    const SmallDisk disk(site.scratch, "4m");
    if (disk.is_missing())
        return;
    site.tree = disk.path("tree");
    const ServeProgram server = site.serve();
    const Bytes bytes = game_version("1");
    RawConnection client(server.port());
    const auto refused = client.ask("PUT /" + tree_path_of(bundle_id_of(bytes)) +
                                    " HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nAuthorization: Bearer " + kToken +
                                    "\r\nContent-Length: 3000000\r\n\r\n");
    CHECK(refused.status == 507);
    CHECK(refused.body.find("no room for the file") != std::string::npos);
    CHECK(site.files() + site.parts() == 0);
    CHECK(put(server, bytes, bundle_id_of(bytes)) == 201);  // a smaller one
}

TEST_CASE_FIXTURE(ServedUploads,
                  "upload: whatever is wrong with the file, nothing of it is visible at any time") {  // A94
    const Bytes good = game_version("1");
    const BundleId id = bundle_id_of(good);
    Bytes damaged = good;
    damaged[damaged.size() / 2] ^= std::byte{1};
    CHECK(put(server, damaged, id) == 422);
    CHECK(put(server, good, bundle_id_of(game_version("2"))) == 422);    // another bundle's path
    CHECK(put(server, Bytes(good.begin(), good.end() - 1), id) == 422);  // cut off
    CHECK(put(server, Bytes(10'000), id) == 422);                        // zeros
    CHECK(put(server, Bytes(100), id) == 413);                           // less than a head
    Bytes longer = good;
    longer.resize(longer.size() + 1);
    CHECK(put(server, longer, id) == 422);
    {
        RawConnection cut(server.port());
        REQUIRE(cut.send(put_head(id, good.size()) + text_of(good).substr(0, good.size() / 2)));
        RawConnection reader(server.port());
        CHECK(reader.ask(get_request("/" + tree_path_of(id))).status == 404);
    }
    RawConnection chunked(server.port());
    CHECK(chunked
              .ask("PUT /" + tree_path_of(id) + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + kToken +
                   "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n")
              .status == 411);
    for (const std::string& target :
         {std::string("/bundles/x.fardel"), std::string("/../x"), std::string("/x"), "/" + tables_path_of(id)}) {
        RawConnection client(server.port());
        CHECK(client
                  .ask("PUT " + target + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + kToken +
                       "\r\nContent-Length: 4\r\n\r\nabcd")
                  .status == 405);
    }
    CHECK(site.files() == 0);
    CHECK(put(server, good, id) == 201);
}

// Sends the first `size` bytes of a bundle, breaks off, and waits until the server has taken note of them.
void break_off(const ServeProgram& server, const UploadSite& site, const Bytes& bytes, std::size_t size) {
    const BundleId id = bundle_id_of(bytes);
    {
        RawConnection cut(server.port());
        REQUIRE(cut.send(put_head(id, bytes.size()) + text_of(bytes).substr(0, size)));
        const auto has_all = [&] {
            for (const auto& entry : std::filesystem::directory_iterator(site.tree + "/.fardel-uploads"))
                if (entry.file_size() == size)
                    return true;
            return false;
        };
        wait_until([&] { return site.parts() != 0 && has_all(); });
        REQUIRE(has_all());
    }
    // The next one begins when the server has closed the connection.
    wait_until([&] { return server.metric("fardel_connections") <= 1; });
}

RawConnection::Answer head_part(const ServeProgram& server, const BundleId& id, const std::string& token = kToken) {
    RawConnection client(server.port());
    return client.ask(
        "HEAD /uploads/" + id.hex() + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + token + "\r\n\r\n", false);
}

int put_rest(const ServeProgram& server, const Bytes& bytes, std::size_t offset, const std::string& range) {
    RawConnection client(server.port());
    static_cast<void>(client.send("PUT /" + tree_path_of(bundle_id_of(bytes)) +
                                  " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + kToken +
                                  "\r\nContent-Length: " + std::to_string(bytes.size() - offset) +
                                  "\r\nContent-Range: " + range + "\r\n\r\n" + text_of(bytes).substr(offset)));
    return client.read_answer().status;
}

std::string range_from(std::size_t offset, std::size_t size) {
    return "bytes " + std::to_string(offset) + "-" + std::to_string(size - 1) + "/" + std::to_string(size);
}

TEST_CASE("upload: one that broke off goes on where it was, also after the server was killed") {
    const UploadSite site;
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    constexpr std::size_t kSent = 250'000;
    {
        const ServeProgram server = site.serve();
        CHECK(head_part(server, id).status == 404);
        break_off(server, site, bytes, kSent);
        server.send(SIGKILL);
    }
    const ServeProgram server = site.serve();
    CHECK(site.files() == 0);
    CHECK(head_part(server, id).field("content-length") == std::to_string(kSent));
    CHECK(head_part(server, id, "").status == 401);
    CHECK(head_part(server, bundle_id_of(game_version("2"))).status == 404);
    RawConnection reader(server.port());
    CHECK(reader.ask(get_request("/uploads/" + id.hex(), "Authorization: Bearer " + kToken + "\r\n")).status == 405);
    for (const std::string& wrong :
         {range_from(kSent, bytes.size() + 1), std::string("bytes */5"), std::string("bytes 1-2/3"),
          "items " + range_from(kSent, bytes.size()), range_from(kSent, bytes.size()) + "x",
          std::string("bytes 99999999999999999999-99999999999999999999/99999999999999999999")})
        CHECK(put_rest(server, bytes, kSent, wrong) == 400);
    CHECK(put_rest(server, bytes, kSent - 1, range_from(kSent - 1, bytes.size())) == 416);
    CHECK(put_rest(server, bytes, kSent + 1, range_from(kSent + 1, bytes.size())) == 416);
    CHECK(put_rest(server, bytes, kSent, range_from(kSent, bytes.size())) == 201);
    CHECK(site.parts() == 0);
    CHECK(site.scratch.read("tree/" + tree_path_of(id)) == text_of(bytes));
}

TEST_CASE(
    "upload: a server that is killed at any moment shows a whole bundle or none, and the next one goes on") {  // A100
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    const std::string request = put_head(id, bytes.size()) + text_of(bytes);
    int published = 0;
    // What was sent when it is killed, and if that was all, how much later.
    const std::size_t sent_parts[] = {0, 60, request.size() / 2, request.size() - 1};
    for (int round = 0; round < 24; ++round) {
        CAPTURE(round);
        const UploadSite site;
        {
            const ServeProgram server = site.serve();
            RawConnection client(server.port());
            const std::size_t sent = round < 4 ? sent_parts[round] : request.size();
            static_cast<void>(client.send(request.substr(0, sent)));
            if (round >= 4)
                std::this_thread::sleep_for(std::chrono::milliseconds(3 * (round - 4)));
            server.send(SIGKILL);
        }
        const std::string file = site.tree + "/" + tree_path_of(id);
        const std::string tables = site.tree + "/" + tables_path_of(id);
        const bool is_there = std::filesystem::exists(file);
        published += is_there ? 1 : 0;
        if (is_there)
            CHECK(read_file(file) == text_of(bytes));
        if (std::filesystem::exists(tables))
            CHECK(read_file(tables) == published_tables(bytes));
        const ServeProgram server = site.serve();
        const auto tree = value_of(open_tree_target(server.url(), {.upload_token = kToken}));
        CHECK(value_of(publish_bundle(make_memory_source(bytes), *tree, {})).was_there == is_there);
        CHECK(read_file(file) == text_of(bytes));
        // If it was killed after it had published the bundle and before it had removed the part, that stays until it is
        // old: nobody uploads the bundle again.
        CHECK(site.parts() <= (is_there ? 1u : 0u));
    }
    CHECK(published < 24);
}

TEST_CASE_FIXTURE(
    ServedUploads,
    "upload: publishing goes on behind what the server has, and a wrong part is sent again from its beginning") {
    const Bytes first = game_version("1");
    break_off(server, site, first, 300'000);
    const auto publish = [&](const Bytes& bytes, std::vector<std::uint64_t>& sent) {
        const auto tree = value_of(open_tree_target(server.url(), {.upload_token = kToken}));
        return publish_bundle(make_memory_source(bytes), *tree,
                              {.progress = [&](std::uint64_t done, std::uint64_t) { sent.push_back(done); }});
    };
    std::vector<std::uint64_t> sent;
    CHECK_FALSE(value_of(publish(first, sent)).was_there);
    REQUIRE_FALSE(sent.empty());
    CHECK(sent.front() >= 300'000);
    CHECK(site.scratch.read("tree/" + tree_path_of(bundle_id_of(first))) == text_of(first));
    // What the disk has kept of it is damaged: the upload is refused, and the next one begins from the start.
    const Bytes second = game_version("2");
    break_off(server, site, second, 200'000);
    for (const auto& entry : std::filesystem::directory_iterator(site.tree + "/.fardel-uploads")) {
        std::fstream part(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
        part.seekp(100'000);
        part.write("damaged", 7);
    }
    CHECK(publish(second, sent).error().code() == ErrorCode::denied);
    CHECK(site.parts() == 0);
    sent.clear();
    CHECK_FALSE(value_of(publish(second, sent)).was_there);
    CHECK(site.scratch.read("tree/" + tree_path_of(bundle_id_of(second))) == text_of(second));
    CHECK(site.parts() == 0);
}

TEST_CASE("upload: what broke off gives way to an upload that needs its room, and is removed after a day") {  // A145
    const UploadSite site;
    const Bytes bytes = game_version("1");
    const Bytes other = game_version("2");
    {
        const ServeProgram server = site.serve({"--upload-quota", "1000000"});
        break_off(server, site, bytes, 500'000);
        CHECK(put_rest(server, bytes, 500'000, range_from(500'000, bytes.size())) == 201);
    }
    std::filesystem::remove_all(site.tree);
    {
        const ServeProgram server = site.serve({"--upload-quota", "1000000"});
        break_off(server, site, bytes, 500'000);
        CHECK(put(server, other, bundle_id_of(other)) == 201);
        CHECK(site.parts() == 0);
        CHECK(put_rest(server, bytes, 500'000, range_from(500'000, bytes.size())) != 201);
        CHECK(put(server, bytes, bundle_id_of(bytes)) == 507);  // what is published does not give way
    }
    std::filesystem::remove_all(site.tree);
    {
        const ServeProgram server = site.serve();
        break_off(server, site, bytes, 500'000);
    }
    const auto part = std::filesystem::directory_iterator(site.tree + "/.fardel-uploads")->path();
    const auto now = std::filesystem::last_write_time(part);
    std::filesystem::last_write_time(part, now - std::chrono::hours(23));
    { const ServeProgram server = site.serve(); }
    CHECK(site.parts() == 1);
    std::filesystem::last_write_time(part, now - std::chrono::hours(25));
    { const ServeProgram server = site.serve(); }
    CHECK(site.parts() == 0);
}

TEST_CASE_FIXTURE(ServedUploads,
                  "upload: another file with the id of a published bundle is a conflict, and the published one stays") {
    BundlePlan plan;
    add(plan, "a.txt", std::string(100'000, 'a') + random_text(1, 1000));
    const Bytes first = written(plan, {.level = 1, .jobs = 1});
    const Bytes second = written(plan, {.level = 19, .jobs = 1});
    REQUIRE(bundle_id_of(first) == bundle_id_of(second));
    REQUIRE(first != second);
    CHECK(put(server, first, bundle_id_of(first)) == 201);
    CHECK(put(server, second, bundle_id_of(first)) == 409);
    CHECK(site.scratch.read("tree/" + tree_path_of(bundle_id_of(first))) == text_of(first));
}

TEST_CASE("upload: a policy and a quota are kept") {
    const UploadSite site;
    const std::string policy = site.scratch.write("policy", "fardel-trust 1\n");
    {
        const ServeProgram server = site.serve({"--trust", policy});
        CHECK(put(server, game_version("1"), bundle_id_of(game_version("1"))) == 422);
        CHECK(site.files() == 0);
    }
    const ServeProgram server = site.serve({"--upload-quota", "1000000"});
    CHECK(put(server, game_version("1"), bundle_id_of(game_version("1"))) == 201);
    CHECK(put(server, game_version("2"), bundle_id_of(game_version("2"))) == 507);
}

TEST_CASE("upload: of uploads under way, what has come counts for the quota, and not what was announced") {  // A145
    const UploadSite site;
    const Bytes bytes = game_version("1");
    const Bytes other = game_version("2");
    const ServeProgram server = site.serve({"--upload-quota", "1000000"});
    {
        RawConnection half(server.port());
        REQUIRE(half.send_head(put_head(bundle_id_of(bytes), bytes.size())));
        REQUIRE(half.send(text_of(bytes).substr(0, 500'000)));
        REQUIRE(wait_until([&] { return bytes_below(site.tree + "/.fardel-uploads") == 500'000; }));
        CHECK(put(server, other, bundle_id_of(other)) == 507);
    }
    wait_until([&] { return server.metric("fardel_connections") <= 1; });
    std::vector<RawConnection> silent;
    for (int i = 0; i < 8; ++i) {
        silent.emplace_back(server.port());
        REQUIRE(silent.back().send_head(put_head(bundle_id_of(bytes), bytes.size())));
    }
    CHECK(put(server, other, bundle_id_of(other)) == 201);
    // Nothing is exceeded: the others end when their bytes come.
    REQUIRE(silent.front().send(text_of(bytes)));
    CHECK(silent.front().read_answer().status == 507);
}

TEST_CASE_FIXTURE(
    ServedUploads,
    "upload: what is refused gives its place back at once, however slowly the rest of it comes") {  // A145
    const Bytes bytes = game_version("1");
    std::vector<RawConnection> refused;
    for (int i = 0; i < 16; ++i) {
        refused.emplace_back(server.port());
        REQUIRE(refused.back().send_head(put_head(bundle_id_of(bytes), 1'000'000)));
        REQUIRE(refused.back().send(std::string(5000, 'x')));  // another bundle
    }
    int status = 0;
    CHECK(wait_until([&] {
        for (const RawConnection& one : refused)
            static_cast<void>(one.send("x"));
        status = put(server, bytes, bundle_id_of(bytes));
        return status != 503;
    }));
    CHECK(status == 201);
    for (const RawConnection& one : refused)  // none of them had to end for that
        CHECK(one.send("x"));
    CHECK(site.parts() == 0);
}

TEST_CASE_FIXTURE(ServedUploads, "upload: while all places are taken, a new upload gets that of the slowest") {  // A145
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    const std::string request = put_head(id, bytes.size()) + text_of(bytes);
    std::vector<RawConnection> slow;
    for (int i = 0; i < 16; ++i) {
        slow.emplace_back(server.port());
        REQUIRE(slow.back().send_head(put_head(id, bytes.size())));
        REQUIRE(slow.back().send(text_of(bytes).substr(0, i == 7 ? 100 : 200'000)));
    }
    CHECK(put(server, bytes, id) == 503);  // they have just begun
    int status = 503;
    for (const auto start = std::chrono::steady_clock::now();
         status == 503 && std::chrono::steady_clock::now() - start < std::chrono::seconds(25);) {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        status = put(server, bytes, id);
    }
    CHECK(status == 201);
    CHECK(slow[7].is_closed_within(std::chrono::seconds(10)));
    for (int i = 0; i < 16; ++i)
        CHECK((i == 7 || !slow[static_cast<std::size_t>(i)].is_closed_within(std::chrono::milliseconds(1))));
}

TEST_CASE_FIXTURE(ServedUploads,
                  "upload: many clients that upload one bundle at once all succeed, and one file is there") {  // A117
    const Bytes bytes = game_version("1");
    std::vector<int> statuses(8);
    {
        std::vector<std::jthread> clients;
        for (int& status : statuses)
            clients.emplace_back([&] { status = put(server, bytes, bundle_id_of(bytes)); });
    }
    int written = 0;
    for (const int status : statuses) {
        CHECK((status == 200 || status == 201));
        written += status == 201 ? 1 : 0;
    }
    CHECK(written == 1);
    CHECK(site.files() == 3);
}

TEST_CASE("upload: one client that does not send what it announced has four of the places, and others go on") {  // A82
    const UploadSite site;
    const ServeProgram server = site.serve({"--per-address", "64"});
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    const std::string request = put_head(id, bytes.size()) + text_of(bytes);
    std::vector<RawConnection> slow;
    for (int i = 0; i < 4; ++i) {
        slow.emplace_back(server.port(), 0, std::uint8_t{2});
        REQUIRE(slow.back().send_head(put_head(id, bytes.size())));
        REQUIRE(slow.back().send(text_of(bytes).substr(0, bytes.size() - 10)));
    }
    const std::string wrong = put_head(id, 5000) + std::string(5000, 'x');
    CHECK(RawConnection(server.port(), 0, 2).ask(wrong).status == 503);
    CHECK(RawConnection(server.port(), 0, 3).ask(request).status == 201);
    slow.pop_back();
    int status = 503;
    wait_until([&] {
        status = RawConnection(server.port(), 0, 2).ask(request).status;
        return status != 503;
    });
    CHECK(status == 200);
}

}  // namespace fardel::tests::serve_upload_test
