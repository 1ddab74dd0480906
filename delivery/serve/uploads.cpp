#include "serve/uploads.h"

#include <fardel/base/file.h>
#include <fardel/delivery/publish.h>
#include <fardel/format/file_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/random.h>
#include <fardel/verifier/verify_bundle.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

namespace fardel {
namespace {

// Creates a file of the tree's file system and removes its name at once, so that nothing is left of it if the server is
// killed.
Result<Descriptor> create_nameless_file(const std::string& folder) {
    Hash random;
    fill_random(std::as_writable_bytes(std::span(random.bytes)));
    const std::string path = folder + "/.fardel-upload-" + random.hex();
    FARDEL_TRY_ASSIGN(Descriptor file, create_file(path, path, 0600));
    FARDEL_TRY(remove_file(path, path));
    return file;
}

// Of the bundle files in the tree; those that disappear meanwhile do not count.
std::uint64_t tree_bytes(const std::string& tree) {
    std::uint64_t bytes = 0;
    std::error_code failure;
    for (std::filesystem::directory_iterator entry(tree + "/bundles", failure), end; !failure && entry != end;
         entry.increment(failure)) {
        std::error_code gone;
        const auto size = entry->is_regular_file(gone) ? entry->file_size(gone) : 0;
        bytes += gone ? 0 : size;
    }
    return bytes;
}

ServerAnswer refuse_upload(const Error& error) {
    switch (error.code()) {
        case ErrorCode::busy: return plain_answer(503, "a part of the bundle is being removed; try again in an hour");
        case ErrorCode::conflict: return plain_answer(409, error.message());
        case ErrorCode::no_space: return plain_answer(507, "the server has no room for the file");
        case ErrorCode::cancelled: return plain_answer(503, "the server stops; try again later");
        case ErrorCode::corrupt:
        case ErrorCode::malformed:
        case ErrorCode::unsupported:
        case ErrorCode::untrusted:
        case ErrorCode::revoked:
        case ErrorCode::expired: return plain_answer(422, error.message());
        default: return plain_answer(500, "the server cannot write the file");
    }
}

}  // namespace

// One upload. Its room in the tree is reserved while it exists.
class Uploads::Receiver final : public BodyReceiver {
public:
    Receiver(Uploads& uploads, const BundleId& bundle, std::uint64_t file_bytes, Descriptor file)
        : uploads_(uploads), bundle_(bundle), file_bytes_(file_bytes), file_(std::move(file)) {}
    ~Receiver() override { uploads_.release(file_bytes_); }

    std::optional<ServerAnswer> take(std::span<const std::byte> bytes) override {
        if (bytes.size() > file_bytes_ - received_bytes_)
            return plain_answer(400, "more bytes than the request announced");
        if (received_bytes_ < head_.size())
            if (auto refused = take_head(bytes))
                return refused;
        const Status written = write_whole_at(file_, received_bytes_, bytes, "an upload");
        received_bytes_ += bytes.size();
        return written ? std::nullopt : std::optional(refuse_upload(written.error()));
    }

    ServerAnswer finish() override {
        if (received_bytes_ != file_bytes_)
            return plain_answer(400, "fewer bytes than the request announced");
        const auto published = publish();
        if (!published)
            return refuse_upload(published.error());
        return plain_answer(published->was_there ? 200 : 201,
                            published->was_there ? "the file was published already" : "published");
    }

private:
    // Another bundle than the target names is refused before the rest of it is sent.
    std::optional<ServerAnswer> take_head(std::span<const std::byte> bytes) {
        const auto at = static_cast<std::size_t>(received_bytes_);
        const std::size_t size = std::min(bytes.size(), head_.size() - at);
        std::ranges::copy(bytes.first(size), head_.begin() + static_cast<std::ptrdiff_t>(at));
        if (at + size < head_.size() || bundle_id(head_) == bundle_)
            return std::nullopt;
        return plain_answer(422, "the file is not the bundle that its path names");
    }

    Result<Publication> publish() {
        auto source = make_file_source(std::move(file_), file_bytes_, "the file");
        const std::stop_token stop = uploads_.stop_.get_token();
        FARDEL_TRY_ASSIGN(const VerifyReport report,
                          verify_bundle(source, {.policy = uploads_.rules_.policy, .time = {}, .stop = stop}));
        if (!report.good()) {
            const auto first = std::ranges::find(report.findings, FindingSeverity::error, &VerifyFinding::severity);
            return Error(ErrorCode::corrupt, "the bundle is refused: " + format_finding(*first));
        }
        // Of two uploads of one bundle, the second one finds the file of the first.
        const std::scoped_lock lock(uploads_.publishing_);
        return publish_bundle(source, uploads_.tree_,
                              {.progress = {}, .stop = stop, .now_s = TrustTime::system().now_s().value_or(0)});
    }

    Uploads& uploads_;
    const BundleId bundle_;
    const std::uint64_t file_bytes_;
    Descriptor file_;
    HeadBytes head_{};
    std::uint64_t received_bytes_ = 0;
};

Uploads::~Uploads() = default;

std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> Uploads::begin(const RequestedFile& file,
                                                                         const ReceivedRequest& request) {
    if (rules_.tokens.find(request.header("Authorization")) == nullptr) {
        ServerAnswer answer = plain_answer(401, "uploading needs a token that this server knows");
        answer.headers.emplace_back("WWW-Authenticate", "Bearer");
        return answer;
    }
    if (file.kind != RequestedFileKind::bundle)
        return plain_answer(405, "only bundle files are uploaded; the server makes the rest");
    const std::string_view length = request.header("Content-Length");
    std::uint64_t file_bytes = 0;
    const auto parsed = std::from_chars(length.data(), length.data() + length.size(), file_bytes);
    if (length.empty() || parsed.ec != std::errc() || parsed.ptr != length.data() + length.size())
        return plain_answer(411, "the size of the file must be announced");
    if (file_bytes < sizeof(HeadBytes) || file_bytes > rules_.file_bytes_max)
        return plain_answer(413, "no bundle file has that size, or it is too large for this server");
    if (auto refused = reserve(file_bytes))
        return *std::move(refused);
    auto staged = create_nameless_file(tree_);
    if (!staged) {
        release(file_bytes);
        return refuse_upload(staged.error());
    }
    return std::make_unique<Receiver>(*this, file.bundle, file_bytes, *std::move(staged));
}

std::optional<ServerAnswer> Uploads::reserve(std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (under_way_ >= rules_.uploads_max)
        return plain_answer(503, "too many uploads at once; try again later");
    if (rules_.tree_bytes_max != 0) {
        const std::uint64_t used = tree_bytes(tree_) + reserved_bytes_;
        if (used > rules_.tree_bytes_max || bytes > rules_.tree_bytes_max - used)
            return plain_answer(507, "the quota of this server is used up");
    }
    reserved_bytes_ += bytes;
    ++under_way_;
    return std::nullopt;
}

void Uploads::release(std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    reserved_bytes_ -= bytes;
    --under_way_;
}

}  // namespace fardel
