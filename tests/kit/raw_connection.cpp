#include "raw_connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>

namespace fardel::tests {
namespace {

constexpr int kPatienceMs = 30'000;

bool becomes_ready(int socket, short events, int milliseconds) {
    pollfd waited{socket, events, 0};
    return ::poll(&waited, 1, milliseconds) > 0;
}

}  // namespace

RawConnection::RawConnection(int port, int receive_buffer, std::uint8_t from) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer != 0)
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (from != 0) {
        sockaddr_in own{};
        own.sin_family = AF_INET;
        own.sin_addr.s_addr = htonl((INADDR_LOOPBACK & 0xffffff00) + from);
        ::bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own);
    }
    if (socket_ >= 0 && ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        ::close(std::exchange(socket_, -1));
}

RawConnection::~RawConnection() {
    if (socket_ >= 0)
        ::close(socket_);
}

RawConnection::RawConnection(RawConnection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), rest_(std::move(other.rest_)) {}

bool RawConnection::send(std::string_view bytes) const {
    while (!bytes.empty()) {
        if (!becomes_ready(socket_, POLLOUT, kPatienceMs))
            return false;
        const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

std::string RawConnection::read_some(std::size_t bytes_max) const {
    std::string bytes(bytes_max, '\0');
    std::size_t size = 0;
    while (size < bytes_max && becomes_ready(socket_, POLLIN, kPatienceMs)) {
        const ssize_t count = ::recv(socket_, bytes.data() + size, bytes_max - size, MSG_DONTWAIT);
        if (count <= 0)
            break;
        size += static_cast<std::size_t>(count);
    }
    bytes.resize(size);
    return bytes;
}

bool RawConnection::is_closed_within(std::chrono::milliseconds time) const {
    const auto deadline = std::chrono::steady_clock::now() + time;
    char byte = 0;
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0 || !becomes_ready(socket_, POLLIN, static_cast<int>(left.count())))
            return false;
        if (::recv(socket_, &byte, 1, MSG_DONTWAIT) <= 0)
            return true;
    }
}

bool RawConnection::send_head(std::string_view head) const {
    constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
    return send(std::string(head.substr(0, head.size() - 2)) + "Expect: 100-continue\r\n\r\n") &&
           read_some(kGoOn.size()) == kGoOn;
}

RawConnection::Answer RawConnection::read_answer(bool has_body) {
    Answer answer;
    std::string bytes = std::exchange(rest_, {});
    const auto read_more = [&] {
        if (!becomes_ready(socket_, POLLIN, kPatienceMs))
            return false;
        char chunk[65536];
        const ssize_t count = ::recv(socket_, chunk, sizeof chunk, MSG_DONTWAIT);
        if (count <= 0)
            return false;
        bytes.append(chunk, static_cast<std::size_t>(count));
        return true;
    };
    while (bytes.find("\r\n\r\n") == std::string::npos)
        if (!read_more())
            return answer;
    const auto end = bytes.find("\r\n\r\n") + 4;
    answer.head = bytes.substr(0, end);
    answer.body = bytes.substr(end);
    answer.status = answer.head.size() > 12 ? std::atoi(answer.head.c_str() + 9) : 0;
    if (answer.status == 100) {
        rest_ = std::move(answer.body);
        return read_answer(has_body);
    }
    const std::string length = answer.field("content-length");
    std::size_t size = length.empty() ? std::string::npos : std::strtoull(length.c_str(), nullptr, 10);
    if (!has_body || answer.status == 304)
        size = 0;
    bytes = std::move(answer.body);
    while (bytes.size() < size && read_more()) {
    }
    answer.body = bytes.substr(0, size);
    rest_ = bytes.substr(answer.body.size());
    return answer;
}

RawConnection::Answer RawConnection::ask(std::string_view request, bool has_body) {
    return send(request) ? read_answer(has_body) : Answer{};
}

std::string RawConnection::Answer::field(std::string_view name) const {
    std::string lower = head;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto at = lower.find("\r\n" + std::string(name) + ": ");
    if (at == std::string::npos)
        return {};
    const auto start = at + name.size() + 4;
    return head.substr(start, head.find("\r\n", start) - start);
}

std::string get_request(std::string_view target, std::string_view more_headers) {
    return "GET " + std::string(target) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + std::string(more_headers) + "\r\n";
}

}  // namespace fardel::tests
