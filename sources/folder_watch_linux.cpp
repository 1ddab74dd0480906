// inotify(7).
#include <fardel/sources/folder_watch.h>

#include <fardel/format/limits.h>

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                  IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF;

Error watch_error(int number, const std::string& path) {
    const std::string text = path + ": " + std::generic_category().message(number);
    if (number == ENOSPC || number == EMFILE)
        return Error(ErrorCode::limit,
                     text + " (fs.inotify.max_user_watches and max_user_instances bound what may be watched)");
    if (number == ENOENT || number == ENOTDIR)
        return Error(ErrorCode::missing, text);
    return Error(number == EACCES ? ErrorCode::denied : ErrorCode::io, text);
}

class InotifyWatch final : public FolderWatch {
public:
    static Result<std::unique_ptr<FolderWatch>> open(const std::string& path, std::string_view ignored) {
        const int descriptor = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        if (descriptor < 0)
            return watch_error(errno, path);
        std::unique_ptr<InotifyWatch> watch(new InotifyWatch(descriptor, path, std::string(ignored)));
        FARDEL_TRY(watch->add(path));
        FARDEL_TRY(watch->add_below());
        return std::unique_ptr<FolderWatch>(std::move(watch));
    }
    ~InotifyWatch() override { ::close(descriptor_); }
    InotifyWatch(const InotifyWatch&) = delete;
    InotifyWatch& operator=(const InotifyWatch&) = delete;

    Result<bool> take_change() override {
        bool changed = false;
        bool folders = false;
        alignas(inotify_event) std::array<char, 16384> buffer;
        for (;;) {
            const ssize_t size = ::read(descriptor_, buffer.data(), buffer.size());
            if (size < 0 && errno == EINTR)
                continue;
            if (size < 0 && errno != EAGAIN)
                return watch_error(errno, path_);
            if (size <= 0)
                break;
            for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
                inotify_event event;
                std::memcpy(&event, buffer.data() + at, sizeof event);
                changed = changed || event.len == 0 || ignored_.empty() ||
                          ignored_ != buffer.data() + at + sizeof event;  // padded with NUL
                folders = folders || (event.mask & (IN_ISDIR | IN_Q_OVERFLOW)) != 0;
                at += sizeof event + event.len;
            }
        }
        if (folders)
            FARDEL_TRY(add_below());
        return changed;
    }

private:
    InotifyWatch(int descriptor, std::string path, std::string ignored)
        : descriptor_(descriptor), path_(std::move(path)), ignored_(std::move(ignored)) {}

    // A folder that is watched already stays so.
    Status add(const std::string& folder) {
        if (::inotify_add_watch(descriptor_, folder.c_str(), kEvents | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK) >=
            0)
            return ok();
        return watch_error(errno, folder);
    }

    // What vanishes meanwhile was seen by its parent's watch.
    Status add_below() {
        std::error_code error;
        namespace fs = std::filesystem;
        for (fs::recursive_directory_iterator at(path_, fs::directory_options::skip_permission_denied, error), end;
             !error && at != end; at.increment(error)) {
            std::error_code ignored;
            if (at->is_symlink(ignored) || !at->is_directory(ignored))
                continue;
            if (!ignored_.empty() && at->path().filename() == ignored_) {
                at.disable_recursion_pending();
                continue;
            }
            if (Status added = add(at->path().string()); !added && added.error().code() == ErrorCode::limit)
                return added;
            if (at.depth() >= static_cast<int>(limits::kNameDepthMax))
                at.disable_recursion_pending();
        }
        return ok();
    }

    const int descriptor_;
    const std::string path_;
    const std::string ignored_;
};

}  // namespace

Result<std::unique_ptr<FolderWatch>> watch_folder(const std::string& path, std::string_view ignored) {
    return InotifyWatch::open(path, ignored);
}

}  // namespace fardel
