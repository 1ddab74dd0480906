#include "zip_blob.h"

#include "crc32.h"
#include "source_listing.h"

#include <fardel/base/fits.h>
#include <fardel/base/system_memory.h>

#include <zlib.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// What a stream inflates with.
struct Inflater {
    Inflater() {
        constexpr int kRawDeflate = -MAX_WBITS;
        if (inflateInit2(&zlib, kRawDeflate) != Z_OK)
            throw std::bad_alloc();
    }
    ~Inflater() { inflateEnd(&zlib); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    z_stream zlib{};
    std::vector<std::byte> room;  // for stored bytes
};

// State of zlib that no stream uses, kept for the next: to allocate it costs more than to inflate a small entry.
class Inflaters {
public:
    std::unique_ptr<Inflater> take() {
        std::unique_ptr<Inflater> spare = find_spare();
        if (!spare)
            return std::make_unique<Inflater>();
        inflateReset(&spare->zlib);
        return spare;
    }

    void give_back(std::unique_ptr<Inflater> inflater) {
        const std::scoped_lock lock(mutex_);
        if (spare_.size() < kSpareMax)
            spare_.push_back(std::move(inflater));
    }

private:
    static constexpr std::size_t kSpareMax = 64;  // one for each thread that reads, as a rule

    std::unique_ptr<Inflater> find_spare() {
        const std::scoped_lock lock(mutex_);
        if (spare_.empty())
            return nullptr;
        std::unique_ptr<Inflater> last = std::move(spare_.back());
        spare_.pop_back();
        return last;
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<Inflater>> spare_;
};

struct ZipArchive {
    std::shared_ptr<const ByteSource> bytes;
    std::uint64_t data_end = 0;
    std::optional<PathStamp> stamp;
    std::shared_ptr<Inflaters> inflaters = std::make_shared<Inflaters>();
};

// The bytes of an archive, some of which are in memory.
class PartlyReadSource final : public ByteSource {
public:
    PartlyReadSource(std::shared_ptr<const ByteSource> archive, std::uint64_t offset, std::vector<std::byte> read)
        : archive_(std::move(archive)), offset_(offset), read_(std::move(read)) {}

    std::uint64_t size_bytes() const noexcept override { return archive_->size_bytes(); }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset < offset_ || !fits(offset - offset_, out.size(), read_.size()))
            return archive_->read_at(offset, out);
        std::ranges::copy(std::span(read_).subspan(static_cast<std::size_t>(offset - offset_), out.size()),
                          out.begin());
        return ok();
    }

private:
    std::shared_ptr<const ByteSource> archive_;
    std::uint64_t offset_;  // of the bytes that are in memory
    std::vector<std::byte> read_;
};

// Reads a small entry at once, with its local header: each read costs more than the bytes do.
Result<std::shared_ptr<const ByteSource>> read_small_entry(const ZipArchive& archive, const ZipExtent& entry) {
    constexpr std::uint64_t kSmallBytesMax = 4096;
    constexpr std::uint64_t kExtraBytes = 64;  // of usual local headers, at most
    const std::uint64_t header_bytes = kZipLocalHeaderBytes + entry.name_bytes + kExtraBytes;
    if (!fits(header_bytes, entry.stored_bytes, kSmallBytesMax))
        return archive.bytes;
    std::vector<std::byte> bytes(
        static_cast<std::size_t>(std::min(header_bytes + entry.stored_bytes, archive.data_end - entry.header_offset)));
    FARDEL_TRY(archive.bytes->read_at(entry.header_offset, bytes));
    return std::shared_ptr<const ByteSource>(
        std::make_shared<const PartlyReadSource>(archive.bytes, entry.header_offset, std::move(bytes)));
}

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
    InflatedStream(StoredStream stored, std::uint64_t stored_bytes, std::shared_ptr<Inflaters> inflaters)
        : stored_(std::move(stored)), inflaters_(std::move(inflaters)), inflater_(inflaters_->take()) {
        inflater_->zlib.avail_in = 0;
        const auto room_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(stored_bytes, kReadBytes));
        if (inflater_->room.size() < room_bytes)
            inflater_->room.resize(room_bytes);
    }
    ~InflatedStream() override { inflaters_->give_back(std::move(inflater_)); }

    Result<std::size_t> read(std::span<std::byte> out) override {
        out = out.first(std::min<std::size_t>(out.size(), std::numeric_limits<uInt>::max()));
        z_stream& zlib = inflater_->zlib;
        zlib.next_out = reinterpret_cast<Bytef*>(out.data());
        zlib.avail_out = static_cast<uInt>(out.size());
        while (zlib.avail_out != 0 && !has_ended_) {
            if (zlib.avail_in == 0) {
                FARDEL_TRY_ASSIGN(const std::size_t count, stored_.read(inflater_->room));
                zlib.next_in = reinterpret_cast<Bytef*>(inflater_->room.data());
                zlib.avail_in = static_cast<uInt>(count);
            }
            const int status = inflate(&zlib, Z_NO_FLUSH);
            if (status == Z_MEM_ERROR)
                throw std::bad_alloc();
            // Z_BUF_ERROR: there are no more bytes, and it needs some.
            if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
                return Error(ErrorCode::corrupt, "what is stored of it is no Deflate stream");
            has_ended_ = status != Z_OK;
        }
        return out.size() - zlib.avail_out;
    }

private:
    static constexpr std::size_t kReadBytes = std::size_t{64} << 10;

    StoredStream stored_;
    std::shared_ptr<Inflaters> inflaters_;
    std::unique_ptr<Inflater> inflater_;
    bool has_ended_ = false;
};

class ZipBlobStream final : public BlobStream {
public:
    ZipBlobStream(std::unique_ptr<BlobStream> raw, const ZipExtent& entry, EntryOrigin origin)
        : raw_(std::move(raw)),
          left_bytes_(entry.raw_bytes),
          crc32_expected_(entry.crc32),
          origin_(std::move(origin)) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_bytes_)));
        if (out.empty())
            return std::size_t{0};
        const Result<std::size_t> count = raw_->read(out);
        if (!count)
            return Error(count.error()).with_context(origin_.text());
        // The caller would otherwise hash a part of the entry.
        if (*count == 0)
            return Error(ErrorCode::corrupt,
                         origin_.text() + ": it ends " + std::to_string(left_bytes_) + " bytes before its size says");
        crc32_.update(out.first(*count));
        left_bytes_ -= *count;
        // Before the last bytes are returned, so that a caller who stops there does not miss it.
        if (left_bytes_ == 0 && crc32_.value() != crc32_expected_)
            return Error(ErrorCode::corrupt,
                         origin_.text() + ": its CRC-32 is not the one that the zip's directory has");
        return *count;
    }

private:
    std::unique_ptr<BlobStream> raw_;
    std::uint64_t left_bytes_;
    std::uint32_t crc32_expected_;
    Crc32 crc32_;
    EntryOrigin origin_;
};

class ZipBlob final : public BlobSource {
public:
    // The archive outlives the blob.
    ZipBlob(const ZipArchive& archive, const ZipExtent& entry, EntryOrigin origin)
        : archive_(&archive), entry_(entry), origin_(std::move(origin)) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        Result<std::shared_ptr<const ByteSource>> bytes = read_small_entry(*archive_, entry_);
        if (!bytes)
            return std::move(bytes).error().with_context(origin_.text());
        Result<std::uint64_t> offset = read_zip_data_offset(**bytes, archive_->data_end, entry_);
        if (!offset)
            return std::move(offset).error().with_context(origin_.text());
        StoredStream stored(*std::move(bytes), *offset, entry_.stored_bytes);
        std::unique_ptr<BlobStream> raw;
        if (entry_.method == kZipDeflated)
            raw = std::make_unique<InflatedStream>(std::move(stored), entry_.stored_bytes, archive_->inflaters);
        else
            raw = std::make_unique<StoredStream>(std::move(stored));
        return std::unique_ptr<BlobStream>(std::make_unique<ZipBlobStream>(std::move(raw), entry_, origin_));
    }
    std::optional<Hash> find_version() const override {
        return archive_->stamp ? std::optional(version_in_archive(*archive_->stamp, entry_.header_offset))
                               : std::nullopt;
    }

private:
    const ZipArchive* archive_;
    ZipExtent entry_;
    EntryOrigin origin_;
};

}  // namespace

struct ZipBlobs::List {
    ZipArchive archive;
    SystemMemory memory;
    std::pmr::deque<ZipBlob> blobs{&memory};  // none of them moves
};

ZipBlobs::ZipBlobs(std::shared_ptr<const ByteSource> bytes, std::uint64_t data_end,
                   const std::optional<PathStamp>& stamp)
    : list_(std::make_shared<List>()) {
    list_->archive = {.bytes = std::move(bytes), .data_end = data_end, .stamp = stamp};
}

std::shared_ptr<const BlobSource> ZipBlobs::add(const ZipExtent& entry, EntryOrigin origin) {
    return {list_, &list_->blobs.emplace_back(list_->archive, entry, std::move(origin))};
}

}  // namespace fardel
