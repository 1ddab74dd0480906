#include "cache_folder.h"

#include "file_error.h"
#include "open_descriptor.h"

#include <fardel/format/random.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <utility>

namespace fardel {
namespace {

// The first line is that of the Cache Directory Tagging Standard (bford.info/cachedir): programs that save files leave
// the folder out.
constexpr std::string_view kMarkerName = "CACHEDIR.TAG";
constexpr std::string_view kMarkerStart =
    "Signature: 8a477f597d28d172789f06886806bc55\n# fardel derived-data cache, layout ";
constexpr std::string_view kMarkerEnd =
    "1\n# Everything here can be deleted at any time. docs/derived-cache.md is the manual.\n";
constexpr std::string_view kUnfinishedStart = ".fardel-";
constexpr std::string_view kUnfinishedEnd = ".tmp";

constexpr std::size_t kCopyBytes = 256u << 10;
constexpr int kNamesTried = 100;
// Half of the time for which trimming spares what was used: after a hit, at least the other half is left.
constexpr std::int64_t kTouchedAgainAfterNs = std::int64_t(30) * 60 * 1'000'000'000;

std::int64_t nanoseconds(const timespec& time) noexcept {
    return std::int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}
std::int64_t used_ns(const struct stat& status) noexcept {
    return std::max(nanoseconds(status.st_atim), nanoseconds(status.st_mtim));
}

std::string_view folder_name(CacheKind kind) noexcept { return kind == CacheKind::record ? "records" : "objects"; }

std::string shard_name(CacheKind kind, unsigned shard) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    return std::string(folder_name(kind)) + '/' + kDigits[shard / 16 % 16] + kDigits[shard % 16];
}

bool is_unfinished(std::string_view name) noexcept {
    return name.starts_with(kUnfinishedStart) && name.ends_with(kUnfinishedEnd);
}

std::string unfinished_name() {
    std::array<std::byte, 32> random{};
    fill_random(std::span(random).first(8));  // several machines may write into one folder
    Hash number;
    std::ranges::transform(random, number.bytes.begin(),
                           [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
    return std::string(kUnfinishedStart) + number.hex().substr(0, 16) + std::string(kUnfinishedEnd);
}

// Its folder may be missing still: nothing is made before it is needed.
Status make_folders(const std::string& path) {
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        const std::string folder = path.substr(0, slash);
        if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
            const int number = errno;
            struct stat status {};  // EROFS and the like also of a folder that is there
            if (::stat(folder.c_str(), &status) != 0)
                return file_error(number, folder);
        }
        if (slash == std::string::npos)
            return ok();
    }
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// A file that is not at its place yet. Without commit() nothing is left.
class UnfinishedWriter {
public:
    static Result<UnfinishedWriter> open(const std::string& path) {
        for (int tried = 0;; ++tried) {
            std::string name = folder_of(path) + "/" + unfinished_name();
            OpenDescriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
            if (file)
                return UnfinishedWriter(std::move(file), std::move(name), path);
            const int number = errno;
            if (tried >= kNamesTried || (number != ENOENT && number != EEXIST && number != EINTR))
                return file_error(number, path);
            if (number == ENOENT)
                FARDEL_TRY(make_folders(folder_of(path)));
        }
    }
    ~UnfinishedWriter() {
        if (!name_.empty())
            ::unlink(name_.c_str());
    }
    UnfinishedWriter(UnfinishedWriter&& other) noexcept
        : file_(std::move(other.file_)),
          name_(std::exchange(other.name_, {})),
          path_(std::move(other.path_)),
          size_bytes_(other.size_bytes_) {}
    UnfinishedWriter& operator=(UnfinishedWriter&&) = delete;

    Status append(std::span<const std::byte> bytes) {
        FARDEL_TRY(write_whole(file_.get(), size_bytes_, bytes, path_));
        size_bytes_ += bytes.size();
        return ok();
    }
    Status commit() {
        if (::close(file_.release()) != 0 && errno != EINTR)  // NFS tells late errors here
            return file_error(errno, path_);
        if (::rename(name_.c_str(), path_.c_str()) != 0)
            return file_error(errno, path_);
        name_.clear();
        return ok();
    }

private:
    UnfinishedWriter(OpenDescriptor file, std::string name, std::string path)
        : file_(std::move(file)), name_(std::move(name)), path_(std::move(path)) {}

    OpenDescriptor file_;
    std::string name_;  // empty once renamed
    std::string path_;
    std::uint64_t size_bytes_ = 0;
};

Status write_file(const std::string& path, std::span<const std::byte> bytes) {
    FARDEL_TRY_ASSIGN(auto file, UnfinishedWriter::open(path));
    FARDEL_TRY(file.append(bytes));
    return file.commit();
}

// A regular file that is no link, opened to be read. O_NOATIME is for owners alone.
Result<std::shared_ptr<const ByteSource>> open_stored(const std::string& path) {
    OpenDescriptor file(-1);
    for (const int more : {O_NOATIME, 0}) {
        do {
            file =
                OpenDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW | more));
        } while (!file && errno == EINTR);
        if (file || errno != EPERM)
            break;
    }
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0)
        return file_error(errno, path);
    if (!S_ISREG(status.st_mode))
        return Error(ErrorCode::missing, path + ": not a regular file");
    return make_descriptor_source(std::move(file), static_cast<std::uint64_t>(status.st_size), path);
}

class StoredBlob final : public BlobSource {
public:
    explicit StoredBlob(std::string path) : path_(std::move(path)) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        FARDEL_TRY_ASSIGN(auto bytes, open_stored(path_));
        return open_stream_of(std::move(bytes));
    }
    Result<std::shared_ptr<const ByteSource>> open_bytes() const override { return open_stored(path_); }

private:
    const std::string path_;
};

class OpenFolder {
public:
    explicit OpenFolder(const std::string& path) {
        OpenDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (descriptor && (folder_ = ::fdopendir(descriptor.get())) != nullptr)
            static_cast<void>(descriptor.release());
    }
    ~OpenFolder() {
        if (folder_ != nullptr)
            ::closedir(folder_);
    }
    OpenFolder(const OpenFolder&) = delete;
    OpenFolder& operator=(const OpenFolder&) = delete;

    explicit operator bool() const noexcept { return folder_ != nullptr; }
    int descriptor() const noexcept { return ::dirfd(folder_); }
    // Nothing at the end.
    Result<std::optional<std::string>> next(const std::string& subject) {
        for (;;) {
            errno = 0;
            const dirent* const entry = ::readdir(folder_);
            if (entry == nullptr && errno != 0)
                return file_error(errno, subject);
            if (entry == nullptr)
                return std::optional<std::string>();
            std::string name = entry->d_name;
            if (name != "." && name != "..")
                return std::optional<std::string>(std::move(name));
        }
    }

private:
    DIR* folder_ = nullptr;
};

enum class Marker : std::uint8_t { ours, none, foreign, later };

Result<Marker> read_marker(const std::string& folder) {
    const std::string path = folder + "/" + std::string(kMarkerName);
    const auto source = open_stored(path);
    if (!source && (source.error().code() == ErrorCode::missing || source.error().code() == ErrorCode::malformed))
        return Marker::none;
    if (!source)
        return source.error();
    std::string text(static_cast<std::size_t>(std::min<std::uint64_t>((*source)->size_bytes(), 4096)), '\0');
    FARDEL_TRY((*source)->read_at(0, std::as_writable_bytes(std::span(text))));
    if (!text.starts_with(kMarkerStart))
        return Marker::foreign;
    const std::string_view layout = std::string_view(text).substr(kMarkerStart.size());
    return layout.starts_with("1\n") ? Marker::ours : Marker::later;
}

Result<bool> is_empty(const std::string& path) {
    OpenFolder folder(path);
    if (!folder)
        return file_error(errno, path);
    for (;;) {
        FARDEL_TRY_ASSIGN(const auto name, folder.next(path));
        if (!name)
            return true;
        if (!is_unfinished(*name))  // somebody else is making it just now
            return false;
    }
}

Result<std::string> absolute(const std::string& path) {
    char* const real = ::realpath(path.c_str(), nullptr);
    if (real == nullptr)
        return file_error(errno, path);
    std::string text = real;
    std::free(real);
    return text;
}

Status write_marker(const std::string& folder) {
    const std::string text = std::string(kMarkerStart) + std::string(kMarkerEnd);
    return write_file(folder + "/" + std::string(kMarkerName), std::as_bytes(std::span(text)));
}

}  // namespace

std::string cache_file_name(CacheKind kind, const Hash& id) { return shard_name(kind, id.bytes[0]) + '/' + id.hex(); }

Result<CacheFolder> CacheFolder::open(const std::string& path, bool create) {
    if (path.empty() || path.find('\0') != std::string::npos)
        return Error(ErrorCode::malformed, "a cache's folder has a name");
    if (create)
        FARDEL_TRY(make_folders(path.back() == '/' && path.size() > 1 ? path.substr(0, path.size() - 1) : path));
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        return file_error(errno, path);
    if (!S_ISDIR(status.st_mode))
        return Error(ErrorCode::malformed, path + ": not a folder");
    FARDEL_TRY_ASSIGN(std::string real, absolute(path));
    CacheFolder folder(std::move(real));

    FARDEL_TRY_ASSIGN(Marker marker, read_marker(folder.path_));
    if (marker == Marker::none) {
        FARDEL_TRY_ASSIGN(const bool empty, is_empty(folder.path_));
        if (empty && create) {
            FARDEL_TRY(write_marker(folder.path_));
            return folder;
        }
        FARDEL_TRY_ASSIGN(marker, read_marker(folder.path_));  // somebody else may have made it meanwhile
    }
    if (marker == Marker::later)
        return Error(ErrorCode::unsupported, path + ": a cache that a later program has made");
    if (marker != Marker::ours)
        return Error(ErrorCode::malformed, path + ": is no cache: " + std::string(kMarkerName) +
                                               " in it does not say so; nothing is written there");
    return folder;
}

Result<std::optional<CacheFile>> CacheFolder::find(CacheKind kind, const Hash& id) const {
    struct stat status {};
    const std::string path = path_of(kind, id);
    if (::lstat(path.c_str(), &status) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return std::optional<CacheFile>();
        return file_error(errno, path);
    }
    if (!S_ISREG(status.st_mode))
        return std::optional<CacheFile>();
    return std::optional<CacheFile>(CacheFile{
        .kind = kind, .id = id, .size_bytes = static_cast<std::uint64_t>(status.st_size), .used_ns = used_ns(status)});
}

Result<std::optional<std::vector<std::byte>>> CacheFolder::find_bytes(CacheKind kind, const Hash& id,
                                                                      std::size_t bytes_max) const {
    const std::string path = path_of(kind, id);
    const auto source = open_stored(path);
    if (!source && (source.error().code() == ErrorCode::missing || source.error().code() == ErrorCode::malformed))
        return std::optional<std::vector<std::byte>>();
    if (!source)
        return source.error();
    if ((*source)->size_bytes() > bytes_max)
        return Error(ErrorCode::limit, path + ": " + std::to_string((*source)->size_bytes()) + " bytes; at most " +
                                           std::to_string(bytes_max));
    std::vector<std::byte> bytes(static_cast<std::size_t>((*source)->size_bytes()));
    FARDEL_TRY((*source)->read_at(0, bytes));
    return std::optional<std::vector<std::byte>>(std::move(bytes));
}

std::shared_ptr<const BlobSource> CacheFolder::blob(CacheKind kind, const Hash& id) const {
    return std::make_shared<StoredBlob>(path_of(kind, id));
}

Status CacheFolder::write(CacheKind kind, const Hash& id, const BlobSource& bytes) const {
    FARDEL_TRY_ASSIGN(const auto stream, bytes.open());
    FARDEL_TRY_ASSIGN(auto file, UnfinishedWriter::open(path_of(kind, id)));
    std::vector<std::byte> buffer(kCopyBytes);
    for (;;) {
        FARDEL_TRY_ASSIGN(const std::size_t count, stream->read(buffer));
        if (count == 0)
            return file.commit();
        FARDEL_TRY(file.append(std::span(buffer).first(count)));
    }
}

Status CacheFolder::write(CacheKind kind, const Hash& id, std::span<const std::byte> bytes) const {
    return write_file(path_of(kind, id), bytes);
}

void CacheFolder::touch(const CacheFile& file) const {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    if (nanoseconds(now) - file.used_ns < kTouchedAgainAfterNs)
        return;
    const timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_NOW}, {.tv_sec = 0, .tv_nsec = UTIME_OMIT}};
    ::utimensat(AT_FDCWD, path_of(file.kind, file.id).c_str(), times, AT_SYMLINK_NOFOLLOW);
}

Result<bool> CacheFolder::remove(CacheKind kind, const Hash& id) const {
    const std::string path = path_of(kind, id);
    if (::unlink(path.c_str()) == 0)
        return true;
    return errno == ENOENT || errno == ENOTDIR ? Result<bool>(false) : Result<bool>(file_error(errno, path));
}

Result<bool> CacheFolder::remove(const UnfinishedFile& file) const {
    const std::string path = path_ + "/" + file.name;
    if (::unlink(path.c_str()) == 0)
        return true;
    return errno == ENOENT ? Result<bool>(false) : Result<bool>(file_error(errno, path));
}

Result<CacheShard> CacheFolder::list(CacheKind kind, unsigned shard) const {
    CacheShard found;
    const std::string name = shard_name(kind, shard);
    const std::string path = path_ + "/" + name;
    OpenFolder folder(path);
    if (!folder) {
        if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
            return found;
        return file_error(errno, path);
    }
    for (;;) {
        FARDEL_TRY_ASSIGN(const auto entry, folder.next(path));
        if (!entry)
            return found;
        const auto id = Hash::parse(*entry);
        const bool named = id && id->bytes[0] == shard;
        struct stat status {};
        if ((!named && !is_unfinished(*entry)) ||
            ::fstatat(folder.descriptor(), entry->c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode))
            continue;  // not ours, or gone meanwhile
        const auto size_bytes = static_cast<std::uint64_t>(status.st_size);
        if (named)
            found.files.push_back({.kind = kind, .id = *id, .size_bytes = size_bytes, .used_ns = used_ns(status)});
        else
            found.unfinished.push_back(
                {.name = name + "/" + *entry, .size_bytes = size_bytes, .used_ns = used_ns(status)});
    }
}

Result<std::int64_t> CacheFolder::time_ns() const {
    const std::string path = path_ + "/" + unfinished_name();
    const OpenDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file)
        return file_error(errno, path_);
    struct stat status {};
    const bool known = ::fstat(file.get(), &status) == 0;
    const int number = errno;
    ::unlink(path.c_str());
    return known ? Result<std::int64_t>(nanoseconds(status.st_mtim)) : Result<std::int64_t>(file_error(number, path_));
}

}  // namespace fardel
