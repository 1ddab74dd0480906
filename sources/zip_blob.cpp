#include "zip_blob.h"

#include "crc32.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// The stored bytes of an entry, from the first to the last.
class StoredStream final : public BlobStream {
public:
    StoredStream(std::shared_ptr<const ByteSource> archive, std::uint64_t offset, std::uint64_t stored_bytes)
        : archive_(std::move(archive)), offset_(offset), left_bytes_(stored_bytes) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_bytes_)));
        FARDEL_TRY(archive_->read_at(offset_, out));
        offset_ += out.size();
        left_bytes_ -= out.size();
        return out.size();
    }

private:
    std::shared_ptr<const ByteSource> archive_;
    std::uint64_t offset_;
    std::uint64_t left_bytes_;
};

// What a raw Deflate stream (RFC 1951) expands to. zlib has at most its window of 32 KiB, whatever the bytes say.
class InflatedStream final : public BlobStream {
public:
    InflatedStream(StoredStream stored, std::uint64_t stored_bytes)
        : stored_(std::move(stored)),
          room_(static_cast<std::size_t>(std::min<std::uint64_t>(stored_bytes, kReadBytes))) {
        if (inflateInit2(&inflate_, kRawDeflate) != Z_OK)
            throw std::bad_alloc();
    }
    ~InflatedStream() override { inflateEnd(&inflate_); }

    Result<std::size_t> read(std::span<std::byte> out) override {
        out = out.first(std::min<std::size_t>(out.size(), std::numeric_limits<uInt>::max()));
        inflate_.next_out = reinterpret_cast<Bytef*>(out.data());
        inflate_.avail_out = static_cast<uInt>(out.size());
        while (inflate_.avail_out != 0 && !has_ended_) {
            if (inflate_.avail_in == 0) {
                FARDEL_TRY_ASSIGN(const std::size_t count, stored_.read(room_));
                inflate_.next_in = reinterpret_cast<Bytef*>(room_.data());
                inflate_.avail_in = static_cast<uInt>(count);
            }
            const int status = inflate(&inflate_, Z_NO_FLUSH);
            if (status == Z_MEM_ERROR)
                throw std::bad_alloc();
            // Z_BUF_ERROR: there are no more bytes, and it needs some.
            if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
                return Error(ErrorCode::corrupt, "what is stored of it is no Deflate stream");
            has_ended_ = status != Z_OK;
        }
        return out.size() - inflate_.avail_out;
    }

private:
    static constexpr std::size_t kReadBytes = std::size_t{64} << 10;
    static constexpr int kRawDeflate = -MAX_WBITS;

    StoredStream stored_;
    std::vector<std::byte> room_;
    z_stream inflate_{};
    bool has_ended_ = false;
};

class ZipBlobStream final : public BlobStream {
public:
    ZipBlobStream(std::unique_ptr<BlobStream> raw, const ZipEntry& entry, const std::string& origin)
        : raw_(std::move(raw)), left_bytes_(entry.raw_bytes), crc32_expected_(entry.crc32), origin_(origin) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_bytes_)));
        if (out.empty())
            return std::size_t{0};
        const Result<std::size_t> count = raw_->read(out);
        if (!count)
            return Error(count.error()).with_context(origin_);
        // The caller would otherwise hash a part of the entry.
        if (*count == 0)
            return Error(ErrorCode::corrupt,
                         origin_ + ": it ends " + std::to_string(left_bytes_) + " bytes before its size says");
        crc32_.update(out.first(*count));
        left_bytes_ -= *count;
        // Before the last bytes are returned, so that a caller who stops there does not miss it.
        if (left_bytes_ == 0 && crc32_.value() != crc32_expected_)
            return Error(ErrorCode::corrupt, origin_ + ": its CRC-32 is not the one that the zip's directory has");
        return *count;
    }

private:
    std::unique_ptr<BlobStream> raw_;
    std::uint64_t left_bytes_;
    std::uint32_t crc32_expected_;
    Crc32 crc32_;
    std::string origin_;
};

class ZipBlob final : public BlobSource {
public:
    ZipBlob(std::shared_ptr<const ZipArchive> archive, ZipEntry entry, std::string origin)
        : archive_(std::move(archive)), entry_(std::move(entry)), origin_(std::move(origin)) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        Result<std::uint64_t> offset = read_zip_data_offset(*archive_->bytes, archive_->data_end, entry_);
        if (!offset)
            return std::move(offset).error().with_context(origin_);
        StoredStream stored(archive_->bytes, *offset, entry_.stored_bytes);
        std::unique_ptr<BlobStream> raw;
        if (entry_.method == kZipDeflated)
            raw = std::make_unique<InflatedStream>(std::move(stored), entry_.stored_bytes);
        else
            raw = std::make_unique<StoredStream>(std::move(stored));
        return std::unique_ptr<BlobStream>(std::make_unique<ZipBlobStream>(std::move(raw), entry_, origin_));
    }

private:
    std::shared_ptr<const ZipArchive> archive_;
    ZipEntry entry_;
    std::string origin_;
};

}  // namespace

std::shared_ptr<const BlobSource> make_zip_blob(std::shared_ptr<const ZipArchive> archive, ZipEntry entry,
                                                std::string origin) {
    return std::make_shared<ZipBlob>(std::move(archive), std::move(entry), std::move(origin));
}

}  // namespace fardel
