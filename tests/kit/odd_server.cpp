#include "odd_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace fardel::tests {
namespace {

constexpr int kTickMilliseconds = 10;

bool is_ready(int socket, short events) {
    pollfd waited{.fd = socket, .events = events, .revents = 0};
    return ::poll(&waited, 1, kTickMilliseconds) > 0;
}

}  // namespace

bool OddServer::Guest::read_head() {
    head_.clear();
    while (!head_.ends_with("\r\n\r\n")) {
        if (stopping_)
            return false;
        if (!is_ready(socket_, POLLIN))
            continue;
        char one = 0;
        if (::recv(socket_, &one, 1, 0) != 1)
            return false;
        head_ += one;
    }
    return true;
}

bool OddServer::Guest::send(std::string_view bytes) const {
    while (!bytes.empty() && !stopping_) {
        if (!is_ready(socket_, POLLOUT))
            continue;
        const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (count < 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return !stopping_;
}

void OddServer::Guest::hang() const {
    while (!stopping_) {
        char bytes[256];
        if (is_ready(socket_, POLLIN) && ::recv(socket_, bytes, sizeof bytes, 0) <= 0)
            return;
    }
}

bool OddServer::Guest::sleep(int milliseconds) const {
    for (; milliseconds > 0 && !stopping_; milliseconds -= kTickMilliseconds)
        std::this_thread::sleep_for(std::chrono::milliseconds(kTickMilliseconds));
    return !stopping_;
}

// Makes sure that what was sent arrives: closing a socket with unread bytes resets the connection.
void OddServer::Guest::finish() const {
    if (is_reset_)
        return;
    ::shutdown(socket_, SHUT_WR);
    char bytes[4096];
    for (int ticks = 0; ticks < 2000 && !stopping_; ++ticks)
        if (is_ready(socket_, POLLIN) && ::recv(socket_, bytes, sizeof bytes, 0) <= 0)
            return;
}

void OddServer::Guest::reset() {
    is_reset_ = true;
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

OddServer::OddServer(Serve serve)
    : serve_(std::move(serve)), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(socket_, 64) == 0);
    REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
}

OddServer::~OddServer() {
    stopping_ = true;
    acceptor_.join();
    for (std::thread& guest : guests_)
        guest.join();
    ::close(socket_);
}

void OddServer::accept_all() {
    while (!stopping_) {
        if (!is_ready(socket_, POLLIN))
            continue;
        const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0)
            continue;
        guests_.emplace_back([this, socket] {
            Guest guest(socket, stopping_);
            if (guest.read_head()) {
                {
                    const std::scoped_lock lock(mutex_);
                    heads_.push_back(guest.head());
                }
                serve_(guest);
                guest.finish();
            }
            ::close(socket);
        });
    }
}

std::vector<std::string> OddServer::heads() const {
    const std::scoped_lock lock(mutex_);
    return heads_;
}

std::string http_answer(std::string_view status, std::string_view body, std::string_view more_headers) {
    return "HTTP/1.1 " + std::string(status) + "\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\nConnection: close\r\n" + std::string(more_headers) + "\r\n" + std::string(body);
}

}  // namespace fardel::tests
