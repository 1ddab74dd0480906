// ConnectionTable: all connections of a server, what each is doing, and which of them have to end so that others are
// served. Time is an argument. Any thread.
#pragma once

#include <fardel/base/clock.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace fardel {

struct ConnectionLimits {
    // At that number, the one that waits longest is ended for a new one; if none waits, the one that moves slowest.
    std::size_t connections_max = 8192;
    std::size_t group_max = 64;                   // connections from one address; 0: no limit
    bool limits_loopback = false;                 // a reverse proxy on this machine may have more than group_max
    std::uint64_t requests_max = 10'000;          // of one connection
    std::chrono::seconds request_timeout{20};     // until the headers of the next request are complete
    std::chrono::seconds rate_window{30};         // a transfer that moves fewer bytes in it is ended
    std::uint64_t window_bytes_min = 30u * 1024;  // each way
    std::chrono::seconds grace{10};               // for so long, a transfer is not ended for a new connection
};

// What the table does to sockets.
struct SocketCalls {
    std::function<void(int socket)> shut_down;
    std::function<std::optional<std::uint64_t>(int socket)> acknowledged_bytes;
};

struct ConnectionCounts {
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;    // too many from one address, or all connections are busy
    std::uint64_t displaced = 0;  // ended for a new one
    std::uint64_t silent = 0;     // ended because no request came in time
    std::uint64_t slow = 0;       // ended because too few bytes moved
    std::size_t open = 0;
    std::size_t waiting = 0;  // of them, for a request
};

class ConnectionTable {
public:
    ConnectionTable(const ConnectionLimits& limits, SocketCalls calls) : limits_(limits), calls_(std::move(calls)) {}

    // Returns false if the connection is refused; the caller then closes it. `group`: see AcceptedConnection; "": a
    // proxy, which has as many as it wants.
    bool accept(int socket, const std::string& group, bool is_loopback, SteadyTime now);
    // Whether connections from there are limited.
    bool limits(bool is_loopback) const noexcept { return !is_loopback || limits_.limits_loopback; }
    // Whether so many connections are ending that no further one should be accepted before some of them have ended.
    bool is_crowded() const;
    // Forgets the connection; call it before the socket is closed.
    void remove(int socket);

    // The headers of a request are complete. Returns false if it is the last one that the connection may send.
    bool begin_request(int socket, SteadyTime now);
    // The request comes from a client behind a proxy, and counts as a connection of that group until it ends. Returns
    // false if the group has too many.
    bool claim(int socket, const std::string& group);
    // Bytes of the request's body came.
    void count_received(int socket, std::uint64_t bytes);
    // The body is complete, and the server works on the answer: however long that takes, the client is not slow.
    void begin_work(int socket);
    // The answer is sent from now on.
    void begin_answer(int socket, SteadyTime now);
    // The request is over, whatever became of it.
    void end_request(int socket, SteadyTime now);

    // Ends the connection: whoever serves it sees that soon.
    void end(int socket);
    // Ends connections that are silent or slow. Call it about once per second.
    void sweep(SteadyTime now);
    // From now on, connections end instead of waiting for a further request.
    void drain();
    bool is_draining() const;

    ConnectionCounts counts() const;

private:
    enum class Phase : unsigned char { waiting, receiving, working, answering };
    struct Connection {
        Phase phase = Phase::waiting;
        std::string group;
        bool is_claimed = false;         // the group is that of the request
        SteadyTime since;                // when the phase or the current window of it began
        std::uint64_t window_start = 0;  // bytes moved until then
        SteadyTime phase_since;
        std::uint64_t phase_start = 0;  // bytes moved until then
        std::uint64_t received_bytes = 0;
        std::uint64_t requests = 0;
        bool is_ending = false;
        std::list<int>::iterator place;  // in waiting_, in that phase
    };

    bool is_full(const std::string& group) const;
    void join(const std::string& group);
    void leave(const std::string& group);
    void enter_phase(int socket, Connection& connection, Phase phase, SteadyTime now);
    void end(int socket, Connection& connection);
    bool end_slowest(SteadyTime now);
    void find_slowest(SteadyTime now);
    std::optional<std::uint64_t> moved_bytes(int socket, const Connection& connection) const;

    const ConnectionLimits limits_;
    const SocketCalls calls_;
    mutable std::mutex mutex_;
    std::unordered_map<int, Connection> connections_;
    std::unordered_map<std::string, std::size_t> groups_;  // without ""
    std::list<int> waiting_;                               // longest first; without those that are ending
    struct Slow {
        int socket = -1;
        SteadyTime phase_since;  // if it has changed, the connection does something else
    };
    std::vector<Slow> slowest_;  // the slowest last; found at slowest_found_
    SteadyTime slowest_found_;
    ConnectionCounts counts_;
    bool drains_ = false;
};

}  // namespace fardel
