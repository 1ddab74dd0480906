// Common parts of system calls, for files named *_posix.cpp and *_linux.cpp. The former keep to POSIX.1-2008 with its
// XSI option, to flock and to getentropy, which all systems have that are built so; what only Linux has is called in
// the latter, and each of them has a twin *_posix.cpp or *_none.cpp for other systems and for -DFARDEL_PORTABLE=ON.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/file_location.h>
#include <fardel/base/result.h>
#include <fardel/base/shared_disk.h>
#include <fardel/base/system_error.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Linux transfers less than 2 GiB per call, and other systems refuse more.
inline constexpr std::size_t kTransferBytesMax = std::size_t{1} << 30;

// Repeats the call while a signal interrupts it.
template <class Call>
auto repeat(const Call& call) noexcept {
    auto result = call();
    while (result < 0 && errno == EINTR)
        result = call();
    return result;
}

inline Status status_of_call(int result, std::string_view subject) {
    return result == 0 ? ok() : Status(system_error(errno, subject));
}

// `number`: what a call that opens a descriptor returned.
inline Result<Descriptor> descriptor_of_call(int number, std::string_view subject) {
    if (number < 0)
        return system_error(errno, subject);
    return Descriptor(number);
}

// Calls write_some(rest) until all of `bytes` are written; each call returns the number of bytes that it wrote.
template <class WriteSome>
Status write_rest(std::span<const std::byte> bytes, std::string_view subject, const WriteSome& write_some) {
    while (!bytes.empty()) {
        const auto count = repeat([&] { return write_some(bytes.first(std::min(bytes.size(), kTransferBytesMax))); });
        if (count < 0)
            return system_error(errno, subject);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return ok();
}

// The arguments of a program, as the system wants them; `texts` must outlive the result.
inline std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts)
        pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

inline std::int64_t nanoseconds(const struct timespec& time) noexcept {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

inline int folder_number(const FileLocation& location) noexcept {
    return location.folder() == nullptr ? AT_FDCWD : location.folder()->number();
}

// ---- In system_call_linux.cpp and system_call_posix.cpp -------------------------------------------------------------

// Flags of open. A file or folder that is only a location need not be readable on Linux; elsewhere it is opened to
// read.
extern const int kLocationOnly;
extern const int kUsedTimeKept;  // EPERM: only the owner of a file may preserve its access time; 0: the system cannot

// As openat, in one call of the kernel and without any link. ENOSYS: the system has no such call.
int open_without_links(int folder, const char* name, int flags) noexcept;

enum class RenameRule { to_new, exchange };
// As renameat. EINVAL, ENOSYS: the file system, or the system, supports only plain renames.
int rename_with(int old_folder, const char* old_name, int folder, const char* name, RenameRule rule) noexcept;

// As pipe, and programs do not inherit the ends.
int open_pipe_ends(int (&ends)[2]) noexcept;
// As accept, repeated; the connection does not wait, and programs do not inherit it.
int accept_without_waiting(int listener, sockaddr* address, socklen_t* size) noexcept;

// ---- In *_posix.cpp -------------------------------------------------------------------------------------------------

// For a location with a root: opens the first `size` characters of its path without creating a file, and the folder
// that the file is in. Below the root, no link is followed that another user has made. Return a descriptor or -1, with
// errno; ELOOP: such a link.
int open_below_root(const FileLocation& location, std::size_t size, int flags);
int open_folder_above(const FileLocation& location);

// Returns what call(folder, name) returns, which finds the file by a name in a folder; -1 if the folder cannot be
// opened.
template <class Call>
int call_at(const FileLocation& location, const Call& call) {
    if (location.root_size() == 0)
        return call(folder_number(location), location.path().c_str());
    if (location.path().size() == location.root_size())
        return location.folder() == nullptr ? call(AT_FDCWD, location.path().c_str())
                                            : call(folder_number(location), ".");
    const Descriptor folder(open_folder_above(location));
    return folder ? call(folder.number(), location.path().c_str() + location.path().rfind('/') + 1) : -1;
}

// Returns a descriptor or -1. Below a root, a link is never followed.
inline int open_or_create(const FileLocation& location, int flags, std::uint32_t mode) {
    if (location.root_size() != 0)
        flags |= O_NOFOLLOW;
    return call_at(location, [&](int folder, const char* name) {
        return repeat([&] { return ::openat(folder, name, flags, mode); });
    });
}

// Returns a descriptor or -1. What the name leads to is never older than the call.
inline int open_existing(const FileLocation& location, int flags) {
    refresh_names(location);
    if (location.root_size() != 0)
        return open_below_root(location, location.path().size(), flags);
    return repeat([&] { return ::openat(folder_number(location), location.path().c_str(), flags); });
}

// Refuses paths with a NUL, at which the system would end the path.
inline Status verify_path(const FileLocation& location) {
    return location.path().find('\0') == std::string::npos
               ? ok()
               : Status(Error(ErrorCode::malformed, "a path with a NUL character in it names no file"));
}

}  // namespace fardel
