// Common parts of system calls, for files named *_posix.cpp.
#pragma once

#include <fardel/base/file_location.h>
#include <fardel/base/result.h>
#include <fardel/base/system_error.h>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>

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

inline int folder_number(const FileLocation& location) noexcept {
    return location.folder() == nullptr ? AT_FDCWD : location.folder()->number();
}

// Refuses paths with a NUL, at which the system would end the path.
inline Status verify_path(const FileLocation& location) {
    return location.path().find('\0') == std::string::npos
               ? ok()
               : Status(Error(ErrorCode::malformed, "a path with a NUL character in it names no file"));
}

}  // namespace fardel
