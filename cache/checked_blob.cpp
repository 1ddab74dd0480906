#include "checked_blob.h"

#include <fardel/format/hash.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kPieceBytes = 64u << 10;
constexpr std::size_t kReadBytes = 256u << 10;

}  // namespace

// ---- As a stream ----------------------------------------------------------------------------------------------------

class CheckedBlob::Stream final : public BlobStream {
public:
    Stream(const CheckedBlob& blob, std::unique_ptr<BlobStream> stream) : blob_(blob), stream_(std::move(stream)) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        if (out.empty())
            return std::size_t{0};
        auto count = stream_->read(out);
        if (!count)
            return blob_.failed(std::move(count).error());
        bytes_read_ += *count;
        if (bytes_read_ > blob_.size_bytes_)
            return blob_.broken("more bytes");
        if (*count == 0 && bytes_read_ < blob_.size_bytes_)
            return blob_.broken("only " + std::to_string(bytes_read_) + " bytes");
        hasher_.update(out.first(*count));
        // Before the last bytes are returned: a reader that has all of them has the asset.
        if (!checked_ && bytes_read_ == blob_.size_bytes_) {
            if (id_from<AssetId>(hasher_.finish()) != blob_.asset_)
                return blob_.broken("other bytes");
            checked_ = true;
        }
        return count;
    }

private:
    const CheckedBlob& blob_;
    const std::unique_ptr<BlobStream> stream_;
    Hasher hasher_;
    std::uint64_t bytes_read_ = 0;
    bool checked_ = false;
};

// ---- At any offset --------------------------------------------------------------------------------------------------

// Reads at offsets, piece by piece. Each piece is copied to private memory first, and the copy is hashed and returned.
class CheckedBlob::Bytes final : public ByteSource {
public:
    Bytes(std::shared_ptr<const ByteSource> bytes, const AssetId& asset) : bytes_(std::move(bytes)), asset_(asset) {}

    // Must be called first. Returns false if the bytes are not those of the asset.
    Result<bool> learn() {
        Hasher whole;
        std::vector<std::byte> piece(kPieceBytes);
        for (std::uint64_t at = 0; at < size_bytes(); at += kPieceBytes) {
            const auto part = std::span(piece).first(piece_size(at));
            FARDEL_TRY(bytes_->read_at(at, part));
            whole.update(part);
            pieces_.push_back(blake3(part));
        }
        return id_from<AssetId>(whole.finish()) == asset_;
    }

    std::uint64_t size_bytes() const noexcept override { return bytes_->size_bytes(); }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset > size_bytes() || out.size() > size_bytes() - offset)
            return Error(ErrorCode::corrupt,
                         "asset " + asset_.hex() + ": has only " + std::to_string(size_bytes()) + " bytes");
        std::vector<std::byte> piece(out.empty() ? 0 : kPieceBytes);
        while (!out.empty()) {
            // Whole pieces are read, since only these have hashes.
            const std::uint64_t start = offset / kPieceBytes * kPieceBytes;
            const auto part = std::span(piece).first(piece_size(start));
            FARDEL_TRY(bytes_->read_at(start, part));
            if (blake3(part) != pieces_[static_cast<std::size_t>(start / kPieceBytes)])
                return Error(ErrorCode::corrupt, "asset " + asset_.hex() + ": its bytes in the cache have changed");
            const auto wanted = part.subspan(static_cast<std::size_t>(offset - start));
            const std::size_t count = std::min(wanted.size(), out.size());
            std::ranges::copy(wanted.first(count), out.begin());
            out = out.subspan(count);
            offset += count;
        }
        return ok();
    }

private:
    std::size_t piece_size(std::uint64_t start) const noexcept {
        return static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, size_bytes() - start));
    }

    const std::shared_ptr<const ByteSource> bytes_;
    const AssetId asset_;
    std::vector<Hash> pieces_;
};

// ---- The blob -------------------------------------------------------------------------------------------------------

CheckedBlob::CheckedBlob(std::shared_ptr<const BlobSource> source, const AssetId& asset, std::uint64_t size_bytes,
                         std::function<void()> on_broken)
    : source_(std::move(source)), asset_(asset), size_bytes_(size_bytes), on_broken_(std::move(on_broken)) {}

Error CheckedBlob::broken(std::string_view how) const {
    return failed(Error(ErrorCode::corrupt, "asset " + asset_.hex() + " of " + std::to_string(size_bytes_) +
                                                " bytes: found " + std::string(how)));
}

Error CheckedBlob::failed(Error error) const {
    failed_ = true;
    if (on_broken_ && (error.code() == ErrorCode::corrupt || error.code() == ErrorCode::malformed))
        on_broken_();
    return error;
}

Result<std::unique_ptr<BlobStream>> CheckedBlob::open() const {
    auto stream = source_->open();
    if (!stream)
        return failed(std::move(stream).error());
    return std::unique_ptr<BlobStream>(std::make_unique<Stream>(*this, *std::move(stream)));
}

Result<std::shared_ptr<const ByteSource>> CheckedBlob::open_bytes() const {
    auto source = source_->open_bytes();
    if (!source)
        return failed(std::move(source).error());
    if (!*source)
        return std::shared_ptr<const ByteSource>();
    if ((*source)->size_bytes() != size_bytes_)
        return broken(std::to_string((*source)->size_bytes()) + " bytes");
    auto bytes = std::make_shared<Bytes>(*std::move(source), asset_);
    auto right = bytes->learn();
    if (!right)
        return failed(std::move(right).error());
    if (!*right)
        return broken("other bytes");
    return std::shared_ptr<const ByteSource>(std::move(bytes));
}

Status CheckedBlob::verify() const {
    FARDEL_TRY_ASSIGN(const auto stream, open());
    std::vector<std::byte> buffer(static_cast<std::size_t>(std::clamp<std::uint64_t>(size_bytes_, 1, kReadBytes)));
    for (std::size_t count = 1; count > 0;) {
        FARDEL_TRY_ASSIGN(count, stream->read(buffer));
    }
    return ok();
}

}  // namespace fardel
