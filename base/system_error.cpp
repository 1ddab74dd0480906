#include <fardel/base/system_error.h>

#include <cerrno>
#include <string>

namespace fardel {

ErrorCode error_code_of(int number) noexcept {
    switch (number) {
        case ENOENT:
        case ENOTDIR: return ErrorCode::missing;
        case EACCES:
        case EPERM:
        case EROFS: return ErrorCode::denied;
        case EISDIR:
        case ELOOP:
        case ENXIO:  // a socket, or a FIFO without a reader
        case ENODEV:
        case ENOEXEC: return ErrorCode::malformed;
        case ENAMETOOLONG:
        case EFBIG:
        case EOVERFLOW:
        case E2BIG: return ErrorCode::limit;
        case ENOSPC:
#ifdef EDQUOT
        case EDQUOT:
#endif
            return ErrorCode::no_space;
        case EBUSY:
        case ETXTBSY: return ErrorCode::busy;
        case EEXIST:
        case ENOTEMPTY: return ErrorCode::conflict;
#ifdef ESTALE
        case ESTALE:
#endif
#ifdef EHOSTDOWN
        case EHOSTDOWN:
#endif
        case ENOTCONN:
        case ETIMEDOUT:
        case EHOSTUNREACH:
        case ENETUNREACH:
        case ECONNREFUSED:
        case ECONNRESET: return ErrorCode::unreachable;
        case EPIPE: return ErrorCode::cancelled;
        default: return ErrorCode::io;
    }
}

namespace {

std::string text_of(int number) {
    // The system's text speaks of many links, and here a single one that must not be followed is the reason.
    if (number == ELOOP)
        return "a symbolic link that is not followed";
#ifdef _WIN32  // whose C library has other texts for these, or none
    switch (number) {
        case EBUSY: return "another program has it open and does not share it";
        case EACCES: return "Permission denied";
        case EPERM: return "Operation not permitted";
        case ENOTEMPTY: return "Directory not empty";
        case EADDRINUSE: return "Address already in use";
        case ECONNREFUSED: return "Connection refused";
        case ECONNRESET: return "Connection reset by peer";
        case EHOSTUNREACH: return "No route to host";
        case ENETUNREACH: return "Network is unreachable";
        case ENOTCONN: return "Not connected";
        case ENOTSOCK: return "Not a socket";
        case ETIMEDOUT: return "Timed out";
        default: break;
    }
#endif
    return std::generic_category().message(number);
}

}  // namespace

Error system_error(int number, std::string_view subject) {
    return Error(error_code_of(number), std::string(subject) + ": " + text_of(number), number);
}

Error system_error(const std::error_code& failure, std::string_view subject) {
    // On Windows, the code is one of the system and not an errno.
    const std::error_condition condition = failure.default_error_condition();
    return system_error(condition.category() == std::generic_category() ? condition.value() : failure.value(), subject);
}

}  // namespace fardel
