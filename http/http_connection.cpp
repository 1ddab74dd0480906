#include <fardel/http/http_connection.h>

#include "curl_library.h"
#include "response_head.h"
#include "server_gate.h"

#include <fardel/format/name.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kErrorPageBytesMax = 64u << 10;  // read and discarded, so that the connection can be reused
constexpr std::size_t kIdleHandlesMax = 8;

const CurlLibrary& loaded_curl() { return *find_curl_library(); }

bool is_header_text(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 127; });
}

bool may_be_sent(const HttpCredentials& credentials) {
    // A line feed in a credential would begin a header of its own.
    if (const auto* token = std::get_if<BearerToken>(&credentials))
        return is_header_text(token->token);
    if (const auto* user = std::get_if<UserPassword>(&credentials))
        return user->user.find(':') == std::string::npos && is_header_text(user->user) &&
               user->password.find_first_of(std::string_view("\0\r\n", 3)) == std::string::npos;
    if (const auto* aws = std::get_if<AwsCredentials>(&credentials))
        return !aws->key_id.empty() && is_header_text(aws->key_id) && !aws->secret_key.empty() &&
               is_header_text(aws->secret_key) && is_header_text(aws->session_token) && !aws->region.empty() &&
               is_header_text(aws->region) && aws->region.find(':') == std::string::npos;
    return true;
}

// A request in progress. libcurl calls the static functions.
class Conversation {
public:
    Conversation(CURL* handle, const HttpRequest& request, const std::stop_token& stop)
        : handle_(handle), request_(request), stop_(stop) {}

    static std::size_t on_header(char* text, std::size_t, std::size_t size, void* self) {
        return static_cast<Conversation*>(self)->add_line({text, size}) ? size : 0;
    }
    static std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* self) {
        return static_cast<Conversation*>(self)->add_body(std::as_bytes(std::span(bytes, size))) ? size : 0;
    }
    static std::size_t on_upload(char* out, std::size_t one, std::size_t count, void* self) {
        return static_cast<Conversation*>(self)->read_body(std::as_writable_bytes(std::span(out, one * count)));
    }
    static int on_seek(void* self, curl_off_t offset, int origin) {
        auto& conversation = *static_cast<Conversation*>(self);
        if (origin != SEEK_SET || offset < 0 || static_cast<std::uint64_t>(offset) > conversation.request_.body_bytes)
            return CURL_SEEKFUNC_CANTSEEK;
        conversation.sent_bytes_ = static_cast<std::uint64_t>(offset);
        return CURL_SEEKFUNC_OK;
    }
    static int on_time(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
        return static_cast<Conversation*>(self)->note_time() ? 0 : 1;
    }

    HttpAnswer take_answer() && {
        answer.etag = head_.etag();
        answer.content_range = head_.content_range();
        answer.content_encoding = head_.content_encoding();
        answer.blake3 = head_.blake3();
        answer.location = head_.location();
        answer.content_type = head_.content_type();
        return std::move(answer);
    }

    HttpAnswer answer;
    std::optional<Error> error;    // why a callback ended the transfer
    CurlMessage message{};         // why libcurl ended it
    bool is_body_cut_off = false;  // an error page was too long to be worth reading to its end

private:
    // About once per second, also while nothing is sent or received. Returns false to stop.
    bool note_time() {
        if (request_.progress && request_.body_bytes != 0 && sent_bytes_ == request_.body_bytes)
            request_.progress(sent_bytes_);  // the server takes its time for an answer
        return !stop_.stop_requested();
    }
    bool add_line(std::string_view line) {
        if (!head_.add_line(line))
            error = Error(ErrorCode::malformed, "more than 64 KiB of headers");
        return !error;
    }
    bool add_body(std::span<const std::byte> bytes) {
        if (request_.receive_body)
            return pass_on(bytes);
        if (bytes.size() > request_.answer_bytes_max - answer.body.size()) {
            error = Error(ErrorCode::limit,
                          "the answer is longer than " + std::to_string(request_.answer_bytes_max) + " bytes");
            return false;
        }
        answer.body.insert(answer.body.end(), bytes.begin(), bytes.end());
        return true;
    }
    bool pass_on(std::span<const std::byte> bytes) {
        long status = 0;
        loaded_curl().easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
        if (status != 200) {
            if (discarded_bytes_ < kRefusalTextBytes)
                answer.body.insert(answer.body.end(), bytes.begin(),
                                   bytes.begin() + static_cast<std::ptrdiff_t>(
                                                       std::min<std::size_t>(bytes.size(), kRefusalTextBytes)));
            discarded_bytes_ += bytes.size();
            is_body_cut_off = discarded_bytes_ > kErrorPageBytesMax;
            return !is_body_cut_off;
        }
        if (Status received = request_.receive_body(bytes); !received)
            error = std::move(received).error();
        return !error;
    }
    std::size_t read_body(std::span<std::byte> out) {
        out = out.first(static_cast<std::size_t>(
            std::min<std::uint64_t>(out.size(), request_.body_bytes - std::min(sent_bytes_, request_.body_bytes))));
        if (out.empty())
            return 0;
        Status read = request_.body->read_at(request_.body_offset + sent_bytes_, out);
        if (!read) {
            error = std::move(read).error();
            return CURL_READFUNC_ABORT;
        }
        sent_bytes_ += out.size();
        if (request_.progress)
            request_.progress(sent_bytes_);
        return out.size();
    }

    CURL* const handle_;
    const HttpRequest& request_;
    const std::stop_token& stop_;
    ResponseHead head_;
    std::uint64_t discarded_bytes_ = 0;
    std::uint64_t sent_bytes_ = 0;
};

}  // namespace

struct HttpConnection::Impl {
    HttpCredentials credentials;
    HttpTimeouts timeouts;
    std::mutex mutex;
    std::vector<Curl> idle;  // with their connections

    Curl take_handle() {
        const std::scoped_lock lock(mutex);
        if (idle.empty())
            return Curl(loaded_curl().easy_init());
        Curl handle = std::move(idle.back());
        idle.pop_back();
        return handle;
    }
    void give_back(Curl handle) {
        loaded_curl().easy_reset(handle.get());
        const std::scoped_lock lock(mutex);
        if (idle.size() < kIdleHandlesMax)
            idle.push_back(std::move(handle));
    }

    // Returns false if libcurl cannot sign requests.
    bool set_credentials(CURL* handle, CurlHeaders& headers) const {
        if (const auto* token = std::get_if<BearerToken>(&credentials))
            append_header(headers, "Authorization: Bearer " + token->token);
        if (const auto* user = std::get_if<UserPassword>(&credentials)) {
            loaded_curl().easy_setopt(handle, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
            loaded_curl().easy_setopt(handle, CURLOPT_USERNAME, user->user.c_str());
            loaded_curl().easy_setopt(handle, CURLOPT_PASSWORD, user->password.c_str());
        }
        if (const auto* aws = std::get_if<AwsCredentials>(&credentials)) {
            if (!aws->session_token.empty())
                append_header(headers, "X-Amz-Security-Token: " + aws->session_token);
            loaded_curl().easy_setopt(handle, CURLOPT_USERNAME, aws->key_id.c_str());
            loaded_curl().easy_setopt(handle, CURLOPT_PASSWORD, aws->secret_key.c_str());
            return loaded_curl().easy_setopt(handle, CURLOPT_AWS_SIGV4, ("aws:amz:" + aws->region + ":s3").c_str()) ==
                   CURLE_OK;
        }
        return true;
    }

    void set_request(CURL* handle, const HttpRequest& request, Conversation& conversation) const {
        loaded_curl().easy_setopt(handle, CURLOPT_ERRORBUFFER, conversation.message.data());
        loaded_curl().easy_setopt(handle, CURLOPT_URL, request.url.c_str());
        set_common_options(handle);
        loaded_curl().easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(timeouts.connect.count()));
        loaded_curl().easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, timeouts.stall_bytes_per_second);
        loaded_curl().easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(timeouts.stall.count()));
        loaded_curl().easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(request.duration_max.count()));
        loaded_curl().easy_setopt(handle, CURLOPT_HEADERFUNCTION, &Conversation::on_header);
        loaded_curl().easy_setopt(handle, CURLOPT_HEADERDATA, &conversation);
        loaded_curl().easy_setopt(handle, CURLOPT_WRITEFUNCTION, &Conversation::on_body);
        loaded_curl().easy_setopt(handle, CURLOPT_WRITEDATA, &conversation);
        loaded_curl().easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &Conversation::on_time);
        loaded_curl().easy_setopt(handle, CURLOPT_XFERINFODATA, &conversation);
        loaded_curl().easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
        if (request.method == "HEAD")
            loaded_curl().easy_setopt(handle, CURLOPT_NOBODY, 1L);
        if (request.body != nullptr) {
            loaded_curl().easy_setopt(handle, CURLOPT_UPLOAD, 1L);
            loaded_curl().easy_setopt(handle, CURLOPT_READFUNCTION, &Conversation::on_upload);
            loaded_curl().easy_setopt(handle, CURLOPT_READDATA, &conversation);
            loaded_curl().easy_setopt(handle, CURLOPT_SEEKFUNCTION, &Conversation::on_seek);
            loaded_curl().easy_setopt(handle, CURLOPT_SEEKDATA, &conversation);
            loaded_curl().easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.body_bytes));
            loaded_curl().easy_setopt(handle, CURLOPT_EXPECT_100_TIMEOUT_MS,
                                      static_cast<long>(timeouts.expect_100.count()));
        }
        if (request.method != "HEAD")
            loaded_curl().easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    }
};

HttpConnection::HttpConnection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpConnection::~HttpConnection() = default;
HttpConnection::HttpConnection(HttpConnection&&) noexcept = default;
HttpConnection& HttpConnection::operator=(HttpConnection&&) noexcept = default;

Result<HttpConnection> HttpConnection::open(HttpCredentials credentials, const HttpTimeouts& timeouts) {
    if (find_curl_library() == nullptr)
        return Error(ErrorCode::missing, "libcurl is not installed or cannot be initialised; servers need it");
    if (!may_be_sent(credentials))
        return Error(ErrorCode::malformed, "the credentials are empty or contain characters that cannot be sent");
    auto impl = std::make_unique<Impl>();
    impl->credentials = std::move(credentials);
    impl->timeouts = timeouts;
    return HttpConnection(std::move(impl));
}

Result<HttpAnswer> HttpConnection::perform(const HttpRequest& request, const std::stop_token& stop) const {
    if (stop.stop_requested())
        return Error(ErrorCode::cancelled, "the transfer was stopped");
    Curl handle = impl_->take_handle();
    if (!handle)
        return Error(ErrorCode::io, "libcurl creates no handle");
    Conversation conversation(handle.get(), request, stop);
    impl_->set_request(handle.get(), request, conversation);
    ServerGate gate;
    gate.apply(request.servers, handle.get(), request.url);
    CurlHeaders headers;
    for (const std::string& line : request.headers)
        append_header(headers, line);
    if (!impl_->set_credentials(handle.get(), headers))
        return Error(ErrorCode::unsupported, "the installed libcurl cannot sign requests to object stores");
    loaded_curl().easy_setopt(handle.get(), CURLOPT_HTTPHEADER, headers.get());
    const CURLcode code = loaded_curl().easy_perform(handle.get());
    if (conversation.error)
        return std::move(*conversation.error).with_context(printable(request.url, 400));
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return Error(ErrorCode::cancelled, "the transfer was stopped");
    if (gate.has_refused(code))
        return ServerGate::refusal(request.url);
    // A server may answer and close before it has read the whole body.
    loaded_curl().easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &conversation.answer.status);
    const bool was_answered_early = code == CURLE_SEND_ERROR && conversation.answer.status >= 400;
    if (code != CURLE_OK && !was_answered_early && !conversation.is_body_cut_off)
        return transfer_error(code, conversation.message, request.url, &request.servers);
    curl_off_t length = -1;
    loaded_curl().easy_getinfo(handle.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (length >= 0)
        conversation.answer.content_bytes = static_cast<std::uint64_t>(length);
    if (code == CURLE_OK)
        impl_->give_back(std::move(handle));
    return std::move(conversation).take_answer();
}

Error HttpConnection::status_error(const HttpAnswer& answer, const std::string& url) {
    if (is_absence_status(answer.status))
        return Error(ErrorCode::missing, printable(url, 400) + ": the server does not have it");
    const std::string_view body(reinterpret_cast<const char*>(answer.body.data()), answer.body.size());
    return fardel::status_error(
        {.status = answer.status, .location = answer.location, .content_type = answer.content_type, .body = body}, url);
}

Result<std::uint64_t> copy_range(const HttpAnswer& answer, std::uint64_t offset, std::span<std::byte> out,
                                 const std::string& url) {
    if (answer.status != 206 && answer.status != 200)
        return HttpConnection::status_error(answer, url);
    const auto range = find_content_range(answer.content_range);
    if (answer.status != 206 || !range || range->first != offset || range->last - range->first + 1 != out.size() ||
        answer.body.size() != out.size())
        return Error(ErrorCode::corrupt, printable(url, 400) + ": the server sends another range than was requested");
    std::memcpy(out.data(), answer.body.data(), out.size());
    return range->total;
}

bool is_loopback_url(std::string_view url) noexcept {
    const auto start = url.find("://");
    if (start == std::string_view::npos)
        return false;
    std::string_view host = url.substr(start + 3, url.find('/', start + 3) - start - 3);
    for (const std::string_view own : {"127.0.0.1", "[::1]", "localhost"})
        if (host == own || (host.starts_with(own) && host.substr(own.size()).starts_with(':')))
            return true;
    return false;
}

}  // namespace fardel
