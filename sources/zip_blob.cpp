#include "zip_blob.h"

#include "crc32.h"
#include "physfs_archive.h"
#include "zip_entry_source.h"

#include <utility>

namespace fardel {
namespace {

class ZipBlobStream final : public BlobStream {
public:
    ZipBlobStream(std::unique_ptr<BlobStream> raw, const ZipEntry& entry, const std::string& origin)
        : raw_(std::move(raw)), left_bytes_(entry.raw_bytes), crc32_expected_(entry.crc32), origin_(origin) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        FARDEL_TRY_ASSIGN(const std::size_t count, raw_->read(out));
        crc32_.update(out.first(count));
        left_bytes_ -= count;
        // Before the last bytes are returned, so that a caller who stops there does not miss it.
        if (left_bytes_ == 0 && crc32_.value() != crc32_expected_)
            return Error(ErrorCode::corrupt, origin_ + ": its CRC-32 is not the one that the zip's directory has");
        return count;
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
        FARDEL_TRY_ASSIGN(const auto alone,
                          PhysfsArchive::mount(make_zip_entry_source(archive_->bytes, *offset, entry_), "zip"));
        FARDEL_TRY_ASSIGN(auto raw, alone->open(kZipEntryName, entry_.raw_bytes, origin_));
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
