// A TCP connection to a server on loopback, over which a test sends any bytes. Nothing waits longer than half a minute.
#pragma once

#include "test.h"

namespace fardel::tests {

class RawConnection {
public:
    // `receive_buffer`: of the system, in bytes; 0: its choice. `from`: 127.0.0.<from> is the client's address; 0: the
    // system's choice.
    explicit RawConnection(int port, int receive_buffer = 0, std::uint8_t from = 0);
    ~RawConnection();
    RawConnection(RawConnection&& other) noexcept;
    RawConnection& operator=(RawConnection&&) = delete;

    bool is_open() const { return socket_ >= 0; }  // false: the server accepts no connections
    // False: the server has closed the connection.
    bool send(std::string_view bytes) const;
    // Sends the head of a request, which must end with an empty line, and waits until the server wants the body: then
    // it has counted the request. False: it did not ask for it.
    bool send_head(std::string_view head) const;
    // Reads one answer with a Content-Length, or to the end. `has_body`: false for HEAD.
    struct Answer {
        int status = 0;  // 0: none came
        std::string head;
        std::string body;
        std::string field(std::string_view lower_case_name) const;  // empty: none
    };
    Answer read_answer(bool has_body = true);
    Answer ask(std::string_view request, bool has_body = true);
    // Reads at most so many bytes; fewer at the end.
    std::string read_some(std::size_t bytes_max) const;
    // Whether the server closes the connection within that time.
    bool is_closed_within(std::chrono::milliseconds time) const;

private:
    int socket_ = -1;
    std::string rest_;  // was read after the answer
};

// "GET <target> HTTP/1.1", a Host, and more lines that each end with "\r\n".
std::string get_request(std::string_view target, std::string_view more_headers = "");

}  // namespace fardel::tests
