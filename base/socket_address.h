// SystemAddress: an address of a socket as the system takes it, for socket_posix.cpp and socket_windows.cpp.
#pragma once

#include "network_headers.h"

#include <fardel/base/socket.h>

#include <utility>

namespace fardel {

struct SystemAddress {
    sockaddr_storage bytes{};
    socklen_t size = sizeof(sockaddr_storage);

    sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&bytes); }
    const sockaddr_in* find_v4() const noexcept {
        return bytes.ss_family == AF_INET ? reinterpret_cast<const sockaddr_in*>(&bytes) : nullptr;
    }
    const sockaddr_in6* find_v6() const noexcept {
        return bytes.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&bytes) : nullptr;
    }
};

// Error: malformed (not a numeric address).
Result<SystemAddress> system_address(const ListenAddress& address);
ListenAddress listen_address(const SystemAddress& system);
AcceptedConnection accepted_connection(Descriptor socket, const SystemAddress& peer);

}  // namespace fardel
