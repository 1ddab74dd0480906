// Server: serves a static tree of bundles, or the bundles of a store, over HTTP. docs/serving.md is its manual.
//
// Clients are untrusted, and whatever they send meets a limit. They need not trust the server either: they compare
// every byte with the bundle id. It speaks no TLS; a reverse proxy does.
#pragma once

#include <fardel/base/network_address.h>
#include <fardel/base/result.h>
#include <fardel/base/socket.h>
#include <fardel/format/trust_policy.h>
#include <fardel/hosting/live_bundle.h>
#include <fardel/hosting/registry.h>
#include <fardel/store/bundle_store.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

struct ServerLimits {
    std::size_t connections_max = 8192;  // at that number, one that waits or is slow is ended for a new one
    std::optional<std::size_t> connections_per_address;  // 0: no limit; nothing: 64, and no limit on this machine
    std::chrono::seconds request_timeout{20};            // until the headers of the next request are complete
    std::chrono::seconds rate_window{30};                // a transfer of less than 30 kB in it is ended
};

struct UploadOptions {
    std::string tokens_path;              // docs/serving.md describes the file; empty with a registry
    const TrustPolicy* policy = nullptr;  // a bundle that it does not trust is refused; nullptr: any bundle
    std::uint64_t tree_bytes_max = 0;     // of the bundle files in the tree; 0: no limit
    std::uint64_t file_bytes_max = 0;     // of one file; 0: the server's own limit
};

struct ServerOptions {
    std::string tree;                     // the folder to serve; or else
    const BundleStore* store = nullptr;   // the bundles of a store, which outlives the server
    const LiveBundle* project = nullptr;  // the roots of a project, also beside a store; it outlives the server
    std::string cache;                    // the folder of a derived-data cache, beside these or alone; empty: none
    std::uint64_t delta_bytes_max = 0;    // of deltas that the server makes for its tree; 0: it makes none
    std::vector<ListenAddress> addresses;
    std::vector<Descriptor> passed_sockets;  // that listen already; then `addresses` may be empty
    std::optional<ListenAddress> metrics_address;
    std::string access_log;  // the path of a file; "-": standard output; empty: none
    bool logs_json = false;
    ServerLimits limits;
    // Proxies that say which client a request comes from, and in which header. Everybody else's header is not read.
    std::vector<AddressRange> trusted_proxies;
    std::string client_header = "X-Forwarded-For";
    std::optional<UploadOptions> uploads;  // into the tree and the cache; nothing: none are accepted
    Registry* registry = nullptr;  // of `tree`: authors upload and recall, pages are shown; it outlives the server
};

class Server {
public:
    // Whether Fardel serves on this system at all. Error: unsupported.
    static Status verify_system();
    // Listens when it returns. Errors: missing (libmicrohttpd, or the tree), unsupported, conflict (another program
    // listens there), denied, malformed, limit, io.
    static Result<std::unique_ptr<Server>> start(ServerOptions options);
    ~Server();  // ends all connections

    const std::vector<ListenAddress>& addresses() const noexcept;
    const std::optional<ListenAddress>& metrics_address() const noexcept;

    // Accepts no connections from now on, and waits until running requests have ended, at most so long.
    void drain(std::chrono::milliseconds longest);

private:
    struct Impl;
    explicit Server(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
