// HttpDaemon: accepts connections, speaks HTTP on them through libmicrohttpd, and keeps the limits of a
// ConnectionTable.
#pragma once

#include "serve/connection_table.h"
#include "serve/server_answer.h"
#include "serve/trusted_proxies.h"

#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>

#include <chrono>
#include <memory>
#include <vector>

namespace fardel {

inline constexpr std::size_t kRequestHeadBytesMax = 16u << 10;  // more is answered with 431 or 414

class HttpDaemon {
public:
    // The handler outlives the object. Error: missing (libmicrohttpd is not installed).
    static Result<std::unique_ptr<HttpDaemon>> open(std::vector<Descriptor> listeners, const ConnectionLimits& limits,
                                                    RequestHandler& handler, TrustedProxies proxies = {});
    ~HttpDaemon();  // ends all connections

    // Accepts connections from now on: the handler may be called before this returns. Call it once. Error: limit (the
    // system gives no more threads or memory).
    Status start();
    // Accepts nothing from now on, and waits until running requests have ended, at most so long.
    void drain(std::chrono::milliseconds longest);
    ConnectionCounts counts() const;

private:
    struct Impl;
    explicit HttpDaemon(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
