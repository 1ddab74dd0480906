// inotify(7).
#include <fardel/base/folder_watch.h>

#include <fardel/base/descriptor.h>
#include <fardel/base/file.h>
#include <fardel/base/system_error.h>

#include <sys/inotify.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                  IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF;

Error watch_error(int number, const std::string& path) {
    Error error = system_error(number, path);
    if (number != ENOSPC && number != EMFILE)
        return error;
    return Error(ErrorCode::limit,
                 error.message() + " (fs.inotify.max_user_watches and max_user_instances bound what may be watched)",
                 number);
}

class InotifyWatch final : public FolderWatch {
public:
    static Result<std::unique_ptr<FolderWatch>> open(const std::string& path, std::string_view ignored) {
        Descriptor queue(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
        if (!queue)
            return watch_error(errno, path);
        std::unique_ptr<InotifyWatch> watch(new InotifyWatch(std::move(queue), path, std::string(ignored)));
        FARDEL_TRY(watch->add(path));
        FARDEL_TRY(watch->add_below());
        return std::unique_ptr<FolderWatch>(std::move(watch));
    }

    Result<bool> take_change() override {
        bool changed = false;
        bool folders = false;
        alignas(inotify_event) std::array<char, 16384> buffer;
        for (;;) {
            const auto size = read_some(queue_, std::as_writable_bytes(std::span(buffer)), path_);
            if (!size && size.error().system_number() != EAGAIN)
                return size.error();
            if (!size || *size == 0)
                break;
            for (std::size_t at = 0; at < *size;) {
                inotify_event event;
                std::memcpy(&event, buffer.data() + at, sizeof event);
                const char* const name = buffer.data() + at + sizeof event;  // ends in NUL; none if `len` is 0
                changed = changed || event.len == 0 || ignored_.empty() || ignored_ != name;
                // After an overflow, events of new folders may be among those that were lost.
                folders = folders || (event.mask & (IN_ISDIR | IN_Q_OVERFLOW)) != 0;
                at += sizeof event + event.len;
            }
        }
        if (folders)
            FARDEL_TRY(add_below());
        return changed;
    }

private:
    InotifyWatch(Descriptor queue, std::string path, std::string ignored)
        : queue_(std::move(queue)), path_(std::move(path)), ignored_(std::move(ignored)) {}

    // Adding a folder that is already watched has no effect.
    Status add(const std::string& folder) {
        constexpr std::uint32_t kFlags = IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK;
        if (::inotify_add_watch(queue_.number(), folder.c_str(), kEvents | kFlags) >= 0)
            return ok();
        return watch_error(errno, folder);
    }

    // If a folder vanishes meanwhile, the watch of its parent reports that.
    Status add_below() {
        std::error_code error;
        namespace fs = std::filesystem;
        for (fs::recursive_directory_iterator at(path_, fs::directory_options::skip_permission_denied, error), end;
             !error && at != end; at.increment(error)) {
            std::error_code unused;
            if (at->is_symlink(unused) || !at->is_directory(unused))
                continue;
            if (!ignored_.empty() && at->path().filename() == ignored_) {
                at.disable_recursion_pending();
                continue;
            }
            // Other failures are folders that vanished or may not be read; a bound of the system would hide changes for
            // good.
            if (Status added = add(at->path().string()); !added && added.error().code() == ErrorCode::limit)
                return added;
            if (at.depth() >= kWatchDepthMax)
                at.disable_recursion_pending();
        }
        return ok();
    }

    const Descriptor queue_;
    const std::string path_;
    const std::string ignored_;
};

}  // namespace

Result<std::unique_ptr<FolderWatch>> watch_folder(const std::string& path, std::string_view ignored) {
    return InotifyWatch::open(path, ignored);
}

}  // namespace fardel
