#include <fardel/format/bundle_plan.h>

#include "files/posix_error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kReadBytesMax = std::size_t{1} << 30;

bool same_time(const timespec& a, const timespec& b) noexcept { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

class FileStream final : public BlobStream {
public:
    FileStream(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
    ~FileStream() override { ::close(descriptor_); }
    FileStream(const FileStream&) = delete;
    FileStream& operator=(const FileStream&) = delete;

    Status look() {
        if (::fstat(descriptor_, &before_) != 0)
            return posix_error(errno, path_);
        if (!S_ISREG(before_.st_mode))
            return Error(ErrorCode::malformed, path_ + ": not a regular file");
        return ok();
    }

    Result<std::size_t> read(std::span<std::byte> out) override {
        if (out.empty())
            return std::size_t{0};
        ssize_t count;
        do {
            count = ::read(descriptor_, out.data(), std::min(out.size(), kReadBytesMax));
        } while (count < 0 && errno == EINTR);
        if (count < 0)
            return posix_error(errno, path_);
        bytes_read_ += static_cast<std::uint64_t>(count);
        if (count == 0)
            FARDEL_TRY(verify_unchanged());
        return static_cast<std::size_t>(count);
    }

private:
    Status verify_unchanged() const {
        struct stat after {};
        if (::fstat(descriptor_, &after) != 0)
            return posix_error(errno, path_);
        const auto size_bytes = static_cast<std::uint64_t>(before_.st_size);
        if (bytes_read_ != size_bytes || after.st_size != before_.st_size)
            return Error(ErrorCode::conflict, path_ + ": had " + std::to_string(size_bytes) +
                                                  " bytes when it was opened and " + std::to_string(bytes_read_) +
                                                  " when it was read; somebody is writing it");
        if (!same_time(after.st_mtim, before_.st_mtim))
            return Error(ErrorCode::conflict, path_ + ": was written while it was read");
        return ok();
    }

    const int descriptor_;
    std::uint64_t bytes_read_ = 0;
    struct stat before_ {};
    const std::string path_;  // for messages only
};

class FileBlob final : public BlobSource {
public:
    explicit FileBlob(std::string path) : path_(std::move(path)) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        if (path_.find('\0') != std::string::npos)
            return Error(ErrorCode::malformed, "a path with a NUL character in it names no file");
        // O_NONBLOCK: opening a FIFO must not wait for a writer. It changes nothing for regular files.
        int descriptor;
        do {
            descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        } while (descriptor < 0 && errno == EINTR);
        if (descriptor < 0)
            return posix_error(errno, path_);
        auto stream = std::make_unique<FileStream>(descriptor, path_);
        FARDEL_TRY(stream->look());
        return std::unique_ptr<BlobStream>(std::move(stream));
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
