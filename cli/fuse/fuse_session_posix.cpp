#define FUSE_USE_VERSION 35

#include "fuse_session.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/mount_point.h>
#include <fardel/base/program.h>
#include <fardel/base/system_error.h>

#include <fuse.h>
#include <fuse_log.h>
#include <fuse_lowlevel.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::chrono::milliseconds kEndPolled{50};
constexpr std::size_t kMountsBytesMax = 4u << 20;
constexpr std::string_view kType = "fuse.fardel";  // as /proc/self/mountinfo names it

// libfuse reports errors to a function without a context argument, so the messages are kept in global variables.
std::mutex log_mutex;
std::string logged;

void collect_logged(fuse_log_level, const char* format, va_list arguments) {
    char line[512];
    const int count = std::vsnprintf(line, sizeof line, format, arguments);
    const std::scoped_lock lock(log_mutex);
    if (count > 0 && logged.size() < sizeof line)
        logged += line;
}

std::string take_logged() {
    const std::scoped_lock lock(log_mutex);
    std::string text = std::exchange(logged, {});
    while (text.ends_with('\n'))
        text.pop_back();
    return text.empty() ? "the system refused without giving a reason" : text;
}

Error folder_error(int failure, const std::string& folder) {
    if (failure == ENOTCONN)
        return Error(ErrorCode::busy,
                     folder + ": the program that served this mount is gone; 'fardel mount --unmount' unmounts it");
    return system_error(failure, folder);
}

// Returns the absolute path, since the background process has another working directory.
Result<std::string> empty_folder(const std::string& folder) {
    auto path = real_path(folder, folder);
    const auto opened = path ? open_folder(*path, folder) : Result<Descriptor>(path.error());
    const auto names = opened ? list_names(*opened, folder) : Result<std::vector<std::string>>(opened.error());
    if (!names)
        return folder_error(names.error().system_number(), folder);
    if (!names->empty())
        return Error(ErrorCode::conflict, folder + ": the folder is not empty; a mount would hide its files");
    return path;
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

// The type of the topmost mount at `folder`. proc(5): a variable number of fields ends with " - "; the type follows.
std::string mounted_type(const std::string& folder) {
    constexpr std::string_view kMounts = "/proc/self/mountinfo";
    const auto file = open_file(std::string(kMounts), kMounts);
    const auto text = file ? read_text(*file, kMountsBytesMax, kMounts) : Result<std::string>(file.error());
    std::istringstream mounts(text ? *text : std::string());
    std::string type;
    for (std::string line; std::getline(mounts, line);) {
        std::istringstream fields(line);
        std::string skipped, mount_point, word;
        fields >> skipped >> skipped >> skipped >> skipped >> mount_point;
        while (fields >> word && word != "-") {
        }
        fields >> word;
        if (unescaped(mount_point) == folder)
            type = word;
    }
    return type;
}

// The last part is not resolved, so this works even if the program that serves the mount is gone.
std::string absolute(const std::string& folder) {
    const auto whole = absolute_path(folder);
    const std::string& path = whole ? *whole : folder;
    const std::string above = folder_of_path(path);
    const auto real = real_path(above, above);
    return joined_path(real ? *real : above, file_name_of_path(path));
}

// fusermount3 may unmount what its caller mounted.
Status unmount_as_user(const std::string& mount_point, const std::string& shown) {
    FARDEL_TRY_ASSIGN(ChildProgram program, ChildProgram::start({"fusermount3", "-u", "-q", "--", mount_point}));
    return program.wait().is_success() ? ok() : Status(system_error(EBUSY, shown));
}

// Threads that are started meanwhile receive no signals.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t before_{};
};

}  // namespace

Status FuseSession::verify_system() { return ok(); }

Status FuseSession::verify_device() {
    return verify_may_read_and_write(std::string("/dev/fuse"),
                                     "/dev/fuse: FUSE is not available on this system, or not for this user");
}

Status FuseSession::verify_program() {
    FARDEL_TRY_ASSIGN(const Descriptor nowhere,
                      open_file(std::string("/dev/null"), "/dev/null", {.access = FileAccess::write}));
    auto program = ChildProgram::start({"fusermount3", "--version"}, {.output = &nowhere});
    if (program && program->wait().is_success())
        return ok();
    return Error(ErrorCode::missing, "fusermount3: is not installed, or does not run");
}

FuseSession::FuseSession(FuseSession&& other) noexcept
    : fuse_(std::exchange(other.fuse_, nullptr)),
      mount_point_(std::move(other.mount_point_)),
      mounted_(std::exchange(other.mounted_, false)) {}

FuseSession::~FuseSession() {
    if (mounted_)
        ::fuse_unmount(fuse_);
    if (fuse_ != nullptr)
        ::fuse_destroy(fuse_);
}

Result<FuseSession> FuseSession::mount(FuseTree& tree, const std::string& folder, bool allow_other) {
    FARDEL_TRY_ASSIGN(const std::string mount_point, empty_folder(folder));
    FARDEL_TRY(verify_device());
    ::fuse_set_log_func(collect_logged);
    std::string options = "ro,nosuid,nodev,default_permissions,fsname=fardel,subtype=fardel";
    if (allow_other)
        options += ",allow_other";
    std::vector<std::string> texts{"fardel", "-o", std::move(options)};
    std::vector<char*> words{texts[0].data(), texts[1].data(), texts[2].data(), nullptr};
    fuse_args arguments = FUSE_ARGS_INIT(3, words.data());
    FuseSession session(::fuse_new(&arguments, &fuse_tree_operations(), sizeof(fuse_operations), &tree));
    ::fuse_opt_free_args(&arguments);
    if (session.fuse_ == nullptr)
        return Error(ErrorCode::io, folder + ": " + take_logged());
    if (::fuse_mount(session.fuse_, mount_point.c_str()) != 0)
        return Error(ErrorCode::denied, folder + ": cannot be mounted: " + take_logged());
    session.mounted_ = true;
    session.mount_point_ = mount_point;
    return session;
}

Status FuseSession::go_to_background() {
    if (::fuse_daemonize(0) != 0)
        return system_error(errno, "cannot continue in the background");
    return ok();
}

bool FuseSession::is_over() const noexcept { return ::fuse_session_exited(::fuse_get_session(fuse_)) != 0; }

Status FuseSession::answer(const std::function<void(const std::stop_token& stop)>& watch) {
    if (::fuse_set_signal_handlers(::fuse_get_session(fuse_)) != 0)
        return Error(ErrorCode::io, take_logged());
    fuse_loop_config config{};
    config.max_idle_threads = 10;
    std::jthread watcher;
    if (watch) {
        const SignalsBlocked blocked;  // a signal must interrupt this thread, which waits for it
        watcher = std::jthread([&watch](const std::stop_token& stop) { watch(stop); });
    }
    const int failure = ::fuse_loop_mt(fuse_, &config);  // below 0: errno; above: the signal that ended it
    watcher = {};
    ::fuse_remove_signal_handlers(::fuse_get_session(fuse_));
    if (failure < 0)
        return system_error(-failure, "lost the connection to the kernel");
    return ok();
}

Status FuseSession::serve(const std::function<void()>& ending,
                          const std::function<void(const std::stop_token& stop)>& beside) {
    if (!ending)
        return answer({});
    return answer([&](const std::stop_token& stop) {
        std::jthread other;
        if (beside)
            other = std::jthread([&beside](const std::stop_token& over) { beside(over); });
        // The kernel tells nobody but the loop that the file system is being unmounted, so the state is polled.
        while (!stop.stop_requested() && !is_over())
            std::this_thread::sleep_for(kEndPolled);
        if (!stop.stop_requested())
            ending();
    });
}

Result<std::optional<ProgramExit>> FuseSession::serve_program(ChildProgram program) {
    std::optional<ProgramExit> ended;
    FARDEL_TRY(answer([&](const std::stop_token& stop) {
        const auto goes_on = [&] { return !stop.stop_requested() && !is_over(); };
        while (goes_on() && !ended)
            ended = program.wait_until(std::chrono::steady_clock::now() + kEndPolled);
        while (goes_on() && !unmount_fuse(mount_point_))
            std::this_thread::sleep_for(kEndPolled);
    }));
    return ended;
}

Status unmount_fuse(const std::string& folder) {
    const std::string mount_point = absolute(folder);
    // fusermount3 would unmount any other file system of the user, too.
    if (mounted_type(mount_point) != kType)
        return Error(ErrorCode::missing, folder + ": fardel has mounted nothing there; check the path");
    Status done = unmount_file_system(mount_point, folder);
    if (!done && done.error().system_number() == EPERM)
        done = unmount_as_user(mount_point, folder);
    if (!done && done.error().code() == ErrorCode::busy)
        return Error(ErrorCode::busy,
                     folder + ": a program uses this folder or has a file in it open; close it and try again");
    return done;
}

Result<VariantPreference> switch_variants(const std::string& folder, const VariantPreference& preference) {
    const std::string mount_point = absolute(folder);
    if (mounted_type(mount_point) != kType)
        return Error(ErrorCode::missing, folder + ": fardel has mounted nothing there; check the path");
    FARDEL_TRY_ASSIGN(const std::string axes, send_to_mount(mount_point, format_variant_preference(preference)));
    return parse_variant_preference(axes);
}

}  // namespace fardel
