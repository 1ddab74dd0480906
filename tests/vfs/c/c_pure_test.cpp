// Every function of fardel_pure.h: a server and its clients, in C.
#include <fardel/vfs/fardel_pure.h>

#include "kit/files.h"
#include "vfs/restricted_content.h"
#include "vfs/test_bundle.h"

#include <array>
#include <cstring>

namespace fardel::tests::c_pure_test {

using Answer = std::array<unsigned char, FARDEL_PURE_ANSWER_BYTES>;
using Offer = std::array<unsigned char, FARDEL_PURE_OFFER_BYTES>;
using Verdict = std::array<unsigned char, FARDEL_PURE_VERDICT_BYTES>;

std::string code_text(fardel_code code) { return fardel_code_name(code); }

void note_problem(void* context, const fardel_pure_problem* problem) {
    constexpr const char* kFaults[] = {"missing", "wrong", "unsigned", "revoked", "not-allowed", "extra"};
    auto& text = *static_cast<std::string*>(context);
    text += (text.empty() ? "" : ", ") + std::string(kFaults[problem->fault]) + " " + problem->name;
}
void note_text(void* context, const char* text, size_t text_bytes) {
    static_cast<std::string*>(context)->assign(text, text_bytes);
}
void note_refusal(void* context, const char* word, const char*) {
    auto& text = *static_cast<std::string*>(context);
    text += (text.empty() ? "" : " ") + std::string(word);
}
void note_bundle(void* context, const fardel_pure_bundle* bundle) {
    std::array<char, 65> id{};
    fardel_id_text(&bundle->bundle, id.data());
    *static_cast<std::string*>(context) +=
        std::string(id.data()).substr(0, 4) + "|" + bundle->mount_point + "|" + bundle->name + "\n";
}

// The server's two bundles on disk, and its policy.
struct Content {
    Content() {
        Bytes bytes[] = {BundleMaker().add("textures/wall", noise_text(90'000, 1)).write(),
                         BundleMaker().add("maps/dm01", noise_text(90'000, 2)).title("map").write()};
        PureRules rules;
        rules.unsigned_allowed = true;
        rules.variants = {{"texture", {"astc", "bc7"}}};
        for (std::size_t i = 0; i < 2; ++i) {
            bundles.push_back(bytes[i]);
            paths.push_back(scratch.write("bundle " + std::to_string(i), std::span<const std::byte>(bytes[i])));
            const auto bundle = Bundle::open(make_memory_source(bytes[i]), {}).value();
            rules.bundles.push_back({bundle->id(), CaseRule::exact, "", "bundle/" + std::to_string(i)});
        }
        policy = PurePolicy::make(std::move(rules)).value().format();
    }
    fardel_pure_server_options options() {
        fardel_pure_server_options options = FARDEL_PURE_SERVER_OPTIONS_INIT;
        options.policy_text = policy.c_str();
        options.bundle_paths = pointers.data();
        options.bundle_path_count = pointers.size();
        options.sources = &source;
        options.source_count = 1;
        return options;
    }

    ScratchFolder scratch;
    std::vector<Bytes> bundles;
    std::vector<std::string> paths;
    std::vector<const char*> pointers;  // to paths, once the server may have them
    std::string policy;
    const char* source = "https://cdn.example/game";
};

struct Server {
    explicit Server(Content& content) {
        for (const std::string& path : content.paths)
            content.pointers.push_back(path.c_str());
        const fardel_pure_server_options options = content.options();
        REQUIRE(fardel_pure_server_create(&options, &server, nullptr) == FARDEL_OK);
    }
    ~Server() { fardel_pure_server_destroy(server); }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    Offer offer(const char* client) const {
        Offer offer{};
        REQUIRE(fardel_pure_server_offer(server, client, client, 1000, offer.data(), nullptr) == FARDEL_OK);
        return offer;
    }
    // "welcome", or the words of the refusals.
    std::string check(const Answer& answer, const char* client, const char* report = nullptr) const {
        Verdict verdict{};
        std::int32_t welcome = -1, read = -1;
        REQUIRE(fardel_pure_server_check(server, answer.data(), answer.size(), client, report, 1001, verdict.data(),
                                         &welcome, nullptr) == FARDEL_OK);
        std::string words;
        REQUIRE(fardel_pure_read_verdict(verdict.data(), verdict.size(), note_refusal, &words, &read, nullptr) ==
                FARDEL_OK);
        CHECK(read == welcome);
        CHECK((welcome == 1) == words.empty());
        return words.empty() ? "welcome" : words;
    }

    fardel_pure_server* server = nullptr;
};

// A client that has mounted some bundles of the content and is in pure mode.
struct Client {
    Client(const Content& content, std::vector<std::size_t> which) {
        REQUIRE(fardel_vfs_create(nullptr, &vfs, nullptr) == FARDEL_OK);
        fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
        options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
        for (const std::size_t i : which)
            REQUIRE(fardel_mount_memory(vfs, content.bundles[i].data(), content.bundles[i].size(), &options, nullptr,
                                        nullptr) == FARDEL_OK);
        REQUIRE(fardel_enter_pure(vfs, content.policy.c_str(), nullptr, nullptr) == FARDEL_OK);
    }
    ~Client() { fardel_vfs_destroy(vfs); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    Answer answer(const Offer& offer, const char* name, const char* variants = nullptr) {
        Answer answer{};
        REQUIRE(fardel_pure_answer(vfs, offer.data(), offer.size(), name, variants, answer.data(), note_text, &report,
                                   nullptr) == FARDEL_OK);
        return answer;
    }

    fardel_vfs* vfs = nullptr;
    std::string report;
};

TEST_CASE("C pure: a client with the server's content is welcome, once and over its own connection") {
    Content content;
    const Server server(content);
    Client client(content, {0, 1});
    const Answer answer = client.answer(server.offer("alice"), "alice", "texture=bc7");
    CHECK(server.check(answer, "mallory") == "other-connection");
    CHECK(server.check(answer, "alice", client.report.c_str()) == "welcome");
    CHECK(server.check(answer, "alice") == "replayed");
    // The next epoch; an offer of the one before is still good.
    const Offer before = server.offer("bob");
    REQUIRE(fardel_pure_server_begin_epoch(server.server, nullptr) == FARDEL_OK);
    CHECK(server.check(client.answer(before, "bob"), "bob") == "welcome");
    CHECK(server.check(client.answer(server.offer("carol"), "carol"), "carol") == "welcome");
}

TEST_CASE("C pure: a client that lacks a bundle learns which, and the server gets its report") {
    Content content;
    const Server server(content);
    Client client(content, {0});
    std::string problems;
    std::size_t count = 0;
    REQUIRE(fardel_pure_problems(client.vfs, note_problem, &problems, &count, nullptr) == FARDEL_OK);
    CHECK(problems == "missing bundle/1");
    CHECK(count == 1);
    const Answer answer = client.answer(server.offer("alice"), "alice");
    std::string received;
    REQUIRE(fardel_pure_read_report(client.report.c_str(), note_problem, &received, &count, nullptr) == FARDEL_OK);
    CHECK(received == problems);
    CHECK(server.check(answer, "alice", client.report.c_str()) == "client-problems");
    // After it has come.
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    REQUIRE(fardel_mount_file(client.vfs, content.paths[1].c_str(), &options, nullptr, nullptr) == FARDEL_OK);
    CHECK(server.check(client.answer(server.offer("alice"), "alice"), "alice") == "welcome");
    // A variant that the policy does not have.
    CHECK(server.check(client.answer(server.offer("alice"), "alice", "texture=see-through"), "alice") ==
          "client-problems");
}

TEST_CASE("C pure: a policy gives its content set, and an offer its policy and sources") {
    Content content;
    const Server server(content);
    std::string listed;
    fardel_id digest{}, offered{};
    std::size_t count = 0;
    REQUIRE(fardel_pure_read_policy(content.policy.c_str(), note_bundle, &listed, &digest, &count, nullptr) ==
            FARDEL_OK);
    CHECK(count == 2);
    CHECK(listed.find("||bundle/0\n") == 4);
    const Offer offer = server.offer("alice");
    fardel_foreign_urls sources{};
    REQUIRE(fardel_pure_read_offer(offer.data(), offer.size(), &offered, &sources, nullptr) == FARDEL_OK);
    CHECK(std::memcmp(&digest, &offered, sizeof digest) == 0);
    CHECK(sources.lines == std::string("https://cdn.example/game\n"));
    CHECK(fardel_pure_read_offer(offer.data(), offer.size(), nullptr, nullptr, nullptr) == FARDEL_OK);
    CHECK(code_text(fardel_pure_read_offer(offer.data(), offer.size() - 1, nullptr, &sources, nullptr)) == "malformed");
}

TEST_CASE("C pure: a policy gives the channels that its bundles come from") {
    const std::string id(64, 'a');
    const std::string policy = "fardel-pure 1\nchannel fort/beta " + id + "\nchannel fort/stable " + id + "\n";
    std::string listed;
    std::size_t count = 0;
    const auto note = [](void* context, const char* name, const fardel_id* channel) {
        std::array<char, 65> text{};
        fardel_id_text(channel, text.data());
        *static_cast<std::string*>(context) += std::string(name) + " " + text.data() + "\n";
    };
    REQUIRE(fardel_pure_read_channels(policy.c_str(), note, &listed, &count, nullptr) == FARDEL_OK);
    CHECK(count == 2);
    CHECK(listed == "fort/beta " + id + "\nfort/stable " + id + "\n");
    CHECK(code_text(fardel_pure_read_channels("nonsense", nullptr, nullptr, nullptr, nullptr)) == "malformed");
    CHECK(code_text(fardel_pure_read_channels(nullptr, nullptr, nullptr, nullptr, nullptr)) == "argument");
}

TEST_CASE("C pure: errors are named, and bytes that are no message leave an offer open") {
    Content content;
    const Server server(content);
    Client client(content, {0, 1});
    const Answer good = client.answer(server.offer("alice"), "alice");
    CHECK(code_text(fardel_pure_server_check(server.server, good.data(), 10, "alice", nullptr, 0, nullptr, nullptr,
                                             nullptr)) == "malformed");
    CHECK(code_text(fardel_pure_server_check(server.server, good.data(), good.size(), "alice", "no report", 0, nullptr,
                                             nullptr, nullptr)) == "malformed");
    CHECK(server.check(good, "alice") == "welcome");
    Answer out{};
    const Offer offer = server.offer("alice");
    CHECK(code_text(fardel_pure_answer(client.vfs, offer.data(), 3, "alice", nullptr, out.data(), nullptr, nullptr,
                                       nullptr)) == "malformed");
    CHECK(code_text(fardel_pure_answer(client.vfs, offer.data(), offer.size(), "alice", "nonsense", out.data(), nullptr,
                                       nullptr, nullptr)) == "malformed");
    fardel_leave_pure(client.vfs);
    CHECK(code_text(fardel_pure_problems(client.vfs, nullptr, nullptr, nullptr, nullptr)) == "denied");
    CHECK(code_text(fardel_pure_answer(client.vfs, offer.data(), offer.size(), "alice", nullptr, out.data(), nullptr,
                                       nullptr, nullptr)) == "denied");
    CHECK(code_text(fardel_pure_read_policy("nonsense", nullptr, nullptr, nullptr, nullptr, nullptr)) == "malformed");
    std::int32_t welcome = 7;
    CHECK(code_text(fardel_pure_read_verdict(good.data(), good.size(), nullptr, nullptr, &welcome, nullptr)) ==
          "malformed");
    CHECK(welcome == 7);
}

TEST_CASE("C pure: a server needs its own copies, from files or readers, and its options are checked") {
    Content content;
    fardel_pure_server* server = nullptr;
    fardel_pure_server_options options = content.options();
    CHECK(code_text(fardel_pure_server_create(&options, &server, nullptr)) == "missing");
    CHECK(server == nullptr);
    options.struct_size = 0;
    CHECK(code_text(fardel_pure_server_create(&options, &server, nullptr)) == "argument");
    options = content.options();
    options.policy_text = nullptr;
    CHECK(code_text(fardel_pure_server_create(&options, &server, nullptr)) == "argument");
    options = content.options();
    options.flags = 1;
    CHECK(code_text(fardel_pure_server_create(&options, &server, nullptr)) == "unsupported");
    options.flags = 0;
    const fardel_reader unset = FARDEL_READER_INIT;
    options.readers = &unset;
    options.reader_count = 1;
    CHECK(code_text(fardel_pure_server_create(&options, &server, nullptr)) == "argument");

    // One bundle by a reader, which is released with the server.
    struct Memory {
        const Bytes* bytes;
        int released;
    } memory{&content.bundles[0], 0};
    fardel_reader reader = FARDEL_READER_INIT;
    reader.context = &memory;
    reader.size_bytes = content.bundles[0].size();
    reader.read_at = [](void* context, std::uint64_t offset, void* buffer, std::size_t size_bytes, fardel_error*) {
        std::memcpy(buffer, static_cast<Memory*>(context)->bytes->data() + offset, size_bytes);
        return fardel_code{FARDEL_OK};
    };
    reader.release = [](void* context) { ++static_cast<Memory*>(context)->released; };
    content.pointers = {content.paths[1].c_str()};
    options = content.options();
    options.readers = &reader;
    options.reader_count = 1;
    REQUIRE(fardel_pure_server_create(&options, &server, nullptr) == FARDEL_OK);
    CHECK(memory.released == 0);
    fardel_pure_server_destroy(server);
    CHECK(memory.released == 1);
    content.pointers.clear();

    // Too many offers to one address.
    for (const std::string& path : content.paths)
        content.pointers.push_back(path.c_str());
    options = content.options();
    options.offers_at_once = 2;
    REQUIRE(fardel_pure_server_create(&options, &server, nullptr) == FARDEL_OK);
    Offer offer{};
    for (int i = 0; i < 2; ++i)
        CHECK(fardel_pure_server_offer(server, "a", "a", 1000, offer.data(), nullptr) == FARDEL_OK);
    CHECK(code_text(fardel_pure_server_offer(server, "a", "a", 1000, offer.data(), nullptr)) == "busy");
    CHECK(fardel_pure_server_offer(server, "b", "b", 1000, offer.data(), nullptr) == FARDEL_OK);
    fardel_pure_server_destroy(server);
    fardel_pure_server_destroy(nullptr);
}

// The content at `path`, or the name of the error.
std::string read_in_c(const fardel_vfs* vfs, const char* path) {
    fardel_file* file = nullptr;
    if (const fardel_code code = fardel_open(vfs, path, &file, nullptr); code != FARDEL_OK)
        return "<" + code_text(code) + ">";
    std::string content(fardel_file_size(file), '\0');
    CHECK(fardel_read_all(file, content.data(), content.size(), nullptr) == FARDEL_OK);
    fardel_close(file);
    return content;
}

TEST_CASE("C pure: a name gives no variant and no author's bundle that the policy does not allow") {
    auto by = AdmittedBy::key;
    SUBCASE("a key is admitted") {}
    SUBCASE("a role is admitted") { by = AdmittedBy::role; }
    const RestrictedContent content(by);
    fardel_vfs* vfs = nullptr;
    REQUIRE(fardel_vfs_create(nullptr, &vfs, nullptr) == FARDEL_OK);
    content.each([&](const Bytes& bundle, const TrustPolicy& trust, int priority) {
        const std::string text = trust.format();
        fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
        options.policy_text = text.c_str();
        options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
        options.priority = priority;
        REQUIRE(fardel_mount_memory(vfs, bundle.data(), bundle.size(), &options, nullptr, nullptr) == FARDEL_OK);
    });
    REQUIRE(fardel_prefer(vfs, "quality=see-through", nullptr) == FARDEL_OK);
    CHECK(read_in_c(vfs, "/wall") == "glass");
    CHECK(read_in_c(vfs, "/gfx/hud") == "stranger's hud");

    std::size_t count = 0;
    REQUIRE(fardel_enter_pure(vfs, content.policy().format().c_str(), &count, nullptr) == FARDEL_OK);
    CHECK(count == 2);
    CHECK(read_in_c(vfs, "/wall") == "solid");
    CHECK(read_in_c(vfs, "/window") == "<denied>");
    CHECK(read_in_c(vfs, "/gfx/hud") == "admitted hud");
    CHECK(read_in_c(vfs, "/gfx/good") == "good");
    CHECK(read_in_c(vfs, "/gfx/elsewhere") == "<missing>");
    CHECK(read_in_c(vfs, "/gfx/strange") == "<missing>");
    REQUIRE(fardel_prefer(vfs, "quality=see-through", nullptr) == FARDEL_OK);
    CHECK(read_in_c(vfs, "/wall") == "solid");

    fardel_leave_pure(vfs);
    CHECK(read_in_c(vfs, "/wall") == "glass");
    CHECK(read_in_c(vfs, "/gfx/strange") == "strange");
    fardel_vfs_destroy(vfs);
}

}  // namespace fardel::tests::c_pure_test
