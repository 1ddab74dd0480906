#include "folder_blob.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

namespace fardel {
namespace {

Error changed(const std::string& path) {
    return Error(ErrorCode::conflict, path + ": changed since the folder was scanned; pack again when nobody writes to it");
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
        if (read_bytes_ > stamp_.size_bytes || (count == 0 && (read_bytes_ < stamp_.size_bytes || find_stamp(file_) != stamp_)))
            return changed(path_);
        return static_cast<std::size_t>(count);
    }

private:
    FileDescriptor file_;
    std::string path_;
    FileStamp stamp_;
    std::uint64_t read_bytes_ = 0;
};

class FolderBlob final : public BlobSource {
public:
    FolderBlob(std::shared_ptr<const FolderRoot> root, std::string name, const FileStamp& stamp)
        : root_(std::move(root)), name_(std::move(name)), stamp_(stamp) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        const std::string path = root_->path + '/' + printable(name_, SIZE_MAX);
        FileDescriptor folder(-1);
        std::size_t at = 0;
        for (std::size_t slash; (slash = name_.find('/', at)) != name_.npos; at = slash + 1) {
            const std::string part = name_.substr(at, slash - at);
            folder = open_at(folder ? folder.get() : root_->descriptor.get(), part.c_str(), O_DIRECTORY | O_NOFOLLOW);
            if (!folder)
                return open_error(errno, path);
        }
        FileDescriptor file = open_at(folder ? folder.get() : root_->descriptor.get(), name_.c_str() + at, O_NOFOLLOW);
        if (!file)
            return open_error(errno, path);
        if (find_stamp(file) != stamp_)
            return changed(path);
        return std::unique_ptr<BlobStream>(std::make_unique<FolderBlobStream>(std::move(file), path, stamp_));
    }

private:
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

std::shared_ptr<const BlobSource> make_folder_blob(std::shared_ptr<const FolderRoot> root, std::string name, FileStamp stamp) {
    return std::make_shared<FolderBlob>(std::move(root), std::move(name), stamp);
}

}  // namespace fardel
