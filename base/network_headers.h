// The system's headers for addresses and sockets.
#pragma once

#ifdef _WIN32
#include "system_call_windows.h"

#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#endif

namespace fardel {

// Before the first socket. Windows has to load its library for them.
inline void prepare_sockets() noexcept {
#ifdef _WIN32
    static const int prepared = [] {
        WSADATA about;
        return ::WSAStartup(MAKEWORD(2, 2), &about);
    }();
    static_cast<void>(prepared);
#endif
}

}  // namespace fardel
