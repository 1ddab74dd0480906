// HttpLayer: a cache on an HTTP server.
#include "cache_folder.h"
#include "spooled_bytes.h"

#include <fardel/cache/cache_layers.h>
#include <fardel/cache/cache_question.h>
#include <fardel/cache/cache_record.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>
#include <fardel/http/http_connection.h>
#include <fardel/http/range_client.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <mutex>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kBytesPerSecond = 4u << 20;  // large bodies get more time than the timeout, at this rate
constexpr long kStallBytesPerSecond = 1024;
constexpr std::size_t kBrokenRemembered = 100'000;
constexpr std::size_t kLackingRemembered = 1'000'000;
constexpr std::size_t kWorthAQuestion = 2;  // keys
constexpr std::chrono::milliseconds kDurationMax = std::chrono::hours(24);

static_assert(kCacheRecordBytesMax <= SpooledBytes::kMemoryBytesMax);

std::chrono::milliseconds patience(const HttpLayerOptions& options) {
    return std::clamp(options.timeout, std::chrono::milliseconds(1), kDurationMax);
}

// What is sent, read from the beginning for each attempt to send it. One thread.
class SentBlob final : public ByteSource {
public:
    SentBlob(const BlobSource& blob, std::uint64_t size_bytes) : blob_(blob), size_bytes_(size_bytes) {}

    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset == 0) {
            FARDEL_TRY_ASSIGN(stream_, blob_.open());
            position_ = 0;
        }
        assert(offset == position_);  // requests are sent in order
        FARDEL_TRY_ASSIGN(const std::size_t count, read_full(*stream_, out));
        position_ += count;
        if (count != out.size())
            return Error(ErrorCode::corrupt, "fewer bytes than there should be");
        return ok();
    }

private:
    const BlobSource& blob_;
    const std::uint64_t size_bytes_;
    mutable std::unique_ptr<BlobStream> stream_;
    mutable std::uint64_t position_ = 0;
};

struct Request {
    std::string method;
    std::string url;
    std::uint64_t bytes_max = 0;  // of the response's body
    bool bypass_caches = false;
    bool if_absent = false;              // a put replaces nothing
    const BlobSource* upload = nullptr;  // of a put or a post
    std::uint64_t upload_bytes = 0;
};

struct Response {
    HttpAnswer answer;
    SpooledBytes body;
    Hash hash;
};

class HttpLayer final : public CacheLayer {
public:
    HttpLayer(std::string url, HttpLayerOptions options, HttpConnection server)
        : url_(std::move(url)), options_(std::move(options)), server_(std::move(server)) {}

    std::string name() const override { return "server " + printable(url_, 400); }
    bool is_writable() const override { return options_.writable; }

    Result<std::optional<std::vector<std::byte>>> find_record(const BuildKey& key) override {
        if (is_lacking(key))
            return std::optional<std::vector<std::byte>>();
        const Request request{.method = "GET",
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
            .method = "GET", .url = url_of(CacheFileKind::object, id_from<Hash>(asset)), .bytes_max = size_bytes};
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
            const Request request{.method = "HEAD", .url = url_of(CacheFileKind::object, id)};
            FARDEL_TRY_ASSIGN(const Response there, perform(request));
            if (there.answer.status == 200 && there.answer.content_bytes == size_bytes)
                return ok();
            if (there.answer.status != 200 && !is_absence_status(there.answer.status))
                return HttpConnection::status_error(there.answer, request.url);
        }
        return put(CacheFileKind::object, id, bytes, size_bytes, if_absent);
    }

    std::vector<BuildKey> find_lacking(const std::span<const BuildKey> wanted) override {
        std::vector<BuildKey> lacking;
        std::span<const BuildKey> keys = wanted;
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
        for (const BuildKey& key : wanted)
            lacking_.erase(key);  // asked again: another machine may have brought it since
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
        const Request request{.method = "POST",
                              .url = url_ + "/" + std::string(kCacheQuestionPath),
                              .bytes_max = kCacheAnswerBytesMax,
                              .upload = blob.get(),
                              .upload_bytes = bytes.size()};
        FARDEL_TRY_ASSIGN(Response response, perform(request));
        if (response.answer.status != 200)
            return HttpConnection::status_error(response.answer, request.url);
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
                if (is_absence_status(response->answer.status))
                    return std::optional<Response>();
                if (response->answer.status != 200)
                    return HttpConnection::status_error(response->answer, request.url);
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
        if (const std::string& encoding = response.answer.content_encoding; !encoding.empty())
            text += ", in the encoding " + printable(encoding, 40) + ", which was not requested";
        return Error(ErrorCode::corrupt, std::move(text));
    }

    Status put(CacheFileKind kind, const Hash& id, const BlobSource& bytes, std::uint64_t size_bytes,
               bool if_absent = false) {
        const Request request{.method = "PUT",
                              .url = url_of(kind, id),
                              .if_absent = if_absent,
                              .upload = &bytes,
                              .upload_bytes = size_bytes};
        FARDEL_TRY_ASSIGN(const Response response, perform(request));
        constexpr long kPreconditionFailed = 412;
        if (if_absent && response.answer.status == kPreconditionFailed)
            return ok();
        if (response.answer.status != 200 && response.answer.status != 201 && response.answer.status != 204)
            return is_absence_status(response.answer.status) || response.answer.status == 409
                       ? Error(ErrorCode::denied, printable(request.url, 400) + ": the server answers " +
                                                      std::to_string(response.answer.status) +
                                                      ": it does not create folders (nginx: create_full_put_path)")
                       : HttpConnection::status_error(response.answer, request.url);
        const std::scoped_lock lock(mutex_);
        broken_.erase(id);
        return ok();
    }

    Result<Response> perform(const Request& request) const {
        Response response{.answer = {}, .body = SpooledBytes(request.bytes_max), .hash = {}};
        Hasher hasher;
        std::optional<SentBlob> upload;
        if (request.upload != nullptr)
            upload.emplace(*request.upload, request.upload_bytes);
        HttpRequest sent{.method = request.method,
                         .url = request.url,
                         .headers = headers_of(request),
                         .body = upload ? &*upload : nullptr,
                         .body_bytes = request.upload_bytes,
                         .receive_body = {},
                         .duration_max = duration_max_of(request),
                         .progress = {}};
        const bool wants_body = request.method == "GET" || request.method == "POST";
        sent.receive_body = [&](std::span<const std::byte> bytes) -> Status {
            if (!wants_body)
                return ok();
            Status kept = response.body.append(bytes);
            if (!kept && kept.error().code() == ErrorCode::limit)
                return Error(ErrorCode::corrupt, "more bytes than expected");
            hasher.update(bytes);
            return kept;
        };
        FARDEL_TRY_ASSIGN(response.answer, server_.perform(sent, {}));
        response.hash = hasher.finish();
        return response;
    }

    static std::vector<std::string> headers_of(const Request& request) {
        std::vector<std::string> headers;
        if (request.method == "POST")
            headers.emplace_back("Content-Type: application/octet-stream");
        if (request.bypass_caches) {
            headers.emplace_back("Cache-Control: no-cache");
            headers.emplace_back("Pragma: no-cache");
        }
        if (request.if_absent)
            headers.emplace_back("If-None-Match: *");
        return headers;
    }

    std::chrono::milliseconds duration_max_of(const Request& request) const {
        const auto bytes = std::max(request.bytes_max, request.upload_bytes);
        return std::min(kDurationMax, patience(options_) + std::chrono::milliseconds(bytes / (kBytesPerSecond / 1000)));
    }

    const std::string url_;  // does not end with '/'
    const HttpLayerOptions options_;
    const HttpConnection server_;
    std::mutex mutex_;
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
    HttpCredentials credentials;
    if (!options.bearer_token.empty())
        credentials = BearerToken{options.bearer_token};
    if (!is_token(options.bearer_token))
        return Error(ErrorCode::malformed, "a token must consist of visible ASCII characters");
    const auto stall = std::chrono::duration_cast<std::chrono::seconds>(patience(options));
    FARDEL_TRY_ASSIGN(auto server,
                      HttpConnection::open(std::move(credentials), {.connect = patience(options),
                                                                    .stall = std::max(stall, std::chrono::seconds(1)),
                                                                    .stall_bytes_per_second = kStallBytesPerSecond,
                                                                    .expect_100 = std::chrono::milliseconds(200)}));
    FARDEL_TRY_ASSIGN(std::string whole, parse_server_url(url, "a cache"));
    return std::unique_ptr<CacheLayer>(
        std::make_unique<HttpLayer>(std::move(whole), std::move(options), std::move(server)));
}

}  // namespace fardel
