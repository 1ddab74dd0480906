#define FUSE_USE_VERSION 35

#include "fuse_session.h"

#include "console/descriptor.h"

#include <fuse.h>
#include <fuse_log.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

namespace fardel {
namespace {

constexpr std::string_view kType = "fuse.fardel";  // as /proc/self/mountinfo has it

// libfuse tells what is wrong to a function without context.
std::mutex told_mutex;
std::string told;

void keep_told(fuse_log_level, const char* format, va_list arguments) {
    char line[512];
    const int count = std::vsnprintf(line, sizeof line, format, arguments);
    const std::scoped_lock lock(told_mutex);
    if (count > 0 && told.size() < sizeof line)
        told += line;
}

std::string take_told() {
    const std::scoped_lock lock(told_mutex);
    std::string text = std::exchange(told, {});
    while (text.ends_with('\n'))
        text.pop_back();
    return text.empty() ? "the system refuses, and does not say why" : text;
}

// The words behind "fuse3 -o".
std::string options_text(const FuseSessionOptions& options) {
    std::string text = "ro,nosuid,nodev,default_permissions,fsname=fardel,subtype=fardel";
    if (options.allow_other)
        text += ",allow_other";
    return text;
}

Error folder_error(int failure, const std::string& folder) {
    if (failure == ENOTCONN)
        return Error(ErrorCode::busy,
                     folder + ": what was mounted there has lost its program; 'fardel mount --unmount' takes it away");
    return system_error(failure, folder);
}

// Absolute, since a process in the background is somewhere else.
Result<std::string> empty_folder(const std::string& folder) {
    std::error_code failure;
    const fs::path path = fs::canonical(folder, failure);
    if (failure)
        return folder_error(failure.value(), folder);
    fs::directory_iterator entries(path, failure);
    if (failure)
        return folder_error(failure.value(), folder);
    if (entries != fs::directory_iterator())
        return Error(ErrorCode::conflict, folder + ": the folder is not empty; a mount would hide what is in it");
    return path.string();
}

Status check_device() {
    if (::access("/dev/fuse", R_OK | W_OK) != 0)
        return system_error(errno, "/dev/fuse: this system lets nobody mount a FUSE file system, or not you");
    return ok();
}

// "\040" stands for a space.
std::string unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\\' && at + 3 < text.size()) {
            plain += static_cast<char>((text[at + 1] - '0') * 64 + (text[at + 2] - '0') * 8 + (text[at + 3] - '0'));
            at += 3;
        } else {
            plain += text[at];
        }
    }
    return plain;
}

// What stands on top at `folder`. proc(5): fields of a line are counted up to " - ", behind which comes the type.
std::string mounted_type(const std::string& folder) {
    std::ifstream mounts("/proc/self/mountinfo");
    std::string type;
    for (std::string line; std::getline(mounts, line);) {
        std::istringstream fields(line);
        std::string skipped, place, word;
        fields >> skipped >> skipped >> skipped >> skipped >> place;
        while (fields >> word && word != "-") {
        }
        fields >> word;
        if (unescaped(place) == folder)
            type = word;
    }
    return type;
}

// Ends in the folder's own name, whatever has happened to what is mounted there.
std::string absolute(const std::string& folder) {
    std::error_code failure;
    const fs::path path = fs::absolute(folder, failure).lexically_normal();
    const fs::path leaf = path.has_filename() ? path : path.parent_path();
    const fs::path parent = fs::canonical(leaf.parent_path(), failure);
    return ((failure ? leaf.parent_path() : parent) / leaf.filename()).string();
}

// fusermount3 may unmount what its caller mounted.
int unmount_as_user(const std::string& folder) {
    std::vector<std::string> texts{"fusermount3", "-u", "-q", "--", folder};
    std::vector<char*> words;
    for (std::string& text : texts)
        words.push_back(text.data());
    words.push_back(nullptr);
    pid_t id = -1;
    if (const int failure = ::posix_spawnp(&id, words[0], nullptr, nullptr, words.data(), environ); failure != 0)
        return failure;
    int status = 0;
    while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EBUSY;
}

}  // namespace

FuseSession::FuseSession(FuseSession&& other) noexcept
    : fuse_(std::exchange(other.fuse_, nullptr)), mounted_(std::exchange(other.mounted_, false)) {}

FuseSession::~FuseSession() {
    if (mounted_)
        ::fuse_unmount(fuse_);
    if (fuse_ != nullptr)
        ::fuse_destroy(fuse_);
}

Result<FuseSession> FuseSession::mount(FuseTree& tree, const std::string& folder, const FuseSessionOptions& options) {
    FARDEL_TRY_ASSIGN(const std::string place, empty_folder(folder));
    FARDEL_TRY(check_device());
    ::fuse_set_log_func(keep_told);
    std::vector<std::string> texts{"fardel", "-o", options_text(options)};
    std::vector<char*> words{texts[0].data(), texts[1].data(), texts[2].data(), nullptr};
    fuse_args arguments = FUSE_ARGS_INIT(3, words.data());
    FuseSession session(::fuse_new(&arguments, &fuse_tree_operations(), sizeof(fuse_operations), &tree));
    ::fuse_opt_free_args(&arguments);
    if (session.fuse_ == nullptr)
        return Error(ErrorCode::io, folder + ": " + take_told());
    if (::fuse_mount(session.fuse_, place.c_str()) != 0)
        return Error(ErrorCode::denied, folder + ": cannot be mounted: " + take_told());
    session.mounted_ = true;
    return session;
}

Status FuseSession::go_to_background() {
    if (::fuse_daemonize(0) != 0)
        return system_error(errno, "cannot go to the background");
    return ok();
}

Status FuseSession::serve() {
    if (::fuse_set_signal_handlers(::fuse_get_session(fuse_)) != 0)
        return Error(ErrorCode::io, take_told());
    fuse_loop_config config{};
    config.max_idle_threads = 10;
    const int failure = ::fuse_loop_mt(fuse_, &config);  // below 0: errno; above: the signal that ended it
    ::fuse_remove_signal_handlers(::fuse_get_session(fuse_));
    if (failure < 0)
        return system_error(-failure, "the connection with the kernel broke");
    return ok();
}

Status unmount_fuse(const std::string& folder) {
    const std::string place = absolute(folder);
    if (mounted_type(place) != kType)
        return Error(ErrorCode::missing, folder + ": fardel has mounted nothing there");
    int failure = ::umount2(place.c_str(), UMOUNT_NOFOLLOW) == 0 ? 0 : errno;
    if (failure == EPERM)
        failure = unmount_as_user(place);
    if (failure == EBUSY)
        return Error(ErrorCode::busy, folder + ": a program is in this folder or has a file of it open");
    if (failure != 0)
        return system_error(failure, folder);
    return ok();
}

}  // namespace fardel
