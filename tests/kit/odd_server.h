// A server on loopback whose answers a test decides; they need not be HTTP.
#pragma once

#include "test.h"

#include <atomic>
#include <functional>
#include <mutex>

namespace fardel::tests {

class OddServer {
public:
    // One connection: the head of the request, and functions to answer.
    class Guest {
    public:
        Guest(int socket, const std::atomic<bool>& stopping) : socket_(socket), stopping_(stopping) {}
        // Reads until an empty line; false if there is no further request.
        bool read_head();
        const std::string& head() const { return head_; }
        // False: the client has closed the connection.
        bool send(std::string_view bytes) const;
        // Waits until the client closes the connection or the server stops.
        void hang() const;
        bool sleep(int milliseconds) const;  // false: the server stops
        void reset();                        // resets the connection instead of closing it
        void finish() const;

    private:
        int socket_;
        const std::atomic<bool>& stopping_;
        std::string head_;
        bool is_reset_ = false;
    };

    using Serve = std::function<void(Guest&)>;  // called for each connection on its own thread; afterwards the
                                                // connection is closed
    explicit OddServer(Serve serve);
    ~OddServer();
    OddServer(const OddServer&) = delete;
    OddServer& operator=(const OddServer&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    int port() const { return port_; }
    std::vector<std::string> heads() const;  // of all requests so far

private:
    void accept_all();

    Serve serve_;
    int socket_ = -1;
    int port_ = 0;
    std::atomic<bool> stopping_ = false;
    mutable std::mutex mutex_;
    std::vector<std::string> heads_;
    std::vector<std::thread> guests_;
    std::thread acceptor_;
};

// "HTTP/1.1 200 OK\r\nContent-Length: …" and the body.
std::string http_answer(std::string_view status, std::string_view body, std::string_view more_headers = "");

}  // namespace fardel::tests
