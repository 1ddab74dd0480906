// ServerQueue: requests for ranges of files on servers, which one thread sends in the order of their priorities.
//
// Any thread may submit. The thread starts with the first request. What comes is compared with its hash before anybody
// gets it. If no server answers, further requests fail at once for a while, so that a program that reads many files
// offline does not wait for each.
#pragma once

#include "transfer/request_server.h"

#include <fardel/base/result.h>
#include <fardel/delivery/unit_transfer.h>
#include <fardel/format/hash.h>
#include <fardel/http/range_client.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace fardel {

// Greater ones first. Those below kNeededPriority use at most half of the connections.
using RequestPriority = std::int64_t;
inline constexpr RequestPriority kNeededPriority = 1ll << 40;  // somebody waits for it
inline constexpr RequestPriority kAheadPriority = 1ll << 36;   // it will probably be read next

// Bytes of a file that are checked together.
struct ServerUnit {
    std::uint64_t offset = 0;
    std::uint32_t length_bytes = 0;
    std::function<bool(std::span<const std::byte>)> is_right;  // empty: whoever takes them judges
    std::optional<Hash> block_hash;  // of the stored bytes of a block, which other bundles may have, too

    std::uint64_t end() const noexcept { return offset + length_bytes; }
};

// Receives what one request brings. Called by the queue's thread; end() perhaps by the thread that submits.
class ServerReply {
public:
    virtual ~ServerReply() = default;
    virtual void begin(std::uint64_t file_bytes) = 0;  // the size of the file as the server reports it
    virtual void take(const ServerUnit& unit, std::vector<std::byte> bytes) = 0;
    // Called last, once: ok if all units were taken.
    virtual void end(Status result) = 0;
};

struct ServerRequest {
    std::shared_ptr<const std::vector<std::string>> urls;  // of the same file on several servers
    std::vector<ServerUnit> units;                         // by offset; what is between them is discarded
    std::optional<std::uint64_t> file_bytes;               // that the file must have, if that is known
    RequestPriority priority = kNeededPriority;
    std::shared_ptr<ServerReply> reply;
};

class ServerQueue {
public:
    // Error: missing (libcurl is not installed).
    static Result<std::shared_ptr<ServerQueue>> open(const RangeClientOptions& connections, unsigned attempts_max);
    ~ServerQueue();

    void submit(ServerRequest request);
    // Gives requests that wait, those with this reply, a greater priority. Starts the thread again after pause().
    void raise(const ServerReply& reply, RequestPriority priority);

    // Ends the thread until the next request is submitted or raised; what is under way is requested again then.
    void pause();
    // Ends everything with `cancelled`, also what is submitted later.
    void close();

    TransferCounts counts() const;
    // Whether the server of the URL has failed lately. Any thread.
    bool has_failed(const std::string& url) const { return client_.has_failed(url); }

private:
    using Clock = std::chrono::steady_clock;
    struct Pending {
        ServerRequest request;
        RequestServer server;
        Clock::time_point not_before{};
    };
    class Feed;
    class Receiver;

    ServerQueue(RangeClient client, unsigned connections, unsigned attempts_max);
    void work(const std::stop_token& stop);
    std::optional<RangeJob> next();
    void start_thread();           // with both locks held
    void insert(Pending pending);  // with the lock held
    void finish(Pending pending, Status result, std::chrono::seconds asked_wait);
    void go_on(Pending pending);  // at another server, which is quicker
    void end_all(std::list<Pending> requests, const Error& reason);
    void join();

    RangeClient client_;
    const unsigned background_max_;
    const unsigned attempts_max_;

    std::mutex thread_mutex_;  // guards thread_; taken before mutex_
    std::jthread thread_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::list<Pending> pending_;  // by priority, then by time
    unsigned background_ = 0;     // requests under way that nobody waits for
    bool closed_ = false;
    std::optional<Error> offline_;  // why no server answers
    Clock::time_point offline_until_;
    TransferCounts counts_;
};

}  // namespace fardel
