// What the sample's server and client say to each other over ENet: one byte that says what it is, then its bytes. All
// packets are reliable, so they arrive once and in order.
#pragma once

#include <enet/enet.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace join {

enum class Message : char {
    hello = 'h',    // client: may I join?
    policy = 'p',   // server: the text of its pure policy
    offer = 'o',    // server: a PureOffer
    report = 'r',   // client: the text of its PureReport
    answer = 'a',   // client: a PureAnswer; what it means is in the report before it
    verdict = 'v',  // server: a PureVerdict
    level = 'l',    // server: the names of the level's files, one per line
    busy = 'b',     // server: not now
};
inline constexpr std::size_t kPacketBytesMax = 9u << 20;

inline std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline void send(ENetPeer* peer, Message kind, std::span<const std::byte> bytes) {
    ENetPacket* const packet = enet_packet_create(nullptr, bytes.size() + 1, ENET_PACKET_FLAG_RELIABLE);
    packet->data[0] = static_cast<enet_uint8>(kind);
    if (!bytes.empty())
        std::memcpy(packet->data + 1, bytes.data(), bytes.size());
    if (enet_peer_send(peer, 0, packet) != 0)
        enet_packet_destroy(packet);
}
inline void send(ENetPeer* peer, Message kind, std::string_view text = {}) {
    send(peer, kind, std::as_bytes(std::span(text)));
}

struct Received {
    Message kind;
    std::vector<std::byte> bytes;
};

// Takes the packet over.
inline Received take(ENetPacket* packet) {
    const auto bytes = std::as_bytes(std::span(packet->data, packet->dataLength));
    Received received{Message{}, {}};
    if (!bytes.empty() && bytes.size() <= kPacketBytesMax) {
        received.kind = static_cast<Message>(bytes[0]);
        received.bytes.assign(bytes.begin() + 1, bytes.end());
    }
    enet_packet_destroy(packet);
    return received;
}

// Both sides know this number of their connection.
inline std::string name_of(const ENetPeer& peer) { return "enet/" + std::to_string(peer.connectID); }

}  // namespace join
