#include <fardel/format/bundle_plan.h>

#include <fardel/base/file.h>

#include <utility>

namespace fardel {
namespace {

class FileStream final : public BlobStream {
public:
    FileStream(RegularFile file, std::string path)
        : file_(std::move(file.descriptor)), before_(file.status), path_(std::move(path)) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        if (out.empty())
            return std::size_t{0};
        FARDEL_TRY_ASSIGN(const std::size_t count, read_some(file_, out, path_));
        bytes_read_ += count;
        if (count == 0)
            FARDEL_TRY(verify_unchanged());
        return count;
    }

private:
    Status verify_unchanged() const {
        FARDEL_TRY_ASSIGN(const FileStatus after, file_status(file_, path_));
        if (bytes_read_ != before_.size_bytes || after.size_bytes != before_.size_bytes)
            return Error(ErrorCode::conflict, path_ + ": had " + std::to_string(before_.size_bytes) +
                                                  " bytes when it was opened and " + std::to_string(bytes_read_) +
                                                  " when it was read; another program is writing it");
        if (after.modified_ns != before_.modified_ns)
            return Error(ErrorCode::conflict, path_ + ": was written while it was read");
        return ok();
    }

    const Descriptor file_;
    const FileStatus before_;
    std::uint64_t bytes_read_ = 0;
    const std::string path_;  // for messages only
};

class FileBlob final : public BlobSource {
public:
    explicit FileBlob(std::string path) : path_(std::move(path)) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        FARDEL_TRY_ASSIGN(RegularFile file, open_regular_file(path_, path_));
        return std::unique_ptr<BlobStream>(std::make_unique<FileStream>(std::move(file), path_));
    }
    Result<std::shared_ptr<const ByteSource>> open_bytes() const override { return open_file_source(path_); }

private:
    const std::string path_;
};

}  // namespace

std::shared_ptr<const BlobSource> make_file_blob(std::string path) {
    return std::make_shared<const FileBlob>(std::move(path));
}

}  // namespace fardel
