// RemoteBundle: a bundle that is read from servers while it is used, as engines and `fardel mount --from` do.
//
// Heads, pages of tables and blocks come by range when they are first read. Each is compared with a hash that follows
// from the bundle id before anybody gets it, and is kept in the store below incoming/: a later RemoteBundle, also
// without a server, and a fetch go on from there. docs/streaming.md describes it.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/format/trust_policy.h>
#include <fardel/http/server_list.h>
#include <fardel/store/bundle_store.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace fardel {

class Bundle;
class RemoteFile;
struct HeldElsewhere;
class ServerQueue;
struct RangeClientOptions;
struct TracedAsset;

struct RemoteOptions {
    ServerList servers;  // static trees with the same bundles; what fails at one is requested from the next
    unsigned connections = 6;
    std::uint64_t bytes_per_second_max = 0;  // of all connections together; 0: no limit
    std::chrono::milliseconds connect_timeout{10'000};
    std::chrono::seconds stall_timeout{10};  // for less than 1 kB/s
    unsigned attempts_max = 3;               // of one range
};

struct RemoteCounts {
    std::uint64_t received_bytes = 0;
    std::uint64_t requests = 0;
};

// The connection to the servers, for any number of bundles: one thread, which starts with the first request. Any thread
// may call any function. Bundles and their sources may outlive it: they then read only what is here.
class RemoteServers {
public:
    // Errors: malformed (a URL; no tree; a host of the rule), missing (libcurl is not installed).
    static Result<RemoteServers> open(const RemoteOptions& options);
    ~RemoteServers();  // close()
    RemoteServers(RemoteServers&&) noexcept;
    RemoteServers& operator=(RemoteServers&&) = delete;

    // Ends all requests: reads that wait for a server, and all later ones of what is not here, return `cancelled`. Call
    // it before unmounting, so that no thread waits.
    void close();
    // Ends the thread until the next request, for a program that will fork. Nobody may wait for a read.
    void pause();
    RemoteCounts counts() const;

private:
    friend class RemoteBundle;
    friend class TraceReadAhead;
    friend class RemoteProject;
    RemoteServers(std::shared_ptr<ServerQueue> queue, std::vector<std::string> trees,
                  std::shared_ptr<const RangeClientOptions> connections);
    std::shared_ptr<ServerQueue> queue_;
    std::vector<std::string> trees_;
    std::shared_ptr<const RangeClientOptions> connections_;
};

// Any thread may call any function.
class RemoteBundle {
public:
    // Needs no server if an earlier one, or a fetch, has left the heads in the store. With a policy, a bundle that it
    // does not trust is refused. Errors: those of the servers (unreachable, missing, …), Bundle::open
    // and IncomingBundle::open, except busy: if another program is fetching the bundle, or reading it from a server,
    // nothing is kept.
    // Blocks that other bundles in the store or the library have are not requested.
    static Result<std::shared_ptr<const RemoteBundle>> open(
        const BundleStore& store, const RemoteServers& servers, const BundleId& bundle,
        const TrustPolicy* policy = nullptr, const TrustTime& time = {},
        const std::shared_ptr<const BundleLibrary>& library = nullptr);
    ~RemoteBundle();
    RemoteBundle(const RemoteBundle&) = delete;
    RemoteBundle& operator=(const RemoteBundle&) = delete;

    const BundleId& id() const noexcept;
    // For Vfs::mount. It stays valid without this object. Reading what is not here waits for a server; errors:
    // unreachable, corrupt, denied, busy, cancelled.
    std::shared_ptr<const ByteSource> source() const;
    // Returns the ids of the bundles that its static references lead into.
    Result<std::vector<BundleId>> dependencies() const;

    // Requests the content of assets that is not here, behind everything that somebody waits for; greater priorities
    // first. Reads the tables that it needs, and returns when all is requested. What fails is requested again when it
    // is read. Errors: missing (the bundle has no such asset), those of reading.
    Status want(std::span<const AssetId> assets, std::int32_t priority) const;
    // Whether all content of the asset is here. Errors: as want().
    Result<bool> is_here(const AssetId& asset) const;

    // Why what is read is not kept in the store: busy, no_space, …; nothing: it is.
    std::optional<Error> why_not_kept() const;

private:
    friend class TraceReadAhead;
    Status follow(const std::vector<TracedAsset>& trace, const std::stop_token& stop) const;
    static Result<std::shared_ptr<const RemoteBundle>> open_beside(const HeldElsewhere& elsewhere,
                                                                   const BundleStore& store,
                                                                   const RemoteServers& servers, const BundleId& bundle,
                                                                   const TrustPolicy* policy, const TrustTime& time);
    friend class RemoteClosure;
    friend class RemoteProject;
    Status leave_to_store() const;
    RemoteBundle(std::shared_ptr<const RemoteFile> file, std::shared_ptr<const Bundle> bundle);
    std::shared_ptr<const RemoteFile> file_;
    std::shared_ptr<const Bundle> bundle_;
};

// Reads ahead along traces (docs/traces.md): requests what the servers' traces list, in their order, behind everything
// that somebody waits for. One thread, which ends when all is requested. Bundles of which nothing is kept in the store
// are left out. A wrong trace costs the bytes that are received for it and never read.
class TraceReadAhead {
public:
    // Errors: missing (libcurl is not installed), busy (the system gives no thread).
    static Result<TraceReadAhead> start(const RemoteServers& servers,
                                        std::vector<std::shared_ptr<const RemoteBundle>> bundles);
    // Ends the thread. It may be waiting for a page of a table, which RemoteServers::close() ends.
    ~TraceReadAhead();
    TraceReadAhead(TraceReadAhead&&) noexcept;
    TraceReadAhead& operator=(TraceReadAhead&&) = delete;

    // Waits until all is requested, or could not be.
    void wait();

private:
    explicit TraceReadAhead(std::jthread thread);
    std::jthread thread_;
};

struct RemoteMount {
    BundleId bundle;
    std::shared_ptr<const ByteSource> source;
    std::shared_ptr<const RemoteBundle> remote;  // nullptr: the whole bundle is here
};

struct RemoteProjectOptions {
    // Outlives the project. Roots have no signatures, so only a policy with `unsigned allow` accepts them; the
    // dependencies of a root may be signed. nullptr: anything is accepted.
    const TrustPolicy* policy = nullptr;
    TrustTime time;
    std::shared_ptr<const BundleLibrary> library;  // may be nullptr
    std::vector<BundleId> mounted;                 // by the caller: dependencies that are not opened
};

// Follows a project that `fardel serve --project` serves (docs/development.md): its files as they are now, as one
// bundle whose id changes with every edit, and the bundles that it needs. For Vfs::replace with a group of mounts. One
// thread at a time.
class RemoteProject {
public:
    // The first tree of `servers` is asked for roots. Store and servers outlive the object. Error: missing (libcurl is
    // not installed).
    static Result<RemoteProject> open(const BundleStore& store, const RemoteServers& servers,
                                      RemoteProjectOptions options = {});
    ~RemoteProject();
    RemoteProject(RemoteProject&&) noexcept;
    RemoteProject& operator=(RemoteProject&&) = delete;

    // Asks once for the latest root, and returns it if it is another one than the call before returned; empty: it is
    // not. The root is last, after its static dependencies, each after those that it needs: from the store or the
    // library where these have them whole, else from any of the trees. Dependencies that the root before had are the
    // same objects. Of the root's tables, only differences come; content that the root before has here is not requested
    // again. The root before stays readable; what it lacks is then kept in memory only. Errors: those of
    // RemoteBundle::open, also of a dependency (unresolved: no server has it); busy (the server has no root yet),
    // malformed or missing (it serves no project), cancelled. The next call asks again.
    Result<std::vector<RemoteMount>> poll(const std::stop_token& stop = {});
    // Of the answers to poll(); RemoteServers::counts() has those for content.
    std::uint64_t received_bytes() const noexcept;

private:
    struct Impl;
    explicit RemoteProject(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// Opens a bundle and all its static dependencies, each after those that it needs; from the store or the library, which
// may be nullptr, where these have them whole. Errors: as RemoteBundle::open; limit (more than 65,536 bundles).
Result<std::vector<RemoteMount>> open_remote_bundles(const BundleStore& store, const RemoteServers& servers,
                                                     const BundleId& bundle, const TrustPolicy* policy = nullptr,
                                                     const TrustTime& time = {},
                                                     const std::shared_ptr<const BundleLibrary>& library = nullptr);

}  // namespace fardel
