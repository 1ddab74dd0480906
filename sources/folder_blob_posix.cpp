#include "folder_blob.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

namespace fardel {
namespace {

Error changed(const std::string& path) {
    return Error(ErrorCode::conflict, path + ": changed since the folder was scanned; wait until nobody writes to it");
}

Error open_error(int number, const std::string& path) {
    // A part that is gone, or is now a link, or no folder any more.
    if (number == ENOENT || number == ENOTDIR || number == ELOOP)
        return changed(path);
    return error_from_errno(number, path);
}

std::optional<FileStamp> find_stamp(const FileDescriptor& file) {
    struct stat status {};
    if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
        return std::nullopt;
    return FileStamp(status);
}

class FolderBlobStream final : public BlobStream {
public:
    FolderBlobStream(FileDescriptor file, std::string path, const FileStamp& stamp)
        : file_(std::move(file)), path_(std::move(path)), stamp_(stamp) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        if (out.empty())
            return std::size_t{0};
        ssize_t count;
        do {
            count = ::read(file_.get(), out.data(), out.size());
        } while (count < 0 && errno == EINTR);
        if (count < 0)
            return error_from_errno(errno, path_);
        read_bytes_ += static_cast<std::uint64_t>(count);
        if (read_bytes_ > stamp_.size_bytes ||
            (count == 0 && (read_bytes_ < stamp_.size_bytes || find_stamp(file_) != stamp_)))
            return changed(path_);
        return static_cast<std::size_t>(count);
    }

private:
    FileDescriptor file_;
    std::string path_;
    FileStamp stamp_;
    std::uint64_t read_bytes_ = 0;
};

// Positioned reads of the pinned file; the stamp is compared behind each, so that what was written meanwhile is
// noticed.
class FolderBytes final : public ByteSource {
public:
    FolderBytes(FileDescriptor file, std::string path, const FileStamp& stamp)
        : file_(std::move(file)), path_(std::move(path)), stamp_(stamp) {}

    std::uint64_t size_bytes() const noexcept override { return stamp_.size_bytes; }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        while (!out.empty()) {
            const ssize_t count = ::pread(file_.get(), out.data(), out.size(), static_cast<off_t>(offset));
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                return error_from_errno(errno, path_);
            if (count == 0)
                return changed(path_);
            offset += static_cast<std::uint64_t>(count);
            out = out.subspan(static_cast<std::size_t>(count));
        }
        return find_stamp(file_) == stamp_ ? ok() : Status(changed(path_));
    }

private:
    FileDescriptor file_;
    std::string path_;
    FileStamp stamp_;
};

class FolderBlob final : public BlobSource {
public:
    FolderBlob(std::shared_ptr<const FolderRoot> root, std::string name, const FileStamp& stamp)
        : root_(std::move(root)), name_(std::move(name)), stamp_(stamp) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        FARDEL_TRY_ASSIGN(FileDescriptor file, open_file());
        return std::unique_ptr<BlobStream>(std::make_unique<FolderBlobStream>(std::move(file), path(), stamp_));
    }
    Result<std::shared_ptr<const ByteSource>> open_bytes() const override {
        FARDEL_TRY_ASSIGN(FileDescriptor file, open_file());
        return std::shared_ptr<const ByteSource>(std::make_shared<FolderBytes>(std::move(file), path(), stamp_));
    }
    std::optional<Hash> find_version() const override {
        const std::int64_t numbers[] = {static_cast<std::int64_t>(stamp_.device),
                                        static_cast<std::int64_t>(stamp_.inode),
                                        static_cast<std::int64_t>(stamp_.size_bytes),
                                        stamp_.modified_s,
                                        stamp_.modified_ns,
                                        stamp_.changed_s,
                                        stamp_.changed_ns};
        return blake3(std::as_bytes(std::span(numbers)));
    }

private:
    std::string path() const { return root_->path + '/' + printable(name_, SIZE_MAX); }

    // The file as it was scanned, or a conflict.
    Result<FileDescriptor> open_file() const {
        FileDescriptor folder(-1);
        std::size_t at = 0;
        for (std::size_t slash; (slash = name_.find('/', at)) != name_.npos; at = slash + 1) {
            const std::string part = name_.substr(at, slash - at);
            folder = open_at(folder ? folder.get() : root_->descriptor.get(), part.c_str(), O_DIRECTORY | O_NOFOLLOW);
            if (!folder)
                return open_error(errno, path());
        }
        FileDescriptor file = open_at(folder ? folder.get() : root_->descriptor.get(), name_.c_str() + at, O_NOFOLLOW);
        if (!file)
            return open_error(errno, path());
        if (find_stamp(file) != stamp_)
            return changed(path());
        return file;
    }

    std::shared_ptr<const FolderRoot> root_;
    std::string name_;
    FileStamp stamp_;
};

}  // namespace

FileStamp::FileStamp(const struct ::stat& status) noexcept
    : device(status.st_dev),
      inode(status.st_ino),
      size_bytes(static_cast<std::uint64_t>(status.st_size)),
      modified_s(status.st_mtim.tv_sec),
      modified_ns(status.st_mtim.tv_nsec),
      changed_s(status.st_ctim.tv_sec),
      changed_ns(status.st_ctim.tv_nsec) {}

std::shared_ptr<const BlobSource> make_folder_blob(std::shared_ptr<const FolderRoot> root, std::string name,
                                                   FileStamp stamp) {
    return std::make_shared<FolderBlob>(std::move(root), std::move(name), stamp);
}

}  // namespace fardel
