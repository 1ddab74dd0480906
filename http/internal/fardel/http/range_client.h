// RangeClient: fetches ranges of files from an HTTP server, several at a time. One thread,
// except for wake().
//
// The server is hostile: a response is used only if it is exactly the range that was requested, and never more of it
// than that. Redirects are not followed, only http and https are spoken, certificates are checked.
#pragma once

#include <fardel/base/result.h>
#include <fardel/http/server_list.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Checks and completes the URL of a folder on a server; the result does not end with '/'. `what` names it in messages,
// "a cache". Error: malformed (another scheme; a user, password, query or fragment).
Result<std::string> parse_server_url(const std::string& text, std::string_view what);

struct HttpRange {
    std::string url;
    std::uint64_t offset = 0;
    std::uint64_t length_bytes = 0;           // at least 1
    std::optional<std::uint64_t> file_bytes;  // that the file must have, if that is known
    bool bypasses_caches = false;             // asks proxies for fresh bytes
    // URLs of the same file on other servers. If one of them would send the rest more than twice as soon, or may do so
    // and was never asked, the transfer ends: see RangeReceiver::leave_for().
    std::vector<std::string> others{};
    bool restarts = false;  // elsewhere, also what has come would be sent again
};

// Receives the bytes of one range, in order.
class RangeReceiver {
public:
    virtual ~RangeReceiver() = default;
    // Called once, before the first bytes: the size of the whole file as the server reports it.
    virtual Status begin(std::uint64_t file_bytes) = 0;
    // An error ends the transfer.
    virtual Status receive(std::span<const std::byte> bytes) = 0;
    // Called before end() if the server refuses and names a time after which it wants to be asked again.
    virtual void retry_after(std::chrono::seconds) {}
    // Called before end() if others[other] of the range should be asked for what is missing. That is no failure.
    virtual void leave_for(std::size_t) {}
    // Called last, whatever happened. `result` is ok only if all bytes of the range were received.
    virtual void end(Status result) = 0;
};

struct RangeJob {
    HttpRange range;
    std::unique_ptr<RangeReceiver> receiver;
};

// Where run() gets its work from.
class RangeQueue {
public:
    virtual ~RangeQueue() = default;
    // Returns nothing if there is no work now. It is asked again whenever a transfer has ended.
    virtual std::optional<RangeJob> next() = 0;
};

struct TransferTimes {
    std::chrono::milliseconds connect_timeout{10'000};
    std::chrono::seconds stall_timeout{30};    // for less than 1 kB/s
    std::chrono::seconds retry_after_max{30};  // a server that wants more gets no more
};

struct RangeClientOptions {
    unsigned connections = 6;
    TransferTimes times;
    std::uint64_t bytes_per_second_max = 0;  // of all transfers together; 0: no limit
    std::uint64_t received_bytes_max = 0;    // of all transfers, one after the other; 0: no limit
    ServerRule servers;                      // a transfer that it refuses is `denied`
};

struct TransferCounts {
    std::uint64_t received_bytes = 0;  // of bodies, also those that nobody has use for
    std::uint64_t requests = 0;

    friend TransferCounts operator-(TransferCounts all, const TransferCounts& earlier) noexcept {
        return {all.received_bytes - earlier.received_bytes, all.requests - earlier.requests};
    }
};

class RangeClient {
public:
    // Errors: missing (libcurl is not installed), malformed (ServerRule::allowed_hosts).
    static Result<RangeClient> open(const RangeClientOptions& options);
    ~RangeClient();
    RangeClient(RangeClient&&) noexcept;
    RangeClient& operator=(RangeClient&&) noexcept;

    // Runs until the queue has no more work and all transfers have ended. Errors of transfers go to their receivers.
    // Errors: cancelled, limit (received_bytes_max); the receivers of unfinished transfers get them, too.
    Status run(RangeQueue& queue, const std::stop_token& stop);
    // Returns which of these URLs to ask, as far as is known from earlier transfers: the first one, unless another is
    // more than twice as quick.
    std::size_t quickest(const std::vector<std::string>& urls, std::size_t first) const;
    // Whether the server of the URL has failed lately: it did not answer, was busy or sent what is wrong.
    bool has_failed(const std::string& url) const;
    // What it sent turned out to be wrong after the transfer.
    void note_failure(const std::string& url);
    // Whether the server of the URL has sent a whole file instead of a range of it.
    bool sends_whole_files(const std::string& url) const;
    const TransferCounts& counts() const noexcept;
    // Makes a waiting run() ask its queue and its stop token at once. Any thread may call it.
    void wake() noexcept;

private:
    struct Impl;
    explicit RangeClient(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
