// The tree of a `fardel serve` that accepts uploads: bundle files are sent, and the server makes the rest.
#include "targets/remote_targets.h"

#include <fardel/format/bundle.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include <utility>

namespace fardel {
namespace {

constexpr long kCreated = 201;
constexpr long kOkStatus = 200;
constexpr long kConflictStatus = 409;
constexpr long kNothingThereStatus = 404;
constexpr long kTakesNoUploadsStatus = 405;
constexpr long kRefusedStatus = 422;
constexpr long kRangeStatus = 416;
constexpr std::size_t kUploadIdDigits = 64;
constexpr std::string_view kSignaturesEnd = ".signatures";

class UploadTarget final : public TreeTarget {
public:
    explicit UploadTarget(std::unique_ptr<RemoteTree> tree) : tree_(std::move(tree)) {}

    std::string name() const override { return "the server " + printable(tree_->url(), 400); }

    Result<std::shared_ptr<const ByteSource>> open(const std::string& path) override {
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(path));
        FARDEL_TRY_ASSIGN(const HttpAnswer answer, tree_->perform({.method = "HEAD", .url = url}));
        if (answer.status != kOkStatus)
            return HttpConnection::status_error(answer, url);
        return tree_->open_found(answer, url);
    }

    Result<PutOutcome> put(const std::string& path, const ByteSource& bytes, const PublishWork& work) override {
        if (!path.ends_with(".fardel"))
            return PutOutcome::was_there;  // the server's work
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(path));
        const auto there = open(path);
        if (there)
            return compare_tables(bytes, *there, url);
        if (there.error().code() != ErrorCode::missing)
            return there.error();
        const std::stop_token& stop = work.stop.stop_possible() ? work.stop : tree_->stop();
        FARDEL_TRY_ASSIGN(HttpAnswer answer,
                          tree_->perform_made([&] { return make_put(path, url, bytes, work, stop); }, stop));
        if (answer.status == kRangeStatus) {  // others have continued it, or it was too old
            FARDEL_TRY_ASSIGN(answer, tree_->perform(put_from(0, url, bytes, work), stop));
        }
        switch (answer.status) {
            case kCreated: return PutOutcome::written;
            case kOkStatus: return PutOutcome::was_there;
            case kConflictStatus: return Error(ErrorCode::conflict, printable(url, 400) + ": " + said_by(answer));
            case kRefusedStatus: return Error(ErrorCode::denied, printable(url, 400) + ": " + said_by(answer));
            default: return HttpConnection::status_error(answer, url).with_context("uploading (PUT)");
        }
    }

    // The server keeps its heads to itself, but for signatures that came later.
    Result<std::optional<TreeHead>> find_head(const std::string& path) override {
        if (!path.ends_with(kSignaturesEnd))
            return std::optional<TreeHead>();
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(path));
        FARDEL_TRY_ASSIGN(const HttpAnswer answer,
                          tree_->perform({.url = url, .answer_bytes_max = limits::kTrailerBytesMax}));
        if (answer.status == kNothingThereStatus)
            return std::optional<TreeHead>();
        if (answer.status != kOkStatus)
            return HttpConnection::status_error(answer, url);
        return std::optional(TreeHead{.bytes = answer.body, .version = blake3(answer.body).hex()});
    }

    // The server adds what it lacks to what it has, whatever the version: so two publishers never undo each other.
    Status replace_head(const std::string& path, std::span<const std::byte> bytes, const std::string&) override {
        if (!path.ends_with(kSignaturesEnd))
            return refuse();
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(path));
        const auto body = make_memory_source({bytes.begin(), bytes.end()});
        FARDEL_TRY_ASSIGN(
            const HttpAnswer answer,
            tree_->perform({.method = "PUT", .url = url, .body = body.get(), .body_bytes = body->size_bytes()}));
        switch (answer.status) {
            case kOkStatus:
            case kCreated: return ok();
            case kTakesNoUploadsStatus:
                return Error(ErrorCode::unsupported, name() +
                                                         " has an older version of Fardel, which takes no later "
                                                         "signatures; publish them into its folder");
            case kRefusedStatus: return Error(ErrorCode::denied, printable(url, 400) + ": " + said_by(answer));
            default: return HttpConnection::status_error(answer, url).with_context("adding signatures (PUT)");
        }
    }
    Result<std::vector<TreeFile>> list(const std::string&) override { return refuse(); }
    Result<std::vector<TreeFile>> list_below(const std::string&) override { return refuse(); }
    Result<bool> remove(const std::string&) override { return refuse(); }

private:
    // The heads give the hashes of all tables, and these of all content; the server has verified every byte of what it
    // published. So what would be compared is never moved: only heads and signatures are.
    static Result<PutOutcome> compare_tables(const ByteSource& bytes, const std::shared_ptr<const ByteSource>& there,
                                             const std::string& url) {
        const auto own = Bundle::open(borrow(bytes), {});
        const auto published = Bundle::open(there, {.policy = nullptr, .time = {}, .cache = {}, .label = url});
        if (!own)
            return own.error();
        if (!published)
            return published.error();
        if (bytes.size_bytes() != there->size_bytes() || (*own)->id() != (*published)->id() ||
            (*own)->layout_id() != (*published)->layout_id() || (*own)->envelopes() != (*published)->envelopes())
            return Error(ErrorCode::conflict, printable(url, 400) +
                                                  ": is there in another layout or with other "
                                                  "signatures");
        return PutOutcome::was_there;
    }

    // Not longer than the call.
    static std::shared_ptr<const ByteSource> borrow(const ByteSource& bytes) {
        return {std::shared_ptr<const ByteSource>(), &bytes};
    }

    // Goes on behind what the server has received of an earlier attempt.
    Result<HttpRequest> make_put(const std::string& path, const std::string& url, const ByteSource& bytes,
                                 const PublishWork& work, const std::stop_token& stop) const {
        const auto slash = path.rfind('/') + 1;
        FARDEL_TRY_ASSIGN(const std::string part, tree_->url_of("uploads/" + path.substr(slash, kUploadIdDigits)));
        const auto received = tree_->perform_once({.method = "HEAD", .url = part}, stop);
        const bool is_part = received && received->status == kOkStatus && received->content_bytes;
        const std::uint64_t offset = is_part ? *received->content_bytes : 0;
        return put_from(offset < bytes.size_bytes() ? offset : 0, url, bytes, work);
    }

    static HttpRequest put_from(std::uint64_t offset, const std::string& url, const ByteSource& bytes,
                                const PublishWork& work) {
        const std::uint64_t file_bytes = bytes.size_bytes();
        HttpRequest request{
            .method = "PUT", .url = url, .body = &bytes, .body_offset = offset, .body_bytes = file_bytes - offset};
        if (offset != 0)
            request.headers.push_back("Content-Range: bytes " + std::to_string(offset) + "-" +
                                      std::to_string(file_bytes - 1) + "/" + std::to_string(file_bytes));
        if (work.progress)
            request.progress = [&work, offset, file_bytes](std::uint64_t sent) {
                work.progress(offset + sent, file_bytes);
            };
        return request;
    }

    Error refuse() const { return Error(ErrorCode::unsupported, name() + " takes bundles, and nothing else"); }
    static std::string said_by(const HttpAnswer& answer) {
        const std::string_view text(reinterpret_cast<const char*>(answer.body.data()), answer.body.size());
        return "the server says: " + printable(text.substr(0, text.find('\n')), 400);
    }

    const std::unique_ptr<RemoteTree> tree_;
};

}  // namespace

std::unique_ptr<TreeTarget> make_upload_target(std::unique_ptr<RemoteTree> tree) {
    return std::make_unique<UploadTarget>(std::move(tree));
}

}  // namespace fardel
