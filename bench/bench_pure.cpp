// Pure mode: what a server pays for an epoch and for a verdict, and how long clients wait that all join at once.
#include "sections.h"
#include "stopwatch.h"

#include <fardel/base/random.h>
#include <fardel/format/bundle.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/name.h>
#include <fardel/format/unpacked_bundle.h>
#include <fardel/vfs/mount.h>
#include <fardel/vfs/pure_check.h>
#include <fardel/vfs/vfs.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <thread>

namespace fardel::bench {
namespace {

constexpr std::size_t kAnswers = 20'000;
constexpr std::size_t kClients = 1'000;
constexpr std::size_t kClientThreads = 8;
constexpr int kPatience_ms = 200;  // then a client sends again, as netcode over UDP does
constexpr PureServerOptions unlimited() {
    return {.offers_per_minute = 1'000'000, .offers_at_once = 1'000'000, .offers_max = 1u << 20};
}

Hash random_hash() {
    Hash hash;
    fill_random(std::as_writable_bytes(std::span(hash.bytes)));
    return hash;
}

std::string client_name(std::size_t number) { return fmt::format("203.0.113.7:{}", number); }

// What server and clients have in common.
struct Game {
    std::vector<std::shared_ptr<const Bundle>> bundles;
    std::optional<PurePolicy> policy;

    PureServer serve() const { return must(PureServer::create(*policy, bundles, unlimited())); }
    PureAnswer answer(const PureOffer& offer, const std::string& client) const {
        return must(answer_pure_offer(offer, *policy, bundles, {}, client, {})).answer;
    }
};

Game open_game(const Scene& scene) {
    Game game;
    const auto bundle = must(open_pure_bundle(must(open_file_source(scene.bundle)), "game"));
    game.bundles.push_back(bundle);
    PureRules rules;
    rules.bundles.push_back({bundle->id(), CaseRule::exact, "", "game"});
    rules.unsigned_allowed = true;
    game.policy = must(PurePolicy::make(std::move(rules)));
    return game;
}

void measure_verdicts(const Game& game, Table& table) {
    PureServer server = game.serve();
    const double epoch_s = best_seconds(5, [&] { (void)must(server.begin_epoch(random_hash())); });
    table.add({.work = "begin an epoch, 64 pieces", .ours = epoch_s * 1e3, .unit = "ms", .peer_name = "none"});
    // One client computes what costs reads; the others' answers are about the same content.
    std::vector<PureOffer> offers;
    const double offer_s = best_seconds(1, [&] {
        for (std::size_t i = 0; i < kAnswers; ++i)
            offers.push_back(must(server.offer(random_hash(), client_name(i), client_name(i), {1000})));
    });
    table.add({.work = "make an offer", .ours = offer_s / kAnswers * 1e6, .unit = "µs", .peer_name = "none"});
    std::vector<PureAnswer> answers;
    const std::size_t honest = 200;
    const double answer_s = best_seconds(1, [&] {
        for (std::size_t i = 0; i < honest; ++i)
            answers.push_back(game.answer(offers[i], client_name(i)));
    });
    table.add({.work = "a client's answer", .ours = answer_s / honest * 1e3, .unit = "ms", .peer_name = "none"});
    for (std::size_t i = honest; i < kAnswers; ++i) {  // right but for their proof, which is found last
        PureAnswer wrong = answers[0];
        wrong.nonce = offers[i].nonce;
        wrong.connection = hash_connection(client_name(i));
        answers.push_back(wrong);
    }
    std::size_t welcome = 0;
    const double verdict_s = best_seconds(1, [&] {
        for (std::size_t i = 0; i < kAnswers; ++i)
            welcome += server.check(answers[i], client_name(i), nullptr, {1001}).welcome() ? 1 : 0;
    });
    if (welcome != honest)
        std::abort();
    table.add({.work = "verdicts, one thread",
               .ours = kAnswers / verdict_s,
               .unit = "1/s",
               .more_is_better = true,
               .peer_name = "none",
               .target = "≥ 10,000"});
}

// ---- Many bundles ---------------------------------------------------------------------------------------------------

// What pure mode costs with as many bundles; each has one asset of 4 KiB.
void measure_bundles(std::size_t count, Table& table) {
    Game game;
    PureRules rules;
    rules.unsigned_allowed = true;
    MountChange change;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string name = fmt::format("maps/made-up-{}", i);
        std::vector<std::byte> bytes(4096);
        fill_random(bytes);
        BundlePlan plan;
        plan.assets.push_back({.source = make_memory_blob(std::move(bytes)), .key = name, .content_type = ""});
        plan.names.push_back({.name = must(AssetName::parse(name)), .variants = {{.asset = 0}}});
        const auto source = must(make_unpacked_source(plan, {.jobs = 1}));
        game.bundles.push_back(must(open_pure_bundle(source, name)));
        rules.bundles.push_back({game.bundles.back()->id(), CaseRule::exact, "", name});
        change.mount.push_back({.subject = source, .options = {.allow_unsigned = true}});
    }
    game.policy = must(PurePolicy::make(std::move(rules)));
    Vfs vfs;
    const auto add = [&](std::string_view work, double seconds) {
        table.add({.work = fmt::format("{} bundles: {}", count, work),
                   .ours = seconds * 1e3,
                   .unit = "ms",
                   .peer_name = "none"});
    };
    add("mount them in one change", best_seconds(1, [&] { (void)must(vfs.apply(change)); }));
    add("enter pure mode", best_seconds(5, [&] { (void)vfs.enter_pure(*game.policy); }));
    PureServer server = game.serve();
    add("begin an epoch", best_seconds(5, [&] { (void)must(server.begin_epoch(random_hash())); }));
    const PureOffer offer = must(server.offer(random_hash(), "client", "client", {1000}));
    std::optional<PureReply> reply;
    add("a client's answer", best_seconds(5, [&] { reply = must(vfs.answer_pure(offer, {}, "client", {})); }));
    if (!server.check(reply->answer, "client", &reply->report, {1001}).welcome())
        std::abort();
}

// ---- Clients over UDP -----------------------------------------------------------------------------------------------

// A socket on loopback, closed at the end.
class Socket {
public:
    Socket() : fd_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in any{};
        any.sin_family = AF_INET;
        any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (fd_ < 0 || bind(fd_, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0)
            std::abort();
    }
    ~Socket() { close(fd_); }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    sockaddr_in address() const {
        sockaddr_in own{};
        socklen_t size = sizeof own;
        if (getsockname(fd_, reinterpret_cast<sockaddr*>(&own), &size) != 0)
            std::abort();
        return own;
    }
    void send(std::span<const std::byte> bytes, const sockaddr_in& to) const {
        (void)sendto(fd_, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    }
    // Returns nothing when the time is over.
    std::optional<std::vector<std::byte>> receive(int timeout_ms, sockaddr_in* from = nullptr) const {
        pollfd ready{.fd = fd_, .events = POLLIN, .revents = 0};
        if (poll(&ready, 1, timeout_ms) != 1)
            return std::nullopt;
        std::vector<std::byte> bytes(2048);
        sockaddr_in sender{};
        socklen_t size = sizeof sender;
        const ssize_t got = recvfrom(fd_, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&sender), &size);
        bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (from != nullptr)
            *from = sender;
        return bytes;
    }

private:
    int fd_;
};

std::string name_of(const sockaddr_in& address) { return fmt::format("127.0.0.1:{}", ntohs(address.sin_port)); }

// Answers questions for offers (one byte) and answers, until it is asked to stop. Returns its own seconds of work.
double serve(PureServer& server, const Socket& socket, const std::atomic<bool>& stop) {
    std::chrono::duration<double> worked{0};
    while (!stop) {
        sockaddr_in from{};
        const auto message = socket.receive(20, &from);
        if (!message)
            continue;
        const auto begin = std::chrono::steady_clock::now();
        const std::string client = name_of(from);
        if (message->size() == 1) {
            socket.send(must(encode_pure_offer(must(server.offer(random_hash(), client, client, {1000})))), from);
        } else if (const auto answer = decode_pure_answer(*message)) {
            const PureVerdict verdict = server.check(*answer, client, nullptr, {1001});
            if (!verdict.has(PureRefusal::replayed))  // of an answer that was sent twice
                socket.send(encode_pure_verdict(verdict), from);
        }
        worked += std::chrono::steady_clock::now() - begin;
    }
    return worked.count();
}

// One client from its first byte to the server's verdict: seconds. A lost message means another try from the start.
double join(const Game& game, const sockaddr_in& server) {
    const Socket socket;
    const std::string own_name = name_of(socket.address());
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
        socket.send(std::array{std::byte{'j'}}, server);
        const auto offered = socket.receive(kPatience_ms);
        const auto offer = offered ? decode_pure_offer(*offered) : Result<PureOffer>(Error(ErrorCode::missing, ""));
        if (!offer)
            continue;
        socket.send(encode_pure_answer(game.answer(*offer, own_name)), server);
        const auto judged = socket.receive(kPatience_ms);
        const auto verdict = judged ? decode_pure_verdict(*judged) : Result<PureVerdict>(Error(ErrorCode::missing, ""));
        if (verdict && verdict->welcome())
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
}

void measure_joins(const Game& game, Table& table) {
    PureServer server = game.serve();
    (void)must(server.begin_epoch(random_hash()));
    const Socket socket;
    std::atomic<bool> stop = false;
    double server_s = 0;
    std::jthread serving([&] { server_s = serve(server, socket, stop); });
    std::vector<double> waits(kClients);
    std::atomic<std::size_t> next = 0;
    const auto begin = std::chrono::steady_clock::now();
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < kClientThreads; ++i)
            threads.emplace_back([&] {
                for (std::size_t client = next++; client < kClients; client = next++) {
                    join(game, socket.address());
                    waits[client] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
                }
            });
    }
    stop = true;
    serving.join();
    std::ranges::sort(waits);
    const auto add = [&](std::string work, double seconds) {
        table.add({.work = std::move(work), .ours = seconds * 1e3, .unit = "ms", .peer_name = "none"});
    };
    add("1,000 clients at once, on the same cores: half are welcome after", waits[kClients / 2]);
    add("all are welcome after", waits.back());
    add("the server's own work for all of them", server_s);
}

}  // namespace

void bench_pure(const Scene& scene, Table& table) {
    table.heading("pure mode");
    const Game game = open_game(scene);
    measure_verdicts(game, table);
    measure_joins(game, table);
    for (const std::size_t count : {1u, 1'000u, 10'000u})
        measure_bundles(count, table);
}

}  // namespace fardel::bench
