// HttpLayer: a cache on an HTTP server.
#include "cache_folder.h"
#include "http/curl_library.h"
#include "spooled_bytes.h"

#include <fardel/store/cache_layers.h>
#include <fardel/store/cache_question.h>
#include <fardel/store/cache_record.h>
#include <fardel/store/range_client.h>

#include <fardel/format/hash.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kHeaderBytesMax = 64u << 10;     // of one response, including each "100 Continue" before it
constexpr std::uint64_t kErrorPageBytesMax = 64u << 10;  // read and discarded, so that the connection can be reused
constexpr std::uint64_t kBytesPerSecond = 4u << 20;      // large bodies get more time than the timeout, at this rate
constexpr long kStallBytesPerSecond = 1024;
constexpr std::size_t kBrokenRemembered = 100'000;
constexpr std::size_t kLackingRemembered = 1'000'000;
constexpr std::size_t kWorthAQuestion = 2;  // keys
constexpr long kMillisecondsMax = 24L * 3600 * 1000;

static_assert(kCacheRecordBytesMax <= SpooledBytes::kMemoryBytesMax);

// open_http_layer() has checked that the library is there.
const CurlLibrary& curl() { return *find_curl_library(); }

enum class Method : std::uint8_t { get, head, put, post };

struct Request {
    Method method{};
    std::string url;
    std::uint64_t bytes_max = 0;  // of the response's body
    bool bypass_caches = false;
    bool if_absent = false;              // a put replaces nothing
    const BlobSource* upload = nullptr;  // of a put or a post
    std::uint64_t upload_bytes = 0;
};

// A request in progress. libcurl calls the static functions.
class Exchange {
public:
    Exchange(CURL* handle, const Request& request) : body(request.bytes_max), handle_(handle), request_(request) {}

    static std::size_t on_header(char* text, std::size_t, std::size_t size, void* self) {
        return static_cast<Exchange*>(self)->add_header({text, size}) ? size : 0;
    }
    static std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* self) {
        return static_cast<Exchange*>(self)->add_body(std::as_bytes(std::span(bytes, size))) ? size : 0;
    }
    static std::size_t on_upload(char* out, std::size_t one, std::size_t count, void* self) {
        return static_cast<Exchange*>(self)->read_upload(std::as_writable_bytes(std::span(out, one * count)));
    }
    static int on_seek(void* self, curl_off_t offset, int origin) {
        return static_cast<Exchange*>(self)->rewind(offset, origin);
    }

    long status() const {
        long status = 0;
        curl().easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
        return status;
    }

    SpooledBytes body;
    Hasher hasher;
    std::optional<Error> error;  // why a callback ended the transfer
    std::string encoding;
    bool body_discarded = false;  // the body of an error page was too long

private:
    bool add_header(std::string_view line) {
        header_bytes_ += line.size();
        if (header_bytes_ > kHeaderBytesMax)
            return fail(
                Error(ErrorCode::malformed, "more than " + std::to_string(kHeaderBytesMax) + " bytes of headers"));
        constexpr std::string_view kEncoding = "content-encoding:";
        if (line.size() > kEncoding.size() && curl().strnequal(line.data(), kEncoding.data(), kEncoding.size()))
            encoding =
                printable(line.substr(kEncoding.size(), line.find_last_not_of("\r\n") + 1 - kEncoding.size()), 40);
        return true;
    }
    bool add_body(std::span<const std::byte> bytes) {
        if (status() != 200 || (request_.method != Method::get && request_.method != Method::post)) {
            discarded_bytes_ += bytes.size();
            body_discarded = discarded_bytes_ > kErrorPageBytesMax;
            return !body_discarded;
        }
        Status kept = body.append(bytes);
        if (!kept)
            return fail(kept.error().code() == ErrorCode::limit ? Error(ErrorCode::corrupt, "more bytes than expected")
                                                                : std::move(kept).error());
        hasher.update(bytes);
        return true;
    }
    std::size_t read_upload(std::span<std::byte> out) {
        if (!stream_ && rewind(0, SEEK_SET) != CURL_SEEKFUNC_OK)
            return CURL_READFUNC_ABORT;
        auto count = stream_->read(out);
        if (count)
            return *count;
        error = std::move(count).error();
        return CURL_READFUNC_ABORT;
    }
    int rewind(curl_off_t offset, int origin) {
        if (offset != 0 || origin != SEEK_SET)
            return CURL_SEEKFUNC_CANTSEEK;
        auto stream = request_.upload->open();
        if (!stream) {
            error = std::move(stream).error();
            return CURL_SEEKFUNC_FAIL;
        }
        stream_ = *std::move(stream);
        return CURL_SEEKFUNC_OK;
    }
    bool fail(Error reason) {
        error = std::move(reason);
        return false;
    }

    CURL* const handle_;
    const Request& request_;
    std::unique_ptr<BlobStream> stream_;
    std::uint64_t header_bytes_ = 0;
    std::uint64_t discarded_bytes_ = 0;
};

struct Response {
    long status = 0;
    std::int64_t length = -1;  // as the server reports it; -1: unknown
    SpooledBytes body;
    Hash hash;
    std::string encoding;
};

class HttpLayer final : public CacheLayer {
public:
    HttpLayer(std::string url, HttpLayerOptions options) : url_(std::move(url)), options_(std::move(options)) {}

    std::string name() const override { return "server " + printable(url_, 400); }
    bool is_writable() const override { return options_.writable; }

    Result<std::optional<std::vector<std::byte>>> find_record(const BuildKey& key) override {
        if (is_lacking(key))
            return std::optional<std::vector<std::byte>>();
        const Request request{.method = Method::get,
                              .url = url_of(CacheFileKind::record, id_from<Hash>(key)),
                              .bytes_max = kCacheRecordBytesMax};
        FARDEL_TRY_ASSIGN(auto response, get(request, [&key](Response& got) { return is_whole_record(key, got); }));
        if (!response)
            return std::optional<std::vector<std::byte>>();
        return std::optional<std::vector<std::byte>>(response->body.take_memory());
    }

    Status write_record(const BuildKey& key, std::span<const std::byte> bytes) override {
        {
            const std::scoped_lock lock(mutex_);
            lacking_.erase(key);
        }
        const auto blob = make_memory_blob({bytes.begin(), bytes.end()});
        return put(CacheFileKind::record, id_from<Hash>(key), *blob, bytes.size());
    }

    Result<std::shared_ptr<const BlobSource>> find_object(const AssetId& asset, std::uint64_t size_bytes) override {
        if (size_bytes > options_.object_bytes_max)
            return std::shared_ptr<const BlobSource>();
        const Request request{
            .method = Method::get, .url = url_of(CacheFileKind::object, id_from<Hash>(asset)), .bytes_max = size_bytes};
        FARDEL_TRY_ASSIGN(auto response, get(request, [&](Response& got) {
                              return got.body.size_bytes() == size_bytes && got.hash == id_from<Hash>(asset);
                          }));
        return response ? response->body.take_blob() : nullptr;
    }

    Status write_object(const AssetId& asset, std::uint64_t size_bytes, const BlobSource& bytes) override {
        const Hash id = id_from<Hash>(asset);
        if (size_bytes > options_.object_bytes_max)
            return Error(ErrorCode::limit, name() + ": " + std::to_string(size_bytes) + " bytes; at most " +
                                               std::to_string(options_.object_bytes_max));
        const bool if_absent = !was_broken(id) && answers_questions_;  // such a server looks before it takes the bytes
        if (!was_broken(id) && !if_absent) {
            // A plain file server would receive all bytes of an object that it has.
            const Request request{.method = Method::head, .url = url_of(CacheFileKind::object, id)};
            FARDEL_TRY_ASSIGN(const Response there, perform(request));
            if (there.status == 200 && there.length == static_cast<std::int64_t>(size_bytes))
                return ok();
            if (there.status != 200 && !is_absence_status(there.status))
                return status_error(there.status, request.url);
        }
        return put(CacheFileKind::object, id, bytes, size_bytes, if_absent);
    }

    std::vector<BuildKey> find_lacking(std::span<const BuildKey> keys) override {
        std::vector<BuildKey> lacking;
        while (keys.size() >= kWorthAQuestion && !refuses_questions_) {
            const auto some = keys.first(std::min(keys.size(), kCacheQuestionIdsMax));
            keys = keys.subspan(some.size());
            const auto answer = ask({.records = {some.begin(), some.end()}, .objects = {}});
            // A server without questions answers an error, and is not asked again in this build.
            refuses_questions_ = !answer.has_value();
            answers_questions_ = answer.has_value();
            for (std::size_t i = 0; answer && i < some.size(); ++i)
                if ((*answer)[i])
                    lacking.push_back(some[i]);
        }
        const std::scoped_lock lock(mutex_);
        for (const BuildKey& key : lacking)
            if (lacking_.size() < kLackingRemembered)
                lacking_.insert(key);
        return lacking;
    }

    // Clients delete nothing on a server: the next write replaces it.
    void drop_record(const BuildKey&) override {}
    void drop_object(const AssetId& asset) override {
        const std::scoped_lock lock(mutex_);
        if (broken_.size() < kBrokenRemembered)
            broken_.insert(id_from<Hash>(asset));
    }

private:
    static bool is_whole_record(const BuildKey& key, Response& got) {
        if (got.body.size_bytes() > kCacheRecordBytesMax)
            return false;
        auto bytes = got.body.take_memory();
        const bool whole = decode_cache_record(key, bytes).has_value();
        SpooledBytes again(kCacheRecordBytesMax);
        const bool kept = static_cast<bool>(again.append(bytes));
        got.body = std::move(again);
        return whole && kept;
    }

    std::string url_of(CacheFileKind kind, const Hash& id) const { return url_ + "/" + cache_file_name(kind, id); }

    bool was_broken(const Hash& id) {
        const std::scoped_lock lock(mutex_);
        return broken_.contains(id);
    }

    bool is_lacking(const BuildKey& key) {
        const std::scoped_lock lock(mutex_);
        return lacking_.contains(key);
    }

    // nginx answers 404 or 405, which costs this one request per run.
    Result<std::vector<bool>> ask(const CacheQuestion& question) {
        const std::vector<std::byte> bytes = encode_cache_question(question);
        const auto blob = make_memory_blob(bytes);
        const Request request{.method = Method::post,
                              .url = url_ + "/" + std::string(kCacheQuestionPath),
                              .bytes_max = kCacheAnswerBytesMax,
                              .upload = blob.get(),
                              .upload_bytes = bytes.size()};
        FARDEL_TRY_ASSIGN(Response response, perform(request));
        if (response.status != 200)
            return status_error(response.status, request.url);
        return decode_cache_answer(response.body.take_memory(), question.size());
    }

    // Returns nothing if the server does not have it. Requests a bad response once more, bypassing caches on the way.
    template <class Good>
    Result<std::optional<Response>> get(Request request, Good is_good) {
        for (;;) {
            auto response = perform(request);
            const bool cut = !response && response.error().code() == ErrorCode::corrupt;
            if (!response && !cut)
                return std::move(response).error();
            if (!cut) {
                if (is_absence_status(response->status))
                    return std::optional<Response>();
                if (response->status != 200)
                    return status_error(response->status, request.url);
                if (is_good(*response))
                    return std::optional<Response>(*std::move(response));
            }
            if (request.bypass_caches)
                return cut ? std::move(response).error() : not_right(request, *response);
            request.bypass_caches = true;
        }
    }

    static Error not_right(const Request& request, const Response& response) {
        std::string text =
            printable(request.url, 400) + ": the server returns other bytes than those that were written";
        if (!response.encoding.empty())
            text += ", in the encoding" + response.encoding + ", which was not requested";
        return Error(ErrorCode::corrupt, std::move(text));
    }

    Status put(CacheFileKind kind, const Hash& id, const BlobSource& bytes, std::uint64_t size_bytes,
               bool if_absent = false) {
        const Request request{.method = Method::put,
                              .url = url_of(kind, id),
                              .if_absent = if_absent,
                              .upload = &bytes,
                              .upload_bytes = size_bytes};
        FARDEL_TRY_ASSIGN(const Response response, perform(request));
        constexpr long kPreconditionFailed = 412;
        if (if_absent && response.status == kPreconditionFailed)
            return ok();
        if (response.status != 200 && response.status != 201 && response.status != 204)
            return is_absence_status(response.status) || response.status == 409
                       ? Error(ErrorCode::denied, printable(request.url, 400) + ": the server answers " +
                                                      std::to_string(response.status) +
                                                      ": it does not create folders (nginx: create_full_put_path)")
                       : status_error(response.status, request.url);
        const std::scoped_lock lock(mutex_);
        broken_.erase(id);
        return ok();
    }

    Result<Response> perform(const Request& request) {
        Curl handle = take_connection();
        if (!handle)
            return Error(ErrorCode::io, "libcurl creates no handle");
        Exchange exchange(handle.get(), request);
        const CurlHeaders headers = set_up(handle.get(), request, exchange);
        const CURLcode code = curl().easy_perform(handle.get());
        if (exchange.error)
            return std::move(*exchange.error).with_context(printable(request.url, 400));
        if (code != CURLE_OK && !exchange.body_discarded)
            return transfer_error(code, request.url);
        Response response{.status = exchange.status(),
                          .body = std::move(exchange.body),
                          .hash = exchange.hasher.finish(),
                          .encoding = std::move(exchange.encoding)};
        curl_off_t length = -1;
        curl().easy_getinfo(handle.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
        // After an error, the handle is dropped with its connection, on which half an answer may still come.
        response.length = length;
        give_back(std::move(handle));
        return response;
    }

    CurlHeaders set_up(CURL* handle, const Request& request, Exchange& exchange) const {
        curl().easy_setopt(handle, CURLOPT_URL, request.url.c_str());
        set_common_options(handle);
        const auto bytes = std::max(request.bytes_max, request.upload_bytes);
        const long timeout_ms =
            static_cast<long>(std::clamp<std::int64_t>(options_.timeout.count(), 1, kMillisecondsMax));
        curl().easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, timeout_ms);
        curl().easy_setopt(
            handle, CURLOPT_TIMEOUT_MS,
            std::min(kMillisecondsMax, timeout_ms + static_cast<long>(bytes / (kBytesPerSecond / 1000))));
        curl().easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, kStallBytesPerSecond);
        curl().easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, std::max(1L, timeout_ms / 1000));
        curl().easy_setopt(handle, CURLOPT_HEADERFUNCTION, &Exchange::on_header);
        curl().easy_setopt(handle, CURLOPT_HEADERDATA, &exchange);
        curl().easy_setopt(handle, CURLOPT_WRITEFUNCTION, &Exchange::on_body);
        curl().easy_setopt(handle, CURLOPT_WRITEDATA, &exchange);
        if (request.method == Method::head)
            curl().easy_setopt(handle, CURLOPT_NOBODY, 1L);
        if (request.method == Method::put || request.method == Method::post) {
            curl().easy_setopt(handle, CURLOPT_UPLOAD, 1L);
            curl().easy_setopt(handle, CURLOPT_READFUNCTION, &Exchange::on_upload);
            curl().easy_setopt(handle, CURLOPT_READDATA, &exchange);
            curl().easy_setopt(handle, CURLOPT_SEEKFUNCTION, &Exchange::on_seek);
            curl().easy_setopt(handle, CURLOPT_SEEKDATA, &exchange);
            curl().easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.upload_bytes));
            curl().easy_setopt(handle, CURLOPT_EXPECT_100_TIMEOUT_MS, 200L);  // for servers that do not support it
        }
        CurlHeaders headers;
        if (request.method == Method::post) {
            curl().easy_setopt(handle, CURLOPT_CUSTOMREQUEST, "POST");
            append_header(headers, "Content-Type: application/octet-stream");
        }
        if (request.bypass_caches) {
            append_header(headers, "Cache-Control: no-cache");
            append_header(headers, "Pragma: no-cache");
        }
        if (request.if_absent)
            append_header(headers, "If-None-Match: *");
        if (!options_.bearer_token.empty())
            append_header(headers, "Authorization: Bearer " + options_.bearer_token);
        curl().easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
        return headers;
    }

    // Handles are reused, because they keep their connections open.
    Curl take_connection() {
        {
            const std::scoped_lock lock(mutex_);
            if (!idle_.empty()) {
                Curl handle = std::move(idle_.back());
                idle_.pop_back();
                return handle;
            }
        }
        return Curl(curl().easy_init());
    }
    void give_back(Curl handle) {
        curl().easy_reset(handle.get());
        const std::scoped_lock lock(mutex_);
        idle_.push_back(std::move(handle));
    }

    const std::string url_;  // does not end with '/'
    const HttpLayerOptions options_;
    std::mutex mutex_;
    std::vector<Curl> idle_;
    std::unordered_set<Hash> broken_;
    std::unordered_set<BuildKey> lacking_;  // as the server has answered, and not written since
    std::atomic<bool> refuses_questions_ = false;
    std::atomic<bool> answers_questions_ = false;
};

bool is_token(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; });
}

}  // namespace

Result<std::unique_ptr<CacheLayer>> open_http_layer(const std::string& url, HttpLayerOptions options) {
    if (find_curl_library() == nullptr)
        return Error(ErrorCode::missing,
                     "libcurl is not installed or cannot be initialised; a cache on a server needs it");
    FARDEL_TRY_ASSIGN(std::string whole, parse_server_url(url, "a cache"));
    if (!is_token(options.bearer_token))
        return Error(ErrorCode::malformed, "a token must consist of visible ASCII characters");
    return std::unique_ptr<CacheLayer>(std::make_unique<HttpLayer>(std::move(whole), std::move(options)));
}

}  // namespace fardel
