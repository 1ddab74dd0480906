#include <fardel/format/byte_source.h>

#include "posix_error.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace fardel {
namespace {

class FileSource final : public ByteSource {
public:
    FileSource(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
    ~FileSource() override { ::close(descriptor_); }
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;

    Status pin_size() {
        struct stat status {};
        if (::fstat(descriptor_, &status) != 0)
            return posix_error(errno, path_);
        if (!S_ISREG(status.st_mode))
            return Error(ErrorCode::malformed, path_ + ": not a regular file");
        size_bytes_ = static_cast<std::uint64_t>(status.st_size);
        return ok();
    }

    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset > size_bytes_ || out.size() > size_bytes_ - offset)
            return Error(ErrorCode::corrupt, path_ + ": expected " + std::to_string(out.size()) + " bytes at offset " +
                                                 std::to_string(offset) + ", but the file has only " +
                                                 std::to_string(size_bytes_) + " bytes");
        while (!out.empty()) {
            const ssize_t count = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
            if (count < 0) {
                if (errno == EINTR)
                    continue;
                return posix_error(errno, path_);
            }
            if (count == 0)
                return Error(ErrorCode::corrupt, path_ + ": ends at offset " + std::to_string(offset) + "; it had " +
                                                     std::to_string(size_bytes_) + " bytes when it was opened");
            out = out.subspan(static_cast<std::size_t>(count));
            offset += static_cast<std::uint64_t>(count);
        }
        return ok();
    }

    void prefetch(std::uint64_t offset, std::uint64_t length) const override {
        ::posix_fadvise(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(length), POSIX_FADV_WILLNEED);
    }

    Result<std::shared_ptr<const std::byte[]>> map(std::uint64_t offset, std::uint64_t length) const override {
        if (offset > size_bytes_ || length > size_bytes_ - offset)
            return Error(ErrorCode::corrupt, path_ + ": has only " + std::to_string(size_bytes_) + " bytes");
        const std::uint64_t before = offset % static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
        const std::size_t size = before + length;
        void* const mapped =
            ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor_, static_cast<off_t>(offset - before));
        if (mapped == MAP_FAILED)
            return posix_error(errno, path_);
        const auto* bytes = static_cast<const std::byte*>(mapped);
        return std::shared_ptr<const std::byte[]>(bytes + before,
                                                  [mapped, size](const std::byte*) { ::munmap(mapped, size); });
    }

private:
    int descriptor_;
    std::uint64_t size_bytes_ = 0;
    std::string path_;  // for messages only
};

}  // namespace

Result<std::shared_ptr<const ByteSource>> open_file_source(const std::string& path) {
    if (path.find('\0') != std::string::npos)
        return Error(ErrorCode::malformed, "a path with a NUL character in it names no file");

    // O_NONBLOCK: opening a FIFO must not wait for a writer. It changes nothing for regular files.
    int descriptor;
    do {
        descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0)
        return posix_error(errno, path);

    auto source = std::make_shared<FileSource>(descriptor, path);
    FARDEL_TRY(source->pin_size());
    return std::shared_ptr<const ByteSource>(std::move(source));
}

}  // namespace fardel
