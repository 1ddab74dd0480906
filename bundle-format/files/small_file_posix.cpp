#include "small_file.h"

#include "posix_error.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fardel {
namespace {

struct OpenFile {
    explicit OpenFile(int number) noexcept : descriptor(number) {}
    ~OpenFile() {
        if (descriptor >= 0)
            ::close(descriptor);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    int descriptor;
};

Status verify_guarded(const struct stat& status, const std::string& path) {
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return Error(ErrorCode::denied,
                     path + ": others than its owner may use this secret key file; run chmod 600 on it");
    return ok();
}

Status write_all(int descriptor, std::string_view text, const std::string& path) {
    while (!text.empty()) {
        const ssize_t count = ::write(descriptor, text.data(), text.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return posix_error(errno, path);
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    if (::fsync(descriptor) != 0)
        return posix_error(errno, path);
    return ok();
}

Status sync_folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    const OpenFile file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Some file systems cannot sync a folder, and say EINVAL.
    if (file.descriptor < 0 || (::fsync(file.descriptor) != 0 && errno != EINVAL))
        return posix_error(errno, folder);
    return ok();
}

}  // namespace

Result<std::string> read_small_file(const std::string& path, std::size_t bytes_max, FileGuard guard) {
    const int no_link = guard == FileGuard::secret ? O_NOFOLLOW : 0;
    const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | no_link));
    if (file.descriptor < 0 && errno == ELOOP && no_link != 0)
        return Error(ErrorCode::denied, path + ": a secret key file must not be a link");
    if (file.descriptor < 0)
        return posix_error(errno, path);
    struct stat status {};
    if (::fstat(file.descriptor, &status) != 0)
        return posix_error(errno, path);
    if (!S_ISREG(status.st_mode))
        return Error(ErrorCode::malformed, path + ": not a regular file");
    if (guard == FileGuard::secret)
        FARDEL_TRY(verify_guarded(status, path));

    std::string text(bytes_max + 1, '\0');  // one more than allowed, and never moved: it may hold a secret
    std::size_t size_bytes = 0;
    while (size_bytes < text.size()) {
        const ssize_t count = ::read(file.descriptor, text.data() + size_bytes, text.size() - size_bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return posix_error(errno, path);
        if (count == 0)
            break;
        size_bytes += static_cast<std::size_t>(count);
    }
    if (size_bytes > bytes_max)
        return Error(ErrorCode::limit, path + ": longer than " + std::to_string(bytes_max) + " bytes");
    text.resize(size_bytes);
    return text;
}

Status write_secret_file(const std::string& path, std::string_view text) {
    const OpenFile file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file.descriptor < 0 && errno == EEXIST)
        return Error(ErrorCode::conflict, path + ": there is a file already; a key is never overwritten");
    if (file.descriptor < 0)
        return posix_error(errno, path);
    auto status = write_all(file.descriptor, text, path);
    if (status)
        status = sync_folder_of(path);
    if (!status)
        ::unlink(path.c_str());
    return status;
}

}  // namespace fardel
