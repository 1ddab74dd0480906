#include "attribute_requests.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>

namespace fardel {
namespace {

constexpr long kOpenAt2 = 437;
constexpr int kChangeModeAt2 = 452;
constexpr std::size_t kPathBytesMax = 4096;

// A call that the kernel holds. The kernel may know more of it than these headers do.
struct Request {
    seccomp_notif call{};
    std::byte later[256]{};
};

enum class Change { mode, owner, times };
enum class TimeUnit { nanoseconds, microseconds, seconds };

// What a call asks for: where its arguments are.
struct Asked {
    Change change;
    int folder;           // number of the program's descriptor, or AT_FDCWD
    std::uint64_t path;   // address; 0: the descriptor itself
    std::uint64_t first;  // mode or user; of times, the address, or 0 for now
    std::uint64_t second = 0;
    bool follows = true;
    TimeUnit unit = TimeUnit::nanoseconds;
};

std::optional<Asked> asked_by(const seccomp_data& call) noexcept {
    const auto& of = call.args;
    const auto folder = static_cast<int>(of[0]);
    constexpr std::uint64_t kNoFollow = AT_SYMLINK_NOFOLLOW;
    switch (call.nr) {
#ifdef __x86_64__
        case SYS_chmod: return Asked{.change = Change::mode, .folder = AT_FDCWD, .path = of[0], .first = of[1]};
        case SYS_chown:
        case SYS_lchown:
            return Asked{.change = Change::owner,
                         .folder = AT_FDCWD,
                         .path = of[0],
                         .first = of[1],
                         .second = of[2],
                         .follows = call.nr == SYS_chown};
        case SYS_utimes:
            return Asked{.change = Change::times,
                         .folder = AT_FDCWD,
                         .path = of[0],
                         .first = of[1],
                         .unit = TimeUnit::microseconds};
        case SYS_futimesat:
            return Asked{.change = Change::times,
                         .folder = folder,
                         .path = of[1],
                         .first = of[2],
                         .unit = TimeUnit::microseconds};
        case SYS_utime:
            return Asked{
                .change = Change::times, .folder = AT_FDCWD, .path = of[0], .first = of[1], .unit = TimeUnit::seconds};
#endif
        case SYS_fchmod: return Asked{.change = Change::mode, .folder = folder, .path = 0, .first = of[1]};
        case SYS_fchmodat: return Asked{.change = Change::mode, .folder = folder, .path = of[1], .first = of[2]};
        case kChangeModeAt2:
            return Asked{.change = Change::mode,
                         .folder = folder,
                         .path = of[1],
                         .first = of[2],
                         .follows = (of[3] & kNoFollow) == 0};
        case SYS_fchown:
            return Asked{.change = Change::owner, .folder = folder, .path = 0, .first = of[1], .second = of[2]};
        case SYS_fchownat:
            return Asked{.change = Change::owner,
                         .folder = folder,
                         .path = of[1],
                         .first = of[2],
                         .second = of[3],
                         .follows = (of[4] & kNoFollow) == 0};
        case SYS_utimensat:
            return Asked{.change = Change::times,
                         .folder = folder,
                         .path = of[1],
                         .first = of[2],
                         .follows = (of[3] & kNoFollow) == 0};
        default: return std::nullopt;
    }
}

// ---- Reading the program's memory -----------------------------------------------------------------------------------

bool read_memory(pid_t process, std::uint64_t address, void* bytes, std::size_t count) noexcept {
    const iovec here{bytes, count};
    const iovec there{reinterpret_cast<void*>(address), count};
    return ::process_vm_readv(process, &here, 1, &there, 1, 0) == static_cast<ssize_t>(count);
}

// Returns the length of the path, or nothing if it has no end.
std::optional<std::size_t> read_path(pid_t process, std::uint64_t address, char* path) noexcept {
    // What lies behind the path's page may not exist; of the two pieces, the kernel then copies the first one.
    constexpr std::uint64_t kPageBytesMin = 4096;
    const std::size_t first = std::min<std::size_t>(kPathBytesMax, kPageBytesMin - address % kPageBytesMin);
    const iovec here{path, kPathBytesMax};
    const iovec there[2]{{reinterpret_cast<void*>(address), first},
                         {reinterpret_cast<void*>(address + first), kPathBytesMax - first}};
    const ssize_t count = ::process_vm_readv(process, &here, 1, there, 2, 0);
    if (count <= 0)
        return std::nullopt;
    const auto* const end = static_cast<const char*>(std::memchr(path, 0, static_cast<std::size_t>(count)));
    return end == nullptr ? std::nullopt : std::optional(static_cast<std::size_t>(end - path));
}

// ---- Which file -----------------------------------------------------------------------------------------------------

// The path of a folder, and the name of a file in it.
struct PathText {
    char bytes[2 * kPathBytesMax + 2];
    std::size_t size = 0;
    std::string_view view() const noexcept { return {bytes, size}; }
};

bool read_link(const char* path, PathText& text) noexcept {
    const ssize_t count = ::readlink(path, text.bytes, kPathBytesMax);
    text.size = count < 0 ? 0 : static_cast<std::size_t>(count);
    // A path of the full size may have been cut.
    return count > 0 && text.size < kPathBytesMax && text.bytes[0] == '/';
}

// Returns the number N of "/proc/self/fd/N", as which glibc before 2.39 names a file whose links it does not follow.
std::optional<int> find_own_descriptor(std::string_view name) noexcept {
    constexpr std::string_view kOwn = "/proc/self/fd/";
    if (!name.starts_with(kOwn))
        return std::nullopt;
    name.remove_prefix(kOwn.size());
    int number = -1;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
    return failure == std::errc() && end == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

bool read_place(pid_t process, int folder, PathText& text) noexcept {
    char link[64];
    if (folder == AT_FDCWD)
        std::snprintf(link, sizeof link, "/proc/%d/cwd", process);
    else
        std::snprintf(link, sizeof link, "/proc/%d/fd/%d", process, folder);
    return read_link(link, text);
}

// Finds the absolute path of what is asked for, followed by a NUL.
bool find_path(pid_t process, const Asked& asked, PathText& text) noexcept {
    char bytes[kPathBytesMax];
    std::string_view name;
    if (asked.path != 0) {
        const auto size = read_path(process, asked.path, bytes);
        if (!size || *size == 0)
            return false;
        name = {bytes, *size};
    }
    int folder = asked.folder;
    if (const auto number = find_own_descriptor(name)) {
        folder = *number;
        name = {};
    }
    if (!name.starts_with('/') && !read_place(process, folder, text))
        return false;
    if (!name.empty() && text.size != 0)
        text.bytes[text.size++] = '/';
    text.size += name.copy(text.bytes + text.size, name.size());
    text.bytes[text.size] = 0;
    return true;
}

// Returns what follows `folder` in `path`, "." for the folder itself, or nothing.
const char* below(const PathText& path, std::string_view folder) noexcept {
    if (!path.view().starts_with(folder))
        return nullptr;
    const char* rest = path.bytes + folder.size();
    if (*rest != 0 && *rest != '/')
        return nullptr;
    while (*rest == '/')
        ++rest;
    return *rest == 0 ? "." : rest;
}

// Returns a descriptor that stands for the file alone, or -1.
int open_below(const PathText& path, bool follows, const std::string& own) noexcept {
    const int folder = ::open(own.c_str(), O_PATH | O_CLOEXEC);
    if (folder < 0)
        return -1;
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    PathText real;
    const char* rest = read_link(link, real) ? below(path, real.view()) : nullptr;
    if (rest == nullptr && own.starts_with('/'))
        rest = below(path, own);
    int file = -1;
    if (rest != nullptr) {
        // The kernel refuses names that lead out of the folder on any way, at whatever moment.
        const open_how how{.flags = static_cast<std::uint64_t>(O_PATH | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW)),
                           .mode = 0,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};
        file = static_cast<int>(::syscall(kOpenAt2, folder, rest, &how, sizeof how));
    }
    const int failure = rest == nullptr || errno == EXDEV ? EPERM : errno;
    ::close(folder);
    errno = failure;
    return file;
}

// ---- The change -----------------------------------------------------------------------------------------------------

int change_mode(int file, std::uint64_t mode) noexcept {
    if ((mode & (S_ISUID | S_ISGID)) != 0) {
        errno = EPERM;
        return -1;
    }
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return ::chmod(path, static_cast<mode_t>(mode & 07777));
}

bool read_times(pid_t process, const Asked& asked, timespec (&times)[2]) noexcept {
    if (asked.unit == TimeUnit::nanoseconds)
        return read_memory(process, asked.first, times, sizeof times);
    if (asked.unit == TimeUnit::seconds) {
        utimbuf seconds{};
        if (!read_memory(process, asked.first, &seconds, sizeof seconds))
            return false;
        times[0] = {.tv_sec = seconds.actime, .tv_nsec = 0};
        times[1] = {.tv_sec = seconds.modtime, .tv_nsec = 0};
        return true;
    }
    timeval values[2];
    if (!read_memory(process, asked.first, values, sizeof values))
        return false;
    for (std::size_t i = 0; i < 2; ++i)
        times[i] = {.tv_sec = values[i].tv_sec, .tv_nsec = static_cast<long>(values[i].tv_usec) * 1000};
    return true;
}

// Returns 0 or the number of an error.
int make_change(int requests, const seccomp_notif& call, std::span<const std::string> own) noexcept {
    const auto process = static_cast<pid_t>(call.pid);
    const auto asked = asked_by(call.data);
    PathText path;
    if (!asked || !find_path(process, *asked, path))
        return EPERM;
    timespec times[2]{};
    const bool is_now = asked->change == Change::times && asked->first == 0;
    if (asked->change == Change::times && !is_now && !read_times(process, *asked, times))
        return EFAULT;
    // The process may have ended, and its id may be another one's by now; then what was read is not what was asked.
    if (::ioctl(requests, SECCOMP_IOCTL_NOTIF_ID_VALID, &call.id) != 0)
        return EPERM;
    int file = -1;
    int failure = EPERM;
    for (const std::string& folder : own) {
        file = open_below(path, asked->follows, folder);
        if (file >= 0)
            break;
        failure = errno == EPERM ? failure : errno;
    }
    if (file < 0)
        return failure;
    int result = -1;
    switch (asked->change) {
        case Change::mode: result = change_mode(file, asked->first); break;
        case Change::owner:
            result = ::fchownat(file, "", static_cast<uid_t>(asked->first), static_cast<gid_t>(asked->second),
                                AT_EMPTY_PATH);
            break;
        case Change::times: result = ::utimensat(file, "", is_now ? nullptr : times, AT_EMPTY_PATH); break;
    }
    failure = result == 0 ? 0 : errno;
    ::close(file);
    return failure;
}

// Does nothing if the program has ended meanwhile.
void answer_one(int requests, std::span<const std::string> own) noexcept {
    Request request;
    if (::ioctl(requests, SECCOMP_IOCTL_NOTIF_RECV, &request.call) != 0)
        return;
    seccomp_notif_resp answer{};
    answer.id = request.call.id;
    answer.error = -make_change(requests, request.call, own);
    ::ioctl(requests, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

// A message of one byte with one descriptor.
struct DescriptorMessage {
    DescriptorMessage() noexcept {
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
    }
    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
    msghdr message{};
};

}  // namespace

bool send_to_keeper(int socket, int descriptor, bool is_requests) noexcept {
    DescriptorMessage sent;
    sent.byte = is_requests ? 1 : 0;
    cmsghdr* const header = CMSG_FIRSTHDR(&sent.message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    const bool is_sent = ::sendmsg(socket, &sent.message, 0) == 1;
    ::close(descriptor);
    return is_sent;
}

int receive_in_keeper(int socket) noexcept {
    DescriptorMessage received;
    if (::recvmsg(socket, &received.message, MSG_CMSG_CLOEXEC) != 1)
        return -1;
    const cmsghdr* const header = CMSG_FIRSTHDR(&received.message);
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int)))
        return -1;
    int requests = -1;
    std::memcpy(&requests, CMSG_DATA(header), sizeof requests);
    // A descriptor that is only to be held stays open until this process ends.
    return received.byte == 1 ? requests : -1;
}

int answer_until_signal(const sigset_t& awaited, int requests, std::span<const std::string> own) noexcept {
    int received = 0;
    const int signals = requests < 0 ? -1 : ::signalfd(-1, &awaited, SFD_CLOEXEC);
    if (signals < 0) {
        ::sigwait(&awaited, &received);
        return received;
    }
    pollfd polled[2]{{.fd = signals, .events = POLLIN, .revents = 0}, {.fd = requests, .events = POLLIN, .revents = 0}};
    while (received == 0) {
        if (::poll(polled, 2, -1) < 0)
            continue;
        signalfd_siginfo signal{};
        if ((polled[0].revents & POLLIN) != 0 && ::read(signals, &signal, sizeof signal) == sizeof signal)
            received = static_cast<int>(signal.ssi_signo);
        else if ((polled[1].revents & POLLIN) != 0)
            answer_one(requests, own);
        else if (polled[1].revents != 0)
            polled[1].fd = -1;  // no process is left that could ask
    }
    ::close(signals);
    return received;
}

}  // namespace fardel
