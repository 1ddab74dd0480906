// The tree in a bucket of an object store that speaks S3: PUT with conditions, multipart uploads, lists of keys.
#include "targets/part_sender.h"
#include "targets/remote_targets.h"
#include "targets/xml_elements.h"

#include "targets/file_pieces.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>
#include <fardel/format/sha256.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kPartBytesMin = 16u << 20;
constexpr std::uint64_t kHashedBytesMax = 1u << 20;  // at a time
constexpr std::uint64_t kPartsMax = 9'000;           // of one upload; stores allow 10,000
constexpr std::uint64_t kPageBytesMax = 8u << 20;    // of one page
constexpr unsigned kPagesMax = 10'000;
constexpr std::string_view kMarkerPath = "fardel-tree";
constexpr std::string_view kMarker = "A static tree of Fardel bundles.\n";

std::string_view text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Encodes as signatures demand it: only unreserved characters stay.
std::string url_encoded(std::string_view text) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        const bool stays = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
                           c == '_' || c == '.' || c == '~';
        if (stays) {
            encoded += c;
            continue;
        }
        encoded += '%';
        encoded += kDigits[static_cast<unsigned char>(c) >> 4];
        encoded += kDigits[static_cast<unsigned char>(c) & 15];
    }
    return encoded;
}

// Returns the store's own word for an error, "NoSuchBucket"; empty if it has none. Nothing else of the answer is
// printed: it may repeat what was signed.
std::string error_word(const HttpAnswer& answer) {
    const auto elements = parse_xml_elements(text_of(answer.body), "Error");
    if (!elements)
        return {};
    const std::string_view word = xml_text(*elements, "Code");
    const bool is_word = !word.empty() && word.size() <= 60 && std::ranges::all_of(word, [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    });
    return is_word ? std::string(word) : std::string();
}

Error store_error(const HttpAnswer& answer, const std::string& url) {
    const std::string word = error_word(answer);
    HttpAnswer bare;
    bare.status = answer.status;
    bare.location = answer.location;
    const Error plain = HttpConnection::status_error(bare, url);
    if (word == "RequestTimeTooSkewed")
        return Error(ErrorCode::denied, plain.message() + ", " + word +
                                            ": the clock of this machine differs from that of the server; set it");
    if (word == "SignatureDoesNotMatch" || word == "InvalidAccessKeyId")
        return Error(ErrorCode::denied, plain.message() + ", " + word +
                                            ": the access key or its secret is wrong, or the region or endpoint");
    if (word == "ExpiredToken")
        return Error(ErrorCode::expired, plain.message() + ", " + word + ": the session token has ended");
    if (word == "NoSuchBucket")
        return Error(ErrorCode::missing, plain.message() + ", " + word + ": create the bucket first");
    return word.empty() ? plain : Error(plain.code(), plain.message() + ", " + word);
}

Result<Hash> hash_of(const ByteSource& bytes, const std::stop_token& stop) {
    Hasher hasher;
    FARDEL_TRY(read_file_pieces(bytes, {.progress = {}, .stop = stop},
                                [&](std::uint64_t, std::span<const std::byte> piece) -> Status {
                                    hasher.update(piece);
                                    return ok();
                                }));
    return hasher.finish();
}

Result<std::string> sha256_of_part(const ByteSource& bytes, const UploadPart& part, const std::stop_token& stop) {
    Sha256Hasher hasher;
    std::vector<std::byte> piece;
    for (std::uint64_t at = 0; at < part.length_bytes; at += piece.size()) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "publishing was stopped");
        piece.resize(static_cast<std::size_t>(std::min(kHashedBytesMax, part.length_bytes - at)));
        FARDEL_TRY(bytes.read_at(part.offset + at, piece));
        hasher.update(piece);
    }
    return hasher.finish_hex();
}

class S3Target final : public TreeTarget {
public:
    S3Target(std::unique_ptr<RemoteTree> tree, std::string bucket_url, std::string prefix)
        : tree_(std::move(tree)), bucket_url_(std::move(bucket_url)), prefix_(std::move(prefix)) {}

    // Finds out whether the store refuses to write a key that exists.
    Status probe() {
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(std::string(kMarkerPath)));
        const auto bytes =
            make_memory_source({std::as_bytes(std::span(kMarker)).begin(), std::as_bytes(std::span(kMarker)).end()});
        // Only a second write shows it: stores that do not know the condition ignore it.
        for (int attempt = 0; attempt < 2; ++attempt) {
            FARDEL_TRY_ASSIGN(const HttpAnswer answer, send(url, *bytes, {"If-None-Match: *"}, {}, tree_->stop()));
            if (answer.status == 412) {
                knows_conditions_ = true;
                return ok();
            }
            if (answer.status == 501 || answer.status == 400) {
                FARDEL_TRY_ASSIGN(const HttpAnswer plain, send(url, *bytes, {}, {}, tree_->stop()));
                return plain.status == 200 ? ok() : store_error(plain, url);
            }
            if (answer.status != 200 && answer.status != 201)
                return store_error(answer, url);
        }
        return ok();  // it was written twice
    }

    std::string name() const override { return "the bucket " + printable(tree_->url(), 400); }

    Result<std::shared_ptr<const ByteSource>> open(const std::string& path) override {
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(path));
        FARDEL_TRY_ASSIGN(const HttpAnswer answer, head(url));
        if (answer.status != 200)
            return store_error(answer, url);
        return tree_->open_found(answer, url);
    }

    Result<PutOutcome> put(const std::string& path, const ByteSource& bytes, const PublishWork& work) override {
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(path));
        const std::stop_token& stop = work.stop.stop_possible() ? work.stop : tree_->stop();
        FARDEL_TRY_ASSIGN(const Hash hash, hash_of(bytes, stop));
        FARDEL_TRY_ASSIGN(const HttpAnswer there, head(url));
        if (there.status == 200)
            return compare(bytes, hash, there, url, work);
        if (there.status != 404)
            return store_error(there, url);
        FARDEL_TRY_ASSIGN(const bool written, bytes.size_bytes() <= kPartBytesMin
                                                  ? put_whole(url, bytes, hash, work, stop)
                                                  : put_parts(url, bytes, hash, work, stop));
        // Some stores answer 200 before they can tell whether the body was whole.
        FARDEL_TRY_ASSIGN(const HttpAnswer now, head(url));
        if (now.status != 200)
            return store_error(now, url);
        FARDEL_TRY(compare(bytes, hash, now, url, work));
        return written ? PutOutcome::written : PutOutcome::was_there;
    }

    Result<std::optional<TreeHead>> find_head(const std::string& path) override {
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(path));
        FARDEL_TRY_ASSIGN(HttpAnswer answer, get(url, kTreeHeadBytesMax));
        if (answer.status == 404)
            return std::optional<TreeHead>();
        if (answer.status != 200)
            return store_error(answer, url);
        TreeHead head{.bytes = std::move(answer.body)};
        head.version = answer.etag.empty() ? blake3(head.bytes).hex() : std::move(answer.etag);
        return std::optional<TreeHead>(std::move(head));
    }

    Status replace_head(const std::string& path, std::span<const std::byte> bytes,
                        const std::string& version) override {
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(path));
        FARDEL_TRY_ASSIGN(const auto there, find_head(path));
        const Error replaced(ErrorCode::conflict, printable(url, 400) + ": another program has replaced it");
        if ((there ? there->version : "") != version)
            return replaced;
        std::vector<std::string> headers;
        if (knows_conditions_)
            headers.push_back(version.empty() ? "If-None-Match: *" : "If-Match: " + version);
        const auto source = make_memory_source({bytes.begin(), bytes.end()});
        FARDEL_TRY_ASSIGN(const HttpAnswer answer, send(url, *source, std::move(headers), {}, tree_->stop()));
        if (answer.status == 412 || answer.status == 409)
            return replaced;
        return answer.status == 200 || answer.status == 201 ? ok() : store_error(answer, url);
    }

    Result<std::vector<TreeFile>> list(const std::string& folder) override {
        return list_keys(folder, KeysListed::in_folder);
    }
    Result<std::vector<TreeFile>> list_below(const std::string& folder) override {
        return list_keys(folder, KeysListed::below_folder);
    }

    Result<bool> remove(const std::string& path) override {
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(path));
        FARDEL_TRY_ASSIGN(const HttpAnswer there, head(url));
        if (there.status == 404)
            return false;
        FARDEL_TRY_ASSIGN(const HttpAnswer answer,
                          tree_->perform({.method = "DELETE", .url = url, .headers = {empty_body_header()}}));
        if (answer.status != 204 && answer.status != 200)
            return store_error(answer, url);
        return true;
    }

private:
    enum class KeysListed : unsigned char { in_folder, below_folder };

    Result<std::vector<TreeFile>> list_keys(const std::string& folder, KeysListed listed) const {
        if (!is_tree_path(folder))
            return Error(ErrorCode::malformed,
                         "\"" + printable(folder, 400) + "\" cannot be a folder of a static tree");
        const std::string key_prefix = prefix_ + folder + "/";
        std::vector<TreeFile> files;
        std::string token;
        for (unsigned page = 0; page < kPagesMax; ++page) {
            std::string url = bucket_url_ + "/?";  // the parameters in the order in which they are signed
            if (!token.empty())
                url += "continuation-token=" + url_encoded(token) + "&";
            url += listed == KeysListed::in_folder ? "delimiter=%2F&list-type=2" : "list-type=2";
            url += "&prefix=" + url_encoded(key_prefix);
            FARDEL_TRY_ASSIGN(const HttpAnswer answer, get(url, kPageBytesMax));
            if (answer.status != 200)
                return store_error(answer, bucket_url_);
            FARDEL_TRY_ASSIGN(const auto elements, parse_xml_elements(text_of(answer.body), "ListBucketResult"));
            add_files(files, key_prefix, listed, elements);
            token = xml_text(elements, "NextContinuationToken");
            if (xml_text(elements, "IsTruncated") != "true" || token.empty()) {
                std::ranges::sort(files, {}, &TreeFile::path);
                return files;
            }
        }
        return Error(ErrorCode::limit, printable(bucket_url_, 400) + ": the list of its keys does not end");
    }

    static std::string body_header(std::span<const std::byte> body) {
        return "X-Amz-Content-Sha256: " + sha256_hex(body);
    }
    static std::string empty_body_header() { return body_header({}); }

    Result<HttpAnswer> head(const std::string& url) const {
        return tree_->perform({.method = "HEAD", .url = url, .headers = {empty_body_header()}});
    }
    Result<HttpAnswer> get(const std::string& url, std::uint64_t bytes_max) const {
        return tree_->perform(
            {.url = url, .headers = {empty_body_header(), "Cache-Control: no-cache"}, .answer_bytes_max = bytes_max});
    }
    Result<HttpAnswer> post(const std::string& url, std::string_view body, std::vector<std::string> headers) const {
        const auto bytes = std::as_bytes(std::span(body));
        const auto source = make_memory_source({bytes.begin(), bytes.end()});
        headers.push_back(body_header(bytes));
        return tree_->perform({.method = "POST",
                               .url = url,
                               .headers = std::move(headers),
                               .body = source.get(),
                               .body_bytes = body.size(),
                               .answer_bytes_max = 1u << 20});
    }

    // Sends a body that fits into memory, with its hash: the store refuses other bytes.
    Result<HttpAnswer> send(const std::string& url, const ByteSource& bytes, std::vector<std::string> headers,
                            std::function<void(std::uint64_t)> progress, const std::stop_token& stop) const {
        std::vector<std::byte> body(static_cast<std::size_t>(bytes.size_bytes()));
        FARDEL_TRY(bytes.read_at(0, body));
        headers.push_back(body_header(body));
        const auto source = make_memory_source(std::move(body));
        return tree_->perform({.method = "PUT",
                               .url = url,
                               .headers = std::move(headers),
                               .body = source.get(),
                               .body_bytes = source->size_bytes(),
                               .progress = std::move(progress)},
                              stop);
    }

    Result<PutOutcome> compare(const ByteSource& bytes, const Hash& hash, const HttpAnswer& there,
                               const std::string& url, const PublishWork& work) const {
        if (there.blake3 == hash.hex() && there.content_bytes == bytes.size_bytes())
            return PutOutcome::was_there;
        FARDEL_TRY_ASSIGN(const auto file, tree_->open_found(there, url));
        return compare_with(bytes, *file, url, work);
    }

    std::vector<std::string> headers_of(const Hash& hash) const {
        return {"X-Amz-Meta-Fardel-Blake3: " + hash.hex(), "Content-Type: application/octet-stream"};
    }

    // Return false if the key exists meanwhile.
    Result<bool> put_whole(const std::string& url, const ByteSource& bytes, const Hash& hash, const PublishWork& work,
                           const std::stop_token& stop) const {
        std::vector<std::string> headers = headers_of(hash);
        if (knows_conditions_)
            headers.emplace_back("If-None-Match: *");
        std::function<void(std::uint64_t)> progress;
        if (work.progress)
            progress = [&](std::uint64_t sent) { work.progress(sent, bytes.size_bytes()); };
        FARDEL_TRY_ASSIGN(const HttpAnswer answer, send(url, bytes, std::move(headers), std::move(progress), stop));
        if (answer.status == 412)
            return false;
        if (answer.status != 200 && answer.status != 201)
            return store_error(answer, url);
        return true;
    }

    Result<bool> put_parts(const std::string& url, const ByteSource& bytes, const Hash& hash, const PublishWork& work,
                           const std::stop_token& stop) const {
        FARDEL_TRY_ASSIGN(const HttpAnswer begun, post(url + "?uploads=", {}, headers_of(hash)));
        if (begun.status != 200)
            return store_error(begun, url);
        FARDEL_TRY_ASSIGN(const auto elements,
                          parse_xml_elements(text_of(begun.body), "InitiateMultipartUploadResult"));
        const std::string_view id = xml_text(elements, "UploadId");
        if (id.empty() || id.size() > 2000)
            return Error(ErrorCode::malformed, printable(url, 400) + ": the store gives the upload no id");
        const std::string upload = "uploadId=" + url_encoded(id);
        auto written = send_and_join(url, upload, bytes, work, stop);
        // Parts of an unfinished upload cost their owner money, and are in no list of keys.
        if (!written || !*written)
            static_cast<void>(
                tree_->perform({.method = "DELETE", .url = url + "?" + upload, .headers = {empty_body_header()}}, {}));
        return written;
    }

    Result<bool> send_and_join(const std::string& url, const std::string& upload, const ByteSource& bytes,
                               const PublishWork& work, const std::stop_token& stop) const {
        const std::uint64_t mib = 1u << 20;
        const std::uint64_t part_bytes = std::max(kPartBytesMin, (bytes.size_bytes() / kPartsMax / mib + 1) * mib);
        const SendPart send_one = [&](const UploadPart& part, const std::function<void(std::uint64_t)>& sent,
                                      const std::stop_token& stopped) {
            return send_part(url, upload, bytes, part, sent, stopped);
        };
        FARDEL_TRY_ASSIGN(const auto tags, send_parts(bytes.size_bytes(), part_bytes, send_one, work.progress, stop));
        std::string list = "<CompleteMultipartUpload>";
        for (std::size_t i = 0; i < tags.size(); ++i)
            list += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>" + tags[i] + "</ETag></Part>";
        std::vector<std::string> headers{"Content-Type: application/xml"};
        if (knows_conditions_)
            headers.emplace_back("If-None-Match: *");
        FARDEL_TRY_ASSIGN(const HttpAnswer done,
                          post(url + "?" + upload, list + "</CompleteMultipartUpload>", std::move(headers)));
        if (done.status == 412)
            return false;
        if (done.status != 200 || !error_word(done).empty())  // 200 may carry an error
            return store_error(done, url);
        return true;
    }

    // Returns the part's ETag. Reads the part twice instead of keeping it: once for its hash, which is signed.
    Result<std::string> send_part(const std::string& url, const std::string& upload, const ByteSource& bytes,
                                  const UploadPart& part, const std::function<void(std::uint64_t)>& progress,
                                  const std::stop_token& stop) const {
        FARDEL_TRY_ASSIGN(const std::string hash, sha256_of_part(bytes, part, stop));
        FARDEL_TRY_ASSIGN(HttpAnswer answer,
                          tree_->perform({.method = "PUT",
                                          .url = url + "?partNumber=" + std::to_string(part.number) + "&" + upload,
                                          .headers = {"X-Amz-Content-Sha256: " + hash},
                                          .body = &bytes,
                                          .body_offset = part.offset,
                                          .body_bytes = part.length_bytes,
                                          .progress = progress},
                                         stop));
        if (answer.status != 200)
            return store_error(answer, url);
        const bool is_plain =
            !answer.etag.empty() && answer.etag.size() <= 200 && answer.etag.find_first_of("<>&") == std::string::npos;
        if (!is_plain)
            return Error(ErrorCode::malformed, printable(url, 400) + ": the store gives a part no ETag");
        return std::move(answer.etag);
    }

    void add_files(std::vector<TreeFile>& files, const std::string& key_prefix, KeysListed listed,
                   const std::vector<XmlElement>& elements) const {
        bool is_file = false;
        for (const XmlElement& element : elements) {
            if (element.name == "Key") {
                is_file = element.text.starts_with(key_prefix) && is_tree_path(element.text.substr(prefix_.size())) &&
                          (listed == KeysListed::below_folder ||
                           element.text.find('/', key_prefix.size()) == std::string::npos);
                if (is_file)
                    files.push_back({.path = element.text.substr(prefix_.size())});
            } else if (is_file && element.name == "Size") {
                files.back().size_bytes = parse_decimal(element.text, UINT64_MAX).value_or(0);
            }
        }
    }

    const std::unique_ptr<RemoteTree> tree_;
    const std::string bucket_url_;  // does not end with '/'
    const std::string prefix_;      // ends with '/', or is empty
    bool knows_conditions_ = false;
};

}  // namespace

Result<std::unique_ptr<TreeTarget>> open_s3_target(std::unique_ptr<RemoteTree> tree, std::string bucket_url,
                                                   std::string prefix) {
    auto target = std::make_unique<S3Target>(std::move(tree), std::move(bucket_url), std::move(prefix));
    FARDEL_TRY(target->probe());
    return std::unique_ptr<TreeTarget>(std::move(target));
}

}  // namespace fardel
