// HttpConnection: single requests to a server that files are written to, with its credentials. Any thread.
//
// The server is hostile: what it sends is bounded, redirects are not followed, only http and https are spoken,
// certificates are checked. Credentials are sent to the host of the request's URL only, and are in no message.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/http/server_list.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fardel {

struct NoCredentials {};
struct BearerToken {
    std::string token;
};
struct UserPassword {
    std::string user;
    std::string password;
};
// Requests are signed (AWS Signature Version 4, service "s3").
struct AwsCredentials {
    std::string key_id;
    std::string secret_key;
    std::string session_token;  // may be empty
    std::string region;
};
using HttpCredentials = std::variant<NoCredentials, BearerToken, UserPassword, AwsCredentials>;

struct HttpRequest {
    std::string method = "GET";
    std::string url;
    std::vector<std::string> headers;  // "Name: value"
    // The body: `body_bytes` of `body` from `body_offset`. nullptr: none.
    const ByteSource* body = nullptr;
    std::uint64_t body_offset = 0;
    std::uint64_t body_bytes = 0;
    std::uint64_t answer_bytes_max = 64u << 10;
    // Receives the body of an answer with status 200, in order, instead of HttpAnswer::body; an error ends the
    // transfer. Bodies of other statuses are discarded then.
    std::function<Status(std::span<const std::byte>)> receive_body;
    std::chrono::milliseconds duration_max{0};  // from first to last byte; 0: as long as there is progress
    // Also called about once per second while all is sent and the answer is awaited.
    std::function<void(std::uint64_t sent_bytes)> progress;
    ServerRule servers = {};  // a request that it refuses is `denied`
};

struct HttpAnswer {
    long status = 0;
    std::vector<std::byte> body;
    std::string etag;              // with its quotes; empty: none
    std::string content_range;     // "bytes 0-99/1234"
    std::string content_encoding;  // which was not requested
    std::string blake3;            // the object's own metadata "fardel-blake3"
    std::string location;          // where a redirect leads
    std::string content_type;
    std::optional<std::uint64_t> content_bytes;  // of a HEAD request, if the server reports it
};

struct HttpTimeouts {
    std::chrono::milliseconds connect{10'000};
    std::chrono::seconds stall{60};             // without progress in either direction
    long stall_bytes_per_second = 1;            // less than that is no progress
    std::chrono::milliseconds expect_100{500};  // for servers that do not know "Expect: 100-continue"
};

class HttpConnection {
public:
    // Errors: missing (libcurl is not installed), malformed (credentials with control characters).
    static Result<HttpConnection> open(HttpCredentials credentials, const HttpTimeouts& timeouts);
    ~HttpConnection();
    HttpConnection(HttpConnection&&) noexcept;
    HttpConnection& operator=(HttpConnection&&) noexcept;

    // Returns the answer whatever its status is. Errors: unreachable, untrusted (the certificate), malformed (no HTTP),
    // corrupt (cut off), limit (the answer is longer than `answer_bytes_max`), cancelled, those of the body's source.
    Result<HttpAnswer> perform(const HttpRequest& request, const std::stop_token& stop) const;

    // The error for the status of an answer that the caller has no use for.
    static Error status_error(const HttpAnswer& answer, const std::string& url);

private:
    struct Impl;
    explicit HttpConnection(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// Whether a server that answers so has no such file.
constexpr bool is_absence_status(long status) noexcept { return status == 404 || status == 410; }

// Fills `out` from the offset of a file, and returns the size of the whole file, as `answer` says. The range that was
// requested is that of `out`. Errors: missing, corrupt (another range), those of HttpConnection::status_error.
Result<std::uint64_t> copy_range(const HttpAnswer& answer, std::uint64_t offset, std::span<std::byte> out,
                                 const std::string& url);

// Whether the URL's host is this machine, by its text: 127.0.0.1, [::1] or localhost.
bool is_loopback_url(std::string_view url) noexcept;

}  // namespace fardel
