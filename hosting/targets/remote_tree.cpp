#include "targets/remote_tree.h"

#include "targets/file_pieces.h"

#include <fardel/format/name.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kFirstWindowBytes = 16u << 10;
constexpr std::uint64_t kWindowBytes = 256u << 10;
constexpr std::uint64_t kRangeBytesMax = 8u << 20;
constexpr std::uint64_t kErrorBytesMax = 64u << 10;
constexpr std::chrono::milliseconds kStopPause{20};

bool may_succeed_later(const Result<HttpAnswer>& answer) {
    if (!answer)
        return answer.error().code() == ErrorCode::unreachable || answer.error().code() == ErrorCode::corrupt;
    const long status = answer->status;
    return status == 408 || status == 425 || status == 429 || status == 500 || status == 502 || status == 503 ||
           status == 504;
}

class TreeFileSource final : public ByteSource {
public:
    TreeFileSource(const RemoteTree& tree, std::string url, std::uint64_t size_bytes)
        : tree_(tree), url_(std::move(url)), size_bytes_(size_bytes) {}

    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset > size_bytes_ || out.size() > size_bytes_ - offset)
            return Error(ErrorCode::corrupt, printable(url_, 400) + ": shorter than expected");
        const std::scoped_lock lock(mutex_);
        while (!out.empty()) {
            if (offset < window_offset_ || offset >= window_offset_ + window_.size())
                FARDEL_TRY(read_window(offset, out.size()));
            const std::uint64_t skipped = offset - window_offset_;
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), window_.size() - skipped));
            std::memcpy(out.data(), window_.data() + skipped, count);
            out = out.subspan(count);
            offset += count;
        }
        return ok();
    }

private:
    Status read_window(std::uint64_t offset, std::uint64_t wanted_bytes) const {
        const std::uint64_t length =
            // More than was asked for, if files are read from front to back in small pieces: each request costs a
            // round trip. Who looks at a head or an end alone gets little more than that.
            std::min(
                size_bytes_ - offset,
                std::clamp(wanted_bytes,
                           offset == window_offset_ + window_.size() && offset != 0 ? kWindowBytes : kFirstWindowBytes,
                           kRangeBytesMax));
        window_.clear();
        std::vector<std::byte> bytes(static_cast<std::size_t>(length));
        HttpRequest request{
            .url = url_, .headers = tree_.read_headers(), .answer_bytes_max = std::max(length, kErrorBytesMax)};
        request.headers.push_back("Range: bytes=" + std::to_string(offset) + "-" + std::to_string(offset + length - 1));
        FARDEL_TRY_ASSIGN(const HttpAnswer answer, tree_.perform(request));
        FARDEL_TRY_ASSIGN(const std::uint64_t total, copy_range(answer, offset, bytes, url_));
        if (total != size_bytes_)
            return Error(ErrorCode::corrupt, printable(url_, 400) + ": the server changed its size");
        window_ = std::move(bytes);
        window_offset_ = offset;
        return ok();
    }

    const RemoteTree& tree_;
    const std::string url_;
    const std::uint64_t size_bytes_;
    mutable std::mutex mutex_;
    mutable std::vector<std::byte> window_;
    mutable std::uint64_t window_offset_ = 0;
};

}  // namespace

RemoteTree::RemoteTree(std::string url, HttpConnection connection, RemoteTreeOptions options)
    : url_(std::move(url)), connection_(std::move(connection)), options_(std::move(options)) {}

Result<std::string> RemoteTree::url_of(const std::string& path) const {
    if (!is_tree_path(path))
        return Error(ErrorCode::malformed, "\"" + printable(path, 400) + "\" cannot be a path of a static tree");
    return url_ + "/" + path;
}

Result<HttpAnswer> RemoteTree::perform(const HttpRequest& request, const std::stop_token& stop) const {
    return perform_made([&]() -> Result<HttpRequest> { return request; }, stop);
}

Result<HttpAnswer> RemoteTree::perform_made(const std::function<Result<HttpRequest>()>& make,
                                            const std::stop_token& stop) const {
    auto pause = options_.first_pause;
    for (unsigned attempt = 1;; ++attempt) {
        FARDEL_TRY_ASSIGN(const HttpRequest request, make());
        auto answer = connection_.perform(request, stop);
        if (attempt >= options_.attempts_max || !may_succeed_later(answer))
            return answer;
        const auto until = std::chrono::steady_clock::now() + pause;
        while (std::chrono::steady_clock::now() < until && !stop.stop_requested())
            std::this_thread::sleep_for(std::min(pause, kStopPause));
        pause *= 2;
    }
}

Result<std::shared_ptr<const ByteSource>> RemoteTree::open_found(const HttpAnswer& found,
                                                                 const std::string& url) const {
    if (!found.content_bytes)
        return Error(ErrorCode::malformed, printable(url, 400) + ": the server does not say how large it is");
    return std::shared_ptr<const ByteSource>(std::make_shared<TreeFileSource>(*this, url, *found.content_bytes));
}

Result<PutOutcome> compare_with(const ByteSource& bytes, const ByteSource& there, const std::string& url,
                                const PublishWork& work) {
    FARDEL_TRY_ASSIGN(const bool equal, has_equal_bytes(bytes, there, work));
    if (!equal)
        return Error(ErrorCode::conflict, printable(url, 400) + ": is there with other bytes");
    return PutOutcome::was_there;
}

}  // namespace fardel
