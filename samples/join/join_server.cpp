// A game server in pure mode: it lets clients play that have the same content, and says to all others what is wrong.
//
//     sample_join_server PORT POLICY LEVEL URL BUNDLE...
//
// PORT: of the game, on loopback; 0 takes a free one. POLICY: a file of `fardel pure policy`. LEVEL: the names of the
// files that clients load, one per line. URL: where they can get bundles. BUNDLE: the server's own copies.
#include "join_messages.h"

#include <fardel/format/byte_source.h>
#include <fardel/vfs/pure_check.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kEpoch{30};

std::string read_text(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

fardel::Hash random_hash() {
    std::random_device random;  // the system's random bytes
    fardel::Hash hash;
    for (auto& byte : hash.bytes)
        byte = static_cast<std::uint8_t>(random());
    return hash;
}

fardel::UnixTime now() { return {static_cast<std::uint64_t>(std::time(nullptr))}; }

std::string address_of(const ENetPeer& peer) {
    char text[64] = {};
    enet_address_get_host_ip(&peer.address, text, sizeof text - 1);
    return text;
}

class GameServer {
public:
    GameServer(fardel::PureServer pure, std::string policy, std::string level)
        : pure_(std::move(pure)), policy_(std::move(policy)), level_(std::move(level)) {}

    fardel::Status begin_epoch() {
        next_epoch_ = Clock::now() + kEpoch;
        return pure_.begin_epoch(random_hash());
    }

    // Once per frame. An epoch reads some MiB; a server that cannot afford that begins it on another thread.
    void tick() {
        if (Clock::now() < next_epoch_)
            return;
        if (const auto status = begin_epoch(); !status)
            std::fprintf(stderr, "%s\n", status.error().text().c_str());  // the epoch before it goes on
    }

    void forget(ENetPeer* peer) { reports_.erase(peer); }

    void receive(ENetPeer* peer, const join::Received& message) {
        switch (message.kind) {
            case join::Message::hello: return offer(peer);
            case join::Message::report: reports_[peer] = join::text_of(message.bytes); return;
            case join::Message::answer: return judge(peer, message.bytes);
            default: enet_peer_disconnect(peer, 0);  // no client of this game
        }
    }

private:
    void offer(ENetPeer* peer) {
        const auto offer = pure_.offer(random_hash(), address_of(*peer), join::name_of(*peer), now());
        const auto bytes = offer ? encode_pure_offer(*offer) : offer.error();
        if (!bytes)
            return join::send(peer, join::Message::busy, bytes.error().text());
        join::send(peer, join::Message::policy, policy_);
        join::send(peer, join::Message::offer, *bytes);
    }

    void judge(ENetPeer* peer, std::span<const std::byte> bytes) {
        const auto answer = fardel::decode_pure_answer(bytes);
        const auto report = fardel::PureReport::parse(reports_[peer]);
        if (!answer || !report)
            return enet_peer_disconnect(peer, 0);
        const fardel::PureVerdict verdict = pure_.check(*answer, join::name_of(*peer), &*report, now());
        std::printf("%s: %s\n", join::name_of(*peer).c_str(), verdict.welcome() ? "welcome" : "refused");
        for (const auto& refusal : refusal_texts(verdict))
            std::printf("  %s\n", std::string(refusal.word).c_str());
        for (const auto& problem : report->problems())
            std::printf("  %s: %s\n", std::string(pure_fault_text(problem.fault)).c_str(), problem.name.c_str());
        std::fflush(stdout);
        join::send(peer, join::Message::verdict, encode_pure_verdict(verdict));
        if (verdict.welcome())
            join::send(peer, join::Message::level, level_);
    }

    fardel::PureServer pure_;
    const std::string policy_;
    const std::string level_;
    std::map<ENetPeer*, std::string> reports_;  // that came before their answers
    Clock::time_point next_epoch_;
};

fardel::Result<GameServer> make_server(int argc, char** argv) {
    std::string text = read_text(argv[2]);
    FARDEL_TRY_ASSIGN(fardel::PurePolicy policy, fardel::PurePolicy::parse(text));
    std::vector<std::shared_ptr<const fardel::Bundle>> bundles;
    for (int i = 5; i < argc; ++i) {
        FARDEL_TRY_ASSIGN(auto source, fardel::open_file_source(argv[i]));
        FARDEL_TRY_ASSIGN(auto bundle, fardel::open_pure_bundle(std::move(source), argv[i]));
        bundles.push_back(std::move(bundle));
    }
    fardel::PureServerOptions options{.sources = {argv[4]}};
    options.offers_at_once = 64;  // to one address: a party whose players share a router, and each may ask twice
    FARDEL_TRY_ASSIGN(fardel::PureServer pure,
                      fardel::PureServer::create(std::move(policy), bundles, std::move(options)));
    GameServer server(std::move(pure), std::move(text), read_text(argv[3]));
    FARDEL_TRY(server.begin_epoch());
    return server;
}

void run(GameServer& server, ENetHost& host) {
    for (;;) {
        server.tick();
        ENetEvent event;
        while (enet_host_service(&host, &event, 10) > 0) {
            if (event.type == ENET_EVENT_TYPE_CONNECT)
                enet_peer_timeout(event.peer, 0, 30'000, 60'000);  // it is silent while it checks its bundles
            else if (event.type == ENET_EVENT_TYPE_RECEIVE)
                server.receive(event.peer, join::take(event.packet));
            else if (event.type == ENET_EVENT_TYPE_DISCONNECT)
                server.forget(event.peer);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 6)
        return 2;
    auto server = make_server(argc, argv);
    if (!server) {
        std::fprintf(stderr, "%s\n", server.error().text().c_str());
        return 1;
    }
    ENetAddress address{};
    address.port = static_cast<enet_uint16>(std::atoi(argv[1]));
    enet_address_set_host_ip(&address, "127.0.0.1");
    ENetHost* const host = enet_initialize() == 0 ? enet_host_create(&address, 64, 1, 0, 0) : nullptr;
    if (host == nullptr) {
        std::fprintf(stderr, "cannot listen on port %s\n", argv[1]);
        return 1;
    }
    enet_socket_get_address(host->socket, &address);
    std::printf("listening on port %u\n", address.port);
    std::fflush(stdout);
    run(*server, *host);
}
