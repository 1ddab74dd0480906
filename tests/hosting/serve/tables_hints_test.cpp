// Questions for the tables of many bundles: what they save, and what hostile servers and clients get out of them.
#include <fardel/delivery/tables_question.h>
#include <fardel/delivery/tree_paths.h>
#include "delivery/served_bundle.h"
#include "serve/served_files.h"
#include "serve/tables_answers.h"

#include "kit/bundles.h"
#include "kit/nginx.h"
#include "kit/raw_connection.h"
#include "kit/serve_program.h"

#include <fardel/hosting/publish.h>

#include <functional>
#include <variant>

namespace fardel::tests::tables_hints_test {

std::string view_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A game that needs several bundles, each of which is small. The game is the last one.
std::vector<Bytes> make_closure(std::uint32_t parts) {
    std::vector<Bytes> bundles;
    std::vector<BundleId> needs;
    for (std::uint32_t i = 0; i < parts; ++i) {
        BundlePlan plan;
        add(plan, "part" + std::to_string(i) + ".bin", random_text(100 + i, 20'000), "application/octet-stream");
        bundles.push_back(written(plan));
        needs.push_back(bundle_id_of(bundles.back()));
    }
    bundles.push_back(game_version("1", needs));
    return bundles;
}

void check_all_stored(const BundleStore& store, const std::vector<Bytes>& bundles) {
    for (const Bytes& bytes : bundles)
        CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
    CHECK(value_of(store.check(true)).findings.empty());
}

AnsweredTables right_tables(const Bytes& bytes, const std::string& frame) {
    return {.bundle = bundle_id_of(bytes),
            .file_bytes = bytes.size(),
            .heads = std::span(bytes).first(8192),
            .tables = std::as_bytes(std::span(frame))};
}

std::string tables_frame_of(const Bytes& bytes) {
    const ScratchFolder scratch;
    value_of(publish_bundle(make_memory_source(bytes), scratch.path("tree")));
    return scratch.read("tree/" + tables_path_of(bundle_id_of(bytes)));
}

RawConnection::Answer ask_tables(const ServeProgram& server, std::string_view body,
                                 const std::string& more_headers = "") {
    RawConnection client(server.port());
    return client.ask("POST /tables HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
                      more_headers + "\r\n" + std::string(body));
}

TEST_CASE(
    "tables hints: a closure costs fewer requests from fardel serve, and ends with the same bytes as from nginx") {
    constexpr std::uint32_t kParts = 12;
    const std::vector<Bytes> bundles = make_closure(kParts);
    const BundleId game = bundle_id_of(bundles.back());
    const ScratchFolder scratch;
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    const BundleStore origin = make_store(scratch, "origin");
    for (const Bytes& bytes : bundles) {
        value_of(publish_bundle(make_memory_source(bytes), nginx.tree()));
        value_of(origin.add(make_memory_source(bytes)));
    }
    const BundleStore plain = make_store(scratch, "plain");
    const FetchSummary without = value_of(fetch_one(plain, game, fetching_from({nginx.url()})));
    check_all_stored(plain, bundles);
    for (const Arguments& arguments : {Arguments{nginx.tree()}, Arguments{"--store", scratch.path("origin")}}) {
        const ServeProgram server(arguments);
        const ScratchFolder other;
        const BundleStore store = make_store(other);
        const FetchSummary with = value_of(fetch_one(store, game, fetching_from({server.url()})));
        check_all_stored(store, bundles);
        CHECK(with.requests + 2 * kParts <= without.requests + 1);
        CHECK(with.received_bytes <= without.received_bytes + 16'384);
    }
}

TEST_CASE("tables hints: whatever a server answers, the same bytes arrive, after as much as without it") {  // A90
    const std::vector<Bytes> bundles = make_closure(4);
    const Bytes& part = bundles.front();
    const std::string frame = tables_frame_of(part);
    const auto answer_of = [](const AnsweredTables& tables) {
        TablesAnswer answer;
        REQUIRE(answer.add(tables));
        return view_of(answer.take());
    };
    Bytes other_head(part.begin(), part.begin() + 8192);
    other_head[100] ^= std::byte{1};
    Bytes other_layout(part.begin(), part.begin() + 8192);
    other_layout[4096 + 100] ^= std::byte{1};
    AnsweredTables size = right_tables(part, frame);
    size.file_bytes += 4096;
    AnsweredTables endless = right_tables(part, frame);
    endless.file_bytes = UINT64_MAX;
    AnsweredTables head = right_tables(part, frame);
    head.heads = other_head;
    AnsweredTables layout = right_tables(part, frame);
    layout.heads = other_layout;
    AnsweredTables foreign = right_tables(part, frame);
    foreign.bundle = bundle_id_of(bundles[1]);
    const std::string garbage = random_text(1, frame.size());
    std::string flipped = frame;
    flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
    const std::string foreign_frame = tables_frame_of(bundles[1]);
    const std::string right = answer_of(right_tables(part, frame));
    std::string many = right;
    many[12] = many[13] = many[14] = many[15] = '\xff';
    const std::pair<const char*, std::string> kAnswers[] = {
        {"right", right},
        {"nothing", ""},
        {"complete already", view_of(TablesAnswer().take())},
        {"no answer", "<html>log in</html>"},
        {"cut", right.substr(0, right.size() / 2)},
        {"too many", many},
        {"another size", answer_of(size)},
        {"an endless file", answer_of(endless)},
        {"another head", answer_of(head)},
        {"another layout head", answer_of(layout)},
        {"tables of another bundle", answer_of(foreign)},
        {"garbage", answer_of(right_tables(part, garbage))},
        {"a flipped bit", answer_of(right_tables(part, flipped))},
        {"a cut frame", answer_of(right_tables(part, frame.substr(0, frame.size() / 2)))},
        {"the frame of another bundle", answer_of(right_tables(part, foreign_frame))},
        {"no frame", answer_of(right_tables(part, ""))},
    };
    for (const auto& one : kAnswers) {
        CAPTURE(one.first);
        const std::string& answer = one.second;
        TreeServer server(bundles);
        server.answer_questions(http_answer("200 OK", answer, "Connection: close\r\n"));
        const ScratchFolder scratch;
        const BundleStore store = make_store(scratch);
        value_of(fetch_one(store, bundle_id_of(bundles.back()), fetching_from({server.url()})));
        check_all_stored(store, bundles);
        CHECK(server.questions() == 1);
    }
    for (const char* const status : {"404 Not Found", "405 No", "429 Busy", "500 Broken", "503 Busy", "302 Found"}) {
        CAPTURE(status);
        TreeServer server(bundles);
        server.answer_questions(http_answer(status, "no", "Location: http://127.0.0.1:1/\r\nConnection: close\r\n"));
        const ScratchFolder scratch;
        const BundleStore store = make_store(scratch);
        value_of(fetch_one(store, bundle_id_of(bundles.back()), fetching_from({server.url()})));
        check_all_stored(store, bundles);
        CHECK(server.questions() == 1);
    }
}

TEST_CASE("tables hints: a layout of a bundle that the tree does not have costs another attempt, and no failure") {
    BundlePlan plan;  // A90
    add(plan, "a.txt", std::string(100'000, 'a') + random_text(1, 100'000));
    const Bytes published = written(plan, {.level = 1, .jobs = 1});
    const Bytes claimed = written(plan, {.level = 19, .jobs = 1});
    REQUIRE(bundle_id_of(published) == bundle_id_of(claimed));
    std::vector<Bytes> bundles = make_closure(2);
    bundles.pop_back();
    bundles.push_back(published);
    std::vector<BundleId> needs;
    for (const Bytes& bytes : bundles)
        needs.push_back(bundle_id_of(bytes));
    bundles.push_back(game_version("1", needs));
    const std::string frame = tables_frame_of(claimed);
    TablesAnswer answer;
    REQUIRE(answer.add(right_tables(claimed, frame)));
    TreeServer server(bundles);
    server.answer_questions(http_answer("200 OK", view_of(answer.take()), "Connection: close\r\n"));
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    value_of(fetch_one(store, bundle_id_of(bundles.back()), fetching_from({server.url()})));
    check_all_stored(store, bundles);
}

TEST_CASE("serve tables: questions that are too large, wrong, compressed or without a size are refused") {  // A91
    const std::vector<Bytes> bundles = make_closure(2);
    const ScratchFolder scratch;
    for (const Bytes& bytes : bundles)
        value_of(publish_bundle(make_memory_source(bytes), scratch.path("tree")));
    const ServeProgram server({scratch.path("tree")});
    const BundleId one = filled_id<BundleId>(1);
    const BundleId two = filled_id<BundleId>(2);
    CHECK(ask_tables(server, "").status == 400);
    CHECK(ask_tables(server, random_text(1, 5000)).status == 400);
    CHECK(ask_tables(server, view_of(encode_question({.wanted = {two, one}, .held = {}}))).status == 400);
    CHECK(ask_tables(server, view_of(encode_question({.wanted = {one, one}, .held = {}}))).status == 400);
    CHECK(ask_tables(server, std::string("\x1f\x8b\x08") + random_text(2, 3000), "Content-Encoding: gzip\r\n").status ==
          400);
    std::vector<BundleId> many(1'000'000);
    for (std::size_t i = 0; i < many.size(); ++i)
        for (int byte = 0; byte < 4; ++byte)
            many[i].bytes[static_cast<std::size_t>(byte)] = static_cast<std::uint8_t>(i >> (24 - 8 * byte));
    RawConnection bomb(server.port());
    CHECK(bomb.ask("POST /tables HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: " +
                   std::to_string(20 + 32 * many.size()) + "\r\n\r\n")
              .status == 413);
    RawConnection chunked(server.port());
    CHECK(chunked.ask("POST /tables HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").status == 411);
    RawConnection got(server.port());
    CHECK(got.ask(get_request("/tables")).status == 405);
    // As many ids as are allowed are answered soon.
    many.resize(kWantedMax);
    const auto start = std::chrono::steady_clock::now();
    const auto answer = ask_tables(server, view_of(encode_question({.wanted = many, .held = {}})));
    CHECK(answer.status == 200);
    CHECK(answer.body.size() == 16);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
}

// A question that a server has begun to answer, and its status.
class Asked {
public:
    Asked(TablesAnswers& answers, std::string_view peer, std::span<const std::byte> question,
          std::string_view client = "") {
        const std::string length = std::to_string(question.size());
        auto begun = answers.begin(
            {.method = "POST", .target = "/tables", .peer = peer, .client = client, .header = [&](const char* name) {
                 return name == std::string_view("Content-Length") ? std::string_view(length) : std::string_view();
             }});
        if (auto* const refused = std::get_if<ServerAnswer>(&begun)) {
            status_ = refused->status;
            return;
        }
        receiver_ = std::move(std::get<std::unique_ptr<BodyReceiver>>(begun));
        CHECK_FALSE(receiver_->take(question));
    }
    unsigned status() { return receiver_ ? receiver_->finish().status : status_; }

private:
    std::unique_ptr<BodyReceiver> receiver_;
    unsigned status_ = 0;
};

TEST_CASE("serve tables: a client that asks again and again is refused, and others fetch files") {  // A91
    const std::vector<Bytes> bundles = make_closure(30);
    const ScratchFolder scratch;
    for (const Bytes& bytes : bundles)
        value_of(publish_bundle(make_memory_source(bytes), scratch.path("tree")));
    const auto files = value_of(serve_folder(scratch.path("tree")));
    const Bytes question = encode_question({.wanted = {bundle_id_of(bundles.back())}, .held = {}});
    TablesAnswers answers(*files, [](const TablesQuestion&, std::string_view) {},
                          {.bytes_max = 4u << 20, .bytes_per_second = 0, .questions_max = 3});
    const auto status_for = [&](std::string_view peer) { return Asked(answers, peer, question).status(); };
    int answered = 0;
    while (answered < 100 && status_for("192.0.2.1") == 200)
        ++answered;
    CHECK(answered > 4);  // each is some 300 kB
    CHECK(answered < 20);
    for (int i = 0; i < 10; ++i)
        CHECK(status_for("192.0.2.1") == 429);
    CHECK(status_for("192.0.2.2") == 200);
    {
        std::vector<Asked> open;
        open.reserve(4);
        for (int i = 0; i < 3; ++i)
            open.emplace_back(answers, "192.0.2.2", question);
        CHECK(status_for("192.0.2.2") == 503);
        CHECK(open.front().status() == 200);
    }
    CHECK(status_for("192.0.2.2") == 200);

    TreeServer server(bundles);
    server.answer_questions(http_answer("429 Too Many Requests", "too many questions"));
    const BundleStore store = make_store(scratch);
    value_of(fetch_one(store, bundle_id_of(bundles.back()), fetching_from({server.url()})));
    CHECK(server.questions() == 1);
    check_all_stored(store, bundles);
}

TEST_CASE("serve tables: questions of one client that do not end leave room for those of others") {  // A91
    const Bytes bytes = game_version("1");
    const ScratchFolder scratch;
    value_of(publish_bundle(make_memory_source(bytes), scratch.path("tree")));
    const auto files = value_of(serve_folder(scratch.path("tree")));
    const Bytes question = encode_question({.wanted = {bundle_id_of(bytes)}, .held = {}});
    TablesAnswers answers(*files, [](const TablesQuestion&, std::string_view) {},
                          {.questions_max = 5, .questions_of_client_max = 3});
    const auto ask = [&](std::string_view client) { return Asked(answers, client, question, client); };
    std::vector<Asked> open;
    open.reserve(5);
    for (int i = 0; i < 3; ++i)
        open.push_back(ask("192.0.2.1"));
    CHECK(ask("192.0.2.1").status() == 503);
    CHECK(ask("192.0.2.2").status() == 200);
    open.push_back(ask("192.0.2.3"));
    open.push_back(ask(""));  // behind a proxy on this machine
    CHECK(ask("192.0.2.2").status() == 503);
    CHECK(ask("").status() == 503);
    open.erase(open.begin());
    CHECK(ask("192.0.2.1").status() == 200);
    CHECK(ask("192.0.2.2").status() == 200);
}

TEST_CASE("serve tables: what is not served is answered like what does not exist") {  // A92
    const ScratchFolder scratch;
    const Bytes hidden = game_version("hidden");
    const BundleStore store = make_store(scratch);
    {
        const TreeServer origin({hidden});
        FetchOptions options = fetching_from({origin.url()});
        options.consent = [](const FetchPlan&) { return Status(Error(ErrorCode::cancelled, "later")); };
        REQUIRE_FALSE(fetch_one(store, bundle_id_of(hidden), options));
    }
    const Bytes shown = game_version("shown");
    value_of(store.add(make_memory_source(shown)));
    const ServeProgram server({"--store", scratch.path("store")});
    const auto answer_to = [&](const BundleId& id) {
        return ask_tables(server, view_of(encode_question({.wanted = {id}, .held = {}}))).body;
    };
    CHECK(answer_to(bundle_id_of(shown)).size() > 8192);
    CHECK(answer_to(bundle_id_of(hidden)) == answer_to(filled_id<BundleId>(9)));
    // What a client claims to have tells it nothing about the server either.
    const auto holding = [&](const BundleId& held) {
        return ask_tables(server, view_of(encode_question({.wanted = {filled_id<BundleId>(9)}, .held = {held}}))).body;
    };
    CHECK(holding(bundle_id_of(hidden)) == holding(filled_id<BundleId>(8)));
}

}  // namespace fardel::tests::tables_hints_test
