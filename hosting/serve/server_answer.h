// Requests and answers as plain values, apart from the library that speaks HTTP.
#pragma once

#include "serve/served_files.h"

#include <fardel/base/result.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fardel {

struct ReceivedRequest {
    std::string_view method;
    std::string_view target;  // as it came
    std::string_view peer;    // a numeric address: of the client, if a trusted proxy names it
    // Clients with the same text are limited together: an address, or an IPv6 /64. "": not known, because a proxy on
    // this machine may be between, and none is trusted.
    std::string_view client;
    std::size_t listener = 0;                                  // that accepted the connection
    std::function<std::string_view(const char* name)> header;  // empty: left out
    // Ends the connection soon, and does not wait. May be called by any thread while the request's receiver exists.
    std::function<void()> end_connection;
};

struct ServedPart {
    ServedFile file;
    std::uint64_t offset = 0;
    std::uint64_t length_bytes = 0;
};

struct ServerAnswer {
    unsigned status = 200;
    std::vector<std::pair<std::string, std::string>> headers;
    std::variant<std::string, ServedPart> body;

    std::uint64_t body_bytes() const noexcept {
        const auto* const part = std::get_if<ServedPart>(&body);
        return part != nullptr ? part->length_bytes : std::get<std::string>(body).size();
    }
};

// An answer of one line for a person. Caches do not keep it.
inline ServerAnswer plain_answer(unsigned status, std::string line) {
    return {.status = status,
            .headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}},
            .body = std::move(line) + "\n"};
}

// Takes the body of one request. One thread at a time. It is destroyed when its answer is known, or when the connection
// has ended: so what it holds is free before the answer is sent.
class BodyReceiver {
public:
    virtual ~BodyReceiver() = default;  // also if the body never ends
    // An answer ends the request: the rest of the body is not wanted.
    virtual std::optional<ServerAnswer> receive(std::span<const std::byte> bytes) = 0;
    // The body is complete. Runs on a thread that may take its time.
    virtual ServerAnswer finish() = 0;
    // True: finish() takes seconds at most, and must not wait for those that may take minutes.
    virtual bool is_question() const noexcept { return false; }
};

class RequestHandler {
public:
    virtual ~RequestHandler() = default;
    // Called when the headers are complete, by any thread, which serves other connections, too: it must not wait.
    virtual std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> begin(const ReceivedRequest& request) = 0;
    // Called once per request, at its end.
    virtual void end(const ReceivedRequest& request, unsigned status, std::uint64_t body_bytes, bool is_complete,
                     std::uint64_t microseconds) = 0;
};

}  // namespace fardel
