// A client's connection to the sample's game server, on loopback.
#pragma once

#include "join_messages.h"

#include <fardel/base/result.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace join {

class Connection {
public:
    Connection() = default;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() {
        if (peer_ != nullptr)
            enet_peer_disconnect_now(peer_, 0);
        if (host_ != nullptr)
            enet_host_destroy(host_);
    }

    fardel::Status open(int port) {
        host_ = enet_initialize() == 0 ? enet_host_create(nullptr, 1, 1, 0, 0) : nullptr;
        ENetAddress address{};
        address.port = static_cast<enet_uint16>(port);
        enet_address_set_host_ip(&address, "127.0.0.1");
        peer_ = host_ != nullptr ? enet_host_connect(host_, &address, 1, 0) : nullptr;
        ENetEvent event;
        if (peer_ == nullptr || enet_host_service(host_, &event, 20'000) <= 0 || event.type != ENET_EVENT_TYPE_CONNECT)
            return fardel::Error(fardel::ErrorCode::unreachable, "the game server does not answer");
        enet_peer_timeout(peer_, 0, 5'000, 15'000);
        return fardel::ok();
    }

    template <class Bytes>
    void send(Message kind, const Bytes& bytes) {
        join::send(peer_, kind, bytes);
    }

    // The next message, which has to be of this kind.
    fardel::Result<std::vector<std::byte>> receive(Message wanted) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (std::chrono::steady_clock::now() < deadline) {
            ENetEvent event;
            if (enet_host_service(host_, &event, 100) <= 0)
                continue;
            if (event.type == ENET_EVENT_TYPE_DISCONNECT)
                return fardel::Error(fardel::ErrorCode::unreachable, "the game server closed the connection");
            if (event.type != ENET_EVENT_TYPE_RECEIVE)
                continue;
            Received message = take(event.packet);
            if (message.kind == Message::busy)
                return fardel::Error(fardel::ErrorCode::busy, std::string(text_of(message.bytes)));
            if (message.kind != wanted)
                return fardel::Error(fardel::ErrorCode::malformed, "the game server sent something else than expected");
            return std::move(message.bytes);
        }
        return fardel::Error(fardel::ErrorCode::unreachable, "the game server is silent");
    }

    // Lets ENet work while the game does something else.
    void service() { enet_host_flush(host_); }
    // The same between a game's frames. Returns whether the server is still there.
    bool lasts(std::uint32_t wait_ms) {
        ENetEvent event;
        while (enet_host_service(host_, &event, wait_ms) > 0) {
            if (event.type == ENET_EVENT_TYPE_DISCONNECT)
                return false;
            if (event.type == ENET_EVENT_TYPE_RECEIVE)
                enet_packet_destroy(event.packet);
        }
        return true;
    }
    std::string name() const { return name_of(*peer_); }

private:
    ENetHost* host_ = nullptr;
    ENetPeer* peer_ = nullptr;
};

}  // namespace join
